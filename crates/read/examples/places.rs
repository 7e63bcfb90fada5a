//! Prints where the counted instructions of a report are: `places REPORT`, an object a kernel launch that has some.
//!
//! Of every counted address, and of every instruction of a module's functions when the module is met for the first time, the function, the offset and the line.
//! It is how the comparison with NVIDIA's reader looks at our code.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ncu_rep::source::Module;
use rangescope_read::Input;
use rangescope_read::results::CountedCode;
use serde_json::{Value, json};

const INSTRUCTION: usize = 16;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [path] = arguments.as_slice() else {
        let _ = writeln!(std::io::stderr(), "usage: places REPORT");
        return ExitCode::from(2);
    };
    match run(path.into()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: PathBuf) -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for input in Input::open_all(&[path])? {
        let mut modules: BTreeMap<u64, Option<Result<Module, String>>> = BTreeMap::new();
        for index in 0..input.source.len() {
            let is_wanted = |name: &str| !name.contains([':', '.']);
            let Some(code) = input.source.counted_code(index, &is_wanted) else { continue };
            let counts = code.counters.iter().flat_map(|(_, counts)| counts);
            let mut addresses: BTreeSet<u64> = counts.map(|(address, _)| *address).collect();
            let number = code.module.unwrap_or(0);
            let is_new = !modules.contains_key(&number);
            let module = modules.entry(number).or_insert_with(|| {
                let source = input.source.module(number)?;
                let module = Module::parse(&source.cubin, &source.loaded);
                Some(module.map_err(|error| error.to_string()))
            });
            if let Some(Ok(module)) = module.as_ref().filter(|_| is_new) {
                for function in module.functions() {
                    let offsets = (0..u64::from(function.size)).step_by(INSTRUCTION);
                    addresses.extend(
                        function
                            .address
                            .iter()
                            .flat_map(|start| offsets.clone().map(move |offset| start + offset)),
                    );
                }
            }
            writeln!(out, "{}", places(index, &code, module.as_ref(), &addresses))?;
        }
    }
    out.flush()?;
    Ok(())
}

fn places(
    index: usize,
    code: &CountedCode,
    module: Option<&Result<Module, String>>,
    addresses: &BTreeSet<u64>,
) -> Value {
    let module = match module {
        Some(Ok(module)) => module,
        Some(Err(reason)) => return json!({"result": index, "unknown": reason}),
        None => return json!({"result": index, "unknown": "no module"}),
    };
    let executed = code.counters.iter().find(|(name, _)| name == "inst_executed");
    let executed = executed.map(|(_, counts)| counts.iter().map(|(address, _)| *address));
    if let Err(reason) = module.kernel(&code.mangled, executed) {
        return json!({"result": index, "unknown": reason.to_string()});
    }
    let at = addresses.iter().map(|&address| match module.place(address) {
        Ok(at) => {
            let function = module.functions().get(at.function);
            let line = function.and_then(|function| function.line(at.offset));
            let file = line.and_then(|line| module.files().get(line.file as usize)?.as_ref());
            json!([
                address,
                function.map(|function| &function.name),
                at.offset,
                file.map(|file| &file.path),
                line.map(|line| line.line),
            ])
        }
        Err(reason) => json!([address, null, reason.to_string()]),
    });
    json!({"result": index, "at": at.collect::<Vec<_>>()})
}
