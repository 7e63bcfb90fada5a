use super::{At, Line, LoadedFunction, Module, ModuleError, Unplaced, clean_path, demangled};
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
    let module = Module::parse(&sample(), &[]).unwrap();
    let scale = module.function("scale").unwrap();
    assert_eq!(scale.line(0x08), Some(Line { file: 1, line: 10 }));
    assert_eq!(scale.line(0x30), Some(Line { file: 1, line: 11 }));
    assert_eq!(scale.line(0x7f), Some(Line { file: 1, line: 12 }));
    // Behind is the branch to itself.
    assert_eq!(scale.line(0x90), None);
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
    assert_eq!(Module::parse(b"", &[]).unwrap_err(), ModuleError::Empty);
    assert_eq!(Module::parse(b"no ELF at all", &[]).unwrap_err(), ModuleError::NotElf);
    let mut other = sample();
    other[18] = 62;
    assert_eq!(Module::parse(&other, &[]).unwrap_err(), ModuleError::Machine(62));
}

#[test]
fn a_cut_module_gives_less_and_never_panics() {
    let whole = sample();
    for length in 0..whole.len() {
        if let Ok(module) = Module::parse(&whole[..length], &[]) {
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
    let module = Module::parse(&bytes, &[]).unwrap();
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

/// Where the functions of the sample are said to be.
fn loaded(scale: u64, add: u64) -> Vec<LoadedFunction> {
    let function = |(name, address, symbol): (&str, u64, u32)| LoadedFunction {
        name: name.to_owned(),
        address,
        symbol,
    };
    [("scale", scale, 1), ("add", add, 2)].map(function).to_vec()
}

const SCALE: u64 = 0x7f_0000_1000;

fn placed(loaded: &[LoadedFunction]) -> Module {
    Module::parse(&sample(), loaded).unwrap()
}

/// The kernel, with these instructions counted.
fn kernel(module: &Module, executed: impl IntoIterator<Item = u64>) -> Result<usize, Unplaced> {
    module.kernel("scale", Some(executed.into_iter().map(|offset| SCALE + offset)))
}

#[test]
fn an_address_is_in_the_function_that_was_loaded_there() {
    // What a kernel calls may lie before it.
    let module = placed(&loaded(SCALE, SCALE - 0x1000));
    assert_eq!(module.place(SCALE + 0x10), Ok(At { function: 0, offset: 0x10 }));
    assert_eq!(module.place(SCALE - 0x1000), Ok(At { function: 1, offset: 0 }));
    assert_eq!(module.place(SCALE - 0x10), Err(Unplaced::Outside));
    assert_eq!(module.place(SCALE + 0x90), Err(Unplaced::Outside));
    assert_eq!(module.place(SCALE + 0x8), Err(Unplaced::Misaligned));
    assert_eq!(module.place(u64::MAX), Err(Unplaced::Outside));
    assert_eq!(module.kernel("scale", None::<std::iter::Empty<u64>>), Ok(0));
    assert_eq!(module.kernel("other", None::<std::iter::Empty<u64>>), Err(Unplaced::NoKernel));
}

#[test]
fn a_kernel_is_certain_if_every_instruction_but_its_last_was_counted() {
    let module = placed(&loaded(SCALE, SCALE - 0x1000));
    let whole = || (0..0x80).step_by(16);
    // In any order, and with what it calls.
    assert_eq!(kernel(&module, [0x5000].into_iter().chain(whole())), Ok(0));
    for other in [0x80, 8, 0x88] {
        assert_eq!(kernel(&module, whole().chain([other])), Err(Unplaced::OtherCode), "{other}");
    }
    assert_eq!(kernel(&module, whole().skip(1)), Err(Unplaced::OtherCode));
    assert_eq!(kernel(&module, whole().take(4)), Err(Unplaced::OtherCode));
    assert_eq!(kernel(&module, []), Err(Unplaced::OtherCode));
}

#[test]
fn what_contradicts_itself_is_placed_nowhere() {
    let no_place = |what: &str, loaded: &[LoadedFunction]| {
        let module = placed(loaded);
        let unknown = kernel(&module, (0..0x80).step_by(16)).unwrap_err();
        assert_eq!(unknown, Unplaced::NoAddress, "{what}");
        assert!(
            module.place(SCALE).is_err() || module.place(SCALE).unwrap().function != 0,
            "{what}"
        );
    };
    let good = loaded(SCALE, SCALE - 0x1000);
    no_place("nothing is stated", &[]);
    no_place("only the other one is stated", &good[1..]);
    let mut twice = good.clone();
    twice.push(LoadedFunction { address: SCALE + 0x1000, ..good[0].clone() });
    no_place("two addresses", &twice);
    let changed = |change: fn(&mut LoadedFunction)| {
        let mut changed = good.clone();
        change(&mut changed[0]);
        changed
    };
    no_place("the table of symbols is shorter", &changed(|one| one.symbol = 3));
    no_place("no symbol at all", &changed(|one| one.symbol = 0));
    no_place("far beyond", &changed(|one| one.symbol = u32::MAX));
    no_place("another name", &changed(|one| one.name = "add".to_owned()));
    no_place("the symbol of another function", &changed(|one| one.symbol = 2));
    no_place("between instructions", &changed(|one| one.address += 8));
    // A good statement does not outweigh a bad one.
    let mut doubtful = good.clone();
    doubtful.push(LoadedFunction { name: "no such name".to_owned(), ..good[0].clone() });
    no_place("a second name", &doubtful);
    let mut same = good.clone();
    same.push(good[0].clone());
    assert!(kernel(&placed(&same), (0..0x80).step_by(16)).is_ok());
}

#[test]
fn functions_at_the_end_of_memory_or_over_each_other_are_unknown() {
    let end = placed(&loaded(u64::MAX - 0xf, SCALE));
    assert_eq!(end.place(u64::MAX - 0xf), Err(Unplaced::Outside));
    let last = placed(&loaded(u64::MAX - 0x9f, SCALE));
    assert_eq!(last.place(u64::MAX - 0x1f), Ok(At { function: 0, offset: 0x80 }));
    // Both begin at one address, with different lines.
    let over = placed(&loaded(SCALE, SCALE));
    assert_eq!(over.place(SCALE), Err(Unplaced::Ambiguous));
    assert_eq!(over.place(SCALE + 0x40), Ok(At { function: 0, offset: 0x40 }));
    let within = placed(&loaded(SCALE, SCALE + 0x40));
    assert_eq!(within.place(SCALE + 0x50), Err(Unplaced::Ambiguous));
    assert_eq!(within.place(SCALE + 0x70), Ok(At { function: 0, offset: 0x70 }));
}

#[test]
fn many_functions_at_one_address_are_given_up() {
    let functions: Vec<_> = (0..100)
        .map(|number| WrittenFunction { name: format!("f{number}"), size: 32, rows: Vec::new() })
        .collect();
    let loaded: Vec<_> = (1..)
        .zip(&functions)
        .map(|(symbol, function)| LoadedFunction {
            name: function.name.clone(),
            address: SCALE,
            symbol,
        })
        .collect();
    let bytes = module(&functions, &[]);
    assert_eq!(Module::parse(&bytes, &loaded).unwrap().place(SCALE), Err(Unplaced::Ambiguous));
    // A few of which none has lines do not disagree.
    assert!(Module::parse(&bytes, &loaded[..9]).unwrap().place(SCALE).is_ok());
}

/// Places of 64 bits in the ELF file that hold this, for what a module is changed by.
fn write_at(bytes: &mut [u8], place: usize, value: u64) {
    bytes[place..place + 8].copy_from_slice(&value.to_le_bytes());
}

/// The sample as it is saved from the device's memory: symbols hold addresses, and so do the sequences of lines where `stored`.
fn relocated(stored: bool, scale: u64, add: u64) -> Vec<u8> {
    let mut bytes = sample();
    let symbols = section(&bytes, 3);
    write_at(&mut bytes, symbols + 24 + 8, scale);
    write_at(&mut bytes, symbols + 48 + 8, add);
    let (lines, relocations) = (section(&bytes, 4), section(&bytes, 6));
    for (number, address) in [scale, add].into_iter().enumerate().filter(|_| stored) {
        let place = relocations + number * 16;
        let at = usize::from(u16::from_le_bytes([bytes[place], bytes[place + 1]]));
        write_at(&mut bytes, lines + at, address);
    }
    bytes
}

/// Where the bytes of a section are.
fn section(bytes: &[u8], number: usize) -> usize {
    let long = |at: usize| {
        usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap()
    };
    long(long(40) + number * 64 + 24)
}

#[test]
fn modules_that_were_saved_from_memory_say_themselves_where_they_were() {
    for stored in [true, false] {
        let module = Module::parse(&relocated(stored, SCALE, SCALE - 0x1000), &[]).unwrap();
        assert_eq!(kernel(&module, (0..0x80).step_by(16)), Ok(0));
        assert_eq!(module.place(SCALE - 0xff0), Ok(At { function: 1, offset: 0x10 }));
        let line = |name: &str, offset| module.function(name).unwrap().line(offset).unwrap().line;
        assert_eq!((line("scale", 0x40), line("add", 0x10)), (12, 30), "{stored}");
    }
    // What is smaller than its section is an offset.
    let module = Module::parse(&relocated(false, 0x80, SCALE), &[]).unwrap();
    assert_eq!(kernel(&module, []), Err(Unplaced::NoAddress));
    // What a report states counts more than what a module holds.
    let stated = loaded(SCALE + 0x40, SCALE);
    let module = Module::parse(&relocated(false, 0x40, 0), &stated).unwrap();
    assert_eq!(kernel(&module, (0..0x80).step_by(16)), Ok(0));
}

#[test]
fn an_address_that_leads_nowhere_loses_its_own_lines_alone() {
    let mut bytes = sample();
    let relocation = section(&bytes, 6);
    // The symbol of the first one is none.
    write_at(&mut bytes, relocation + 8, 99 << 32 | 2);
    let module = Module::parse(&bytes, &[]).unwrap();
    assert!(!module.function("scale").unwrap().has_lines());
    assert_eq!(module.function("add").unwrap().line(0).map(|line| line.line), Some(30));
}

proptest! {
    #[test]
    fn damaged_modules_never_panic(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut bytes = sample();
        for (place, byte) in places {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        for loaded in [Vec::new(), loaded(SCALE, SCALE - 0x1000)] {
            let Ok(module) = Module::parse(&bytes, &loaded) else { continue };
            let _ = (module.place(SCALE), kernel(&module, [0, 16]));
            for function in module.functions() {
                for offset in [0, 0x10, 0x7f, u32::MAX] {
                    let _ = (function.line(offset), module.ptx(function, offset));
                    function.frames(offset).into_iter().for_each(|frame| assert!(module.inlined(frame).is_none_or(|name| name.len() < bytes.len())));
                }
            }
        }
    }
}
