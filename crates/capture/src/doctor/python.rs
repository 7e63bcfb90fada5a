//! The program's Python: whether it can mark ranges, and whether the tools will see them.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use rangescope_config::Version;

use super::{Check, Machine};
use crate::child::beginning;

const NAME: &str = "python";
/// From this version the package asks a question that old tools do not answer, and then records nothing.
const ASKING_NVTX: [u64; 3] = [0, 2, 12];
/// The newest nsys known not to answer it.
const LAST_SILENT_NSYS: Version = Version::new(2023, 4, u32::MAX);

/// Asks for versions without loading the packages, because PyTorch takes seconds to load. The working folder is taken off the path, so that none of its files is run.
const QUESTION: &str = r#"
import sys
sys.path[:] = [folder for folder in sys.path if folder]
import importlib.util, json, os, re
try:
    from importlib.metadata import version
except ImportError:
    version = None
def version_of(name):
    try:
        return version(name)
    except Exception:
        return None
def cuda_of_torch():
    try:
        folder = os.path.dirname(importlib.util.find_spec("torch").origin)
        with open(os.path.join(folder, "version.py")) as file:
            found = re.search(r"^cuda\b[^=]*=\s*['\"]([^'\"]+)", file.read(), re.M)
        return found.group(1) if found else None
    except Exception:
        return None
print()
print(json.dumps({"python": sys.version.split()[0], "nvtx": version_of("nvtx"), "torch": version_of("torch"), "cuda": cuda_of_torch()}))
"#;

#[derive(Debug, Deserialize)]
struct Versions {
    python: String,
    nvtx: Option<String>,
    torch: Option<String>,
    cuda: Option<String>,
}

pub(super) fn check(program: &[OsString], nsys: Option<Version>, machine: &Machine) -> Check {
    let Some(interpreter) = interpreter(program, machine) else {
        return Check::ok(NAME, "the program is not in Python");
    };
    let Some(path) = machine.program(&interpreter) else {
        return Check::warning(
            NAME,
            format!("`{}` is not there", interpreter.display()),
            "nothing, unless the program is in Python",
        );
    };
    match machine.ask(&path, &["-c", QUESTION]) {
        Ok(answer) => {
            match answer.stdout.lines().rev().find_map(|line| serde_json::from_str(line).ok()) {
                Some(versions) => judge(&path, &versions, nsys),
                None => Check::warning(
                    NAME,
                    format!("`{}` does not answer: {}", path.display(), beginning(&answer.stderr)),
                    "check that it is Python 3, and that it starts",
                ),
            }
        }
        Err(error) => Check::warning(NAME, error.to_string(), "check that it is Python 3"),
    }
}

fn judge(path: &Path, versions: &Versions, nsys: Option<Version>) -> Check {
    let Versions { python, nvtx, torch, cuda } = versions;
    let mut found = vec![format!("Python {python} at {}", path.display())];
    found.extend(nvtx.as_ref().map(|version| format!("nvtx {version}")));
    found.extend(torch.as_ref().map(|version| match cuda {
        Some(cuda) => format!("torch {version} for CUDA {cuda}"),
        None => format!("torch {version}"),
    }));
    let found = found.join(", ");
    if torch.is_some() && cuda.is_none() {
        return Check::warning(
            NAME,
            format!(
                "{found}: a build without CUDA, which launches no kernels and whose `torch.cuda.nvtx` fails"
            ),
            "install a build of torch with CUDA",
        );
    }
    if nvtx.is_none() && torch.is_none() {
        return Check::warning(
            NAME,
            format!("{found}, without `nvtx` and `torch`: there is nothing to mark ranges with"),
            format!("`{} -m pip install nvtx`", path.display()),
        );
    }
    let asks = nvtx.as_deref().is_some_and(|version| numbers(version) >= ASKING_NVTX.to_vec());
    if asks && nsys.is_some_and(|version| version <= LAST_SILENT_NSYS) {
        return Check::warning(
            NAME,
            format!("{found}: from 0.2.12 on, nsys up to 2023.4 records none of its ranges"),
            format!(
                "`{} -m pip install 'nvtx<0.2.12'`, or install a newer Nsight Systems",
                path.display()
            ),
        );
    }
    Check::ok(NAME, found)
}

/// `0.2.12rc1` as numbers, as far as they go.
fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '+', 'r', 'a', 'b', '-']).map_while(|part| part.parse().ok()).collect()
}

/// The program's interpreter: one of its words (launchers come first), that of its first line, or the usual one if there is no program.
fn interpreter(program: &[OsString], machine: &Machine) -> Option<OsString> {
    let Some(first) = program.first() else { return Some(OsString::from("python3")) };
    if let Some(python) = program.iter().find(|word| is_python(word)) {
        return Some(python.clone());
    }
    let line = first_line(&machine.program(first)?)?;
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let named = words.find(|word| is_python(OsStr::new(word)))?;
    Some(OsString::from(named))
}

fn is_python(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().and_then(OsStr::to_str);
    name.and_then(|name| name.strip_prefix("python")).is_some_and(|rest| {
        rest.chars().all(|character| character.is_ascii_digit() || character == '.')
    })
}

/// `None` if the line is long.
fn first_line(path: &PathBuf) -> Option<String> {
    let mut bytes = Vec::new();
    fs_err::File::open(path).ok()?.take(512).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().next().map(str::to_owned)
}
