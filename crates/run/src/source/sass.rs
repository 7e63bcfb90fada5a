//! Instructions in words, by the `nvdisasm` of the user's CUDA toolkit.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use rangescope_capture::child::quick_with_room;
use rangescope_capture::ncu::ProbeError;
use rangescope_capture::ncu::probe::locate;
use rustc_hash::FxHashMap;
use serde::Deserialize;

const LIMIT: Duration = Duration::from_secs(120);
/// What it may say of one module.
const ROOM: usize = 256 << 20;
/// Bytes of an instruction of every device that it writes JSON for.
const INSTRUCTION: u32 = 16;

/// A disassembler that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disassembler(PathBuf);

#[derive(Deserialize)]
struct Function {
    #[serde(rename = "function-name")]
    name: String,
    #[serde(rename = "sass-instructions")]
    instructions: Vec<Instruction>,
}

#[derive(Deserialize)]
struct Instruction {
    opcode: String,
    #[serde(default)]
    operands: String,
    #[serde(default)]
    predicate: String,
}

/// By mangled name: the instructions by offset.
pub(super) type Words = FxHashMap<String, BTreeMap<u32, String>>;

impl Disassembler {
    /// Finds it as ncu is found: a path is taken as it is, a name is looked for on the path and where NVIDIA installs it.
    pub fn find(executable: &OsStr) -> Result<Self, ProbeError> {
        match locate(executable)? {
            found if found.is_file() => Ok(Self(found)),
            _ => Err(ProbeError::NotFound { name: executable.to_string_lossy().into_owned() }),
        }
    }

    /// The functions of a module in words, or why there are none.
    pub(super) fn words(&self, cubin: &[u8]) -> Result<Words, String> {
        let failed = |reason: String| {
            format!("`{}` cannot disassemble a module: {reason}", self.0.display())
        };
        let mut file = tempfile::Builder::new()
            .prefix("rangescope-")
            .suffix(".cubin")
            .tempfile()
            .map_err(|error| failed(error.to_string()))?;
        file.write_all(cubin).map_err(|error| failed(error.to_string()))?;
        let argv: Vec<OsString> =
            vec![self.0.clone().into(), "-json".into(), file.path().as_os_str().to_owned()];
        let output = quick_with_room(argv, Vec::new(), LIMIT, ROOM)
            .map_err(|error| failed(error.to_string()))?;
        // It warns on stderr and says that it went well all the same; only what it wrote tells.
        let parsed: Result<Vec<serde_json::Value>, _> = serde_json::from_str(&output.stdout);
        let parts = parsed.map_err(|_| {
            let said = output.stderr.lines().chain(output.stdout.lines());
            failed(
                said.map(str::trim)
                    .find(|line| !line.is_empty())
                    .unwrap_or("it said nothing")
                    .to_owned(),
            )
        })?;
        // The first part tells the versions; the functions are in lists behind it.
        let mut words = Words::default();
        for part in parts {
            let functions: Vec<Function> = serde_json::from_value(part).unwrap_or_default();
            for function in functions {
                let offsets = (0..).step_by(INSTRUCTION as usize);
                let instructions = offsets.zip(&function.instructions);
                words
                    .insert(function.name, instructions.map(|(at, it)| (at, it.words())).collect());
            }
        }
        Ok(words)
    }
}

impl Instruction {
    /// As a listing has it: `@!P0 BRA 0x170`. All predicates at once, `PR`, are an operand and no condition.
    fn words(&self) -> String {
        let predicate = match self.predicate.trim() {
            "" | "PR" => String::new(),
            given => format!("@{} ", given.trim_start_matches('@')),
        };
        let operands = self.operands.split(',').map(str::trim).collect::<Vec<_>>().join(", ");
        format!("{predicate}{} {operands}", self.opcode.trim()).trim_end().to_owned()
    }
}
