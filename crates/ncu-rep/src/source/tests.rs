use super::{Line, Module, ModuleError, clean_path, demangled};
use crate::write::module::{WrittenFunction, WrittenRow, module};
use proptest::prelude::*;

fn row(offset: u32, file: u32, line: u32, inlined: Option<(&str, u32)>) -> WrittenRow {
    let inlined = inlined.map(|(name, caller)| (name.to_owned(), caller));
    WrittenRow { offset, file, line, inlined }
}

fn sample() -> Vec<u8> {
    let scale = WrittenFunction {
        name: "scale".to_owned(),
        size: 0x80,
        rows: vec![
            row(0x00, 0, 10, None),
            row(0x10, 0, 11, None),
            row(0x10, 1, 5, Some(("_ZN4math6squareEf", 2))),
            row(0x10, 1, 900, Some(("_ZN4math3mulEff", 3))),
            row(0x40, 0, 12, None),
        ],
    };
    let add = WrittenFunction {
        name: "add".to_owned(),
        size: 0x20,
        rows: vec![row(0, 0, 30, None), row(0, 1, 6, Some(("_ZN4math6squareEf", 1)))],
    };
    module(&[scale, add], &[("/src/k.cu".to_owned(), 400), ("/src/./m/../math.h".to_owned(), 0)])
}

fn lines(module: &Module, function: &str, offset: u32) -> Vec<(Option<String>, u32, u32)> {
    let function = module.function(function).unwrap();
    let name = |frame| module.inlined(frame).map(demangled);
    let frames = function.frames(offset).into_iter();
    frames.map(|frame| (name(frame), frame.line.file, frame.line.line)).collect()
}

#[test]
fn the_first_row_at_an_address_is_the_line_and_the_last_begins_the_chain_of_calls() {
    let module = Module::parse(&sample()).unwrap();
    let scale = module.function("scale").unwrap();
    assert_eq!(scale.line(0x08), Some(Line { file: 1, line: 10 }));
    assert_eq!(scale.line(0x30), Some(Line { file: 1, line: 11 }));
    assert_eq!(scale.line(0x7f), Some(Line { file: 1, line: 12 }));
    assert_eq!(scale.line(0x80), None);
    let square = Some("math::square".to_owned());
    let chain = [(Some("math::mul".to_owned()), 2, 900), (square.clone(), 2, 5), (None, 1, 11)];
    assert_eq!(lines(&module, "scale", 0x20), chain);
    // Callers are counted within their own sequence.
    assert_eq!(lines(&module, "add", 0x10), [(square, 2, 6), (None, 1, 30)]);
    let files: Vec<_> = module.files().iter().flatten().collect();
    assert_eq!(files[0].path, "/src/k.cu");
    assert_eq!((files[0].bytes, files[1].bytes), (Some(400), None));
    assert_eq!(files[1].path, "/src/math.h");
}

#[test]
fn what_is_no_module_says_why() {
    assert_eq!(Module::parse(b"").unwrap_err(), ModuleError::Empty);
    assert_eq!(Module::parse(b"no ELF at all").unwrap_err(), ModuleError::NotElf);
    let mut other = sample();
    other[18] = 62;
    assert_eq!(Module::parse(&other).unwrap_err(), ModuleError::Machine(62));
}

#[test]
fn a_cut_module_gives_less_and_never_panics() {
    let whole = sample();
    for length in 0..whole.len() {
        if let Ok(module) = Module::parse(&whole[..length]) {
            module.functions().iter().for_each(|function| drop(function.frames(0x10)));
        }
    }
}

#[test]
fn calls_that_lead_in_a_circle_or_nowhere_end() {
    let rows = vec![
        row(0, 0, 1, Some(("a", 2))),
        row(0, 0, 2, Some(("b", 1))),
        row(0, 0, 3, Some(("c", 3))),
        row(0, 0, 4, Some(("d", u32::MAX))),
    ];
    let function = WrittenFunction { name: "f".to_owned(), size: 16, rows };
    let bytes = module(&[function], &[("f.cu".to_owned(), 0)]);
    let module = Module::parse(&bytes).unwrap();
    assert_eq!(lines(&module, "f", 0), [(Some("d".to_owned()), 1, 4)]);
}

#[test]
fn names_and_paths_are_written_one_way() {
    assert_eq!(clean_path(r"C:\src\\a\.\k.cu"), "C:/src/a/k.cu");
    assert_eq!(clean_path("/a/b/../c//./d.h"), "/a/c/d.h");
    assert_eq!(clean_path("../x/../../y.h"), "../../y.h");
    assert_eq!(demangled("_ZN4math6squareEf"), "math::square");
    assert_eq!(demangled("triton_kernel"), "triton_kernel");
    let deep = format!("_Z{}", "P".repeat(100_000));
    assert_eq!(demangled(&deep), deep);
}

proptest! {
    #[test]
    fn damaged_modules_never_panic(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut bytes = sample();
        for (place, byte) in places {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(module) = Module::parse(&bytes) {
            for function in module.functions() {
                for offset in [0, 0x10, 0x7f, u32::MAX] {
                    let _ = (function.line(offset), module.ptx(function, offset));
                    function.frames(offset).into_iter().for_each(|frame| assert!(module.inlined(frame).is_none_or(|name| name.len() < bytes.len())));
                }
            }
        }
    }
}
