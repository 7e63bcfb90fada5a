//! The code of announced kernels that say where they are in a source text: modules with a line table, whose instructions are guessed from the lines.

use std::collections::BTreeMap;

use ncu_rep::source::{LoadedFunction, Source};
use ncu_rep::write::module::module;

use super::guess::{Guess, guess};
use super::{
    ANNOUNCED, COMPUTE_CAPABILITY, Code, FIRST_ADDRESS, FUNCTION_DISTANCE, Frame, Instruction,
    Kind, written,
};
use crate::machine::Work;

/// More kernels of a process have no lines: a module has room for about 65 000 functions.
const MOST_KERNELS: usize = 10_000;
/// Guessed instructions of a kernel. With those that no line seems to be for there is room before the next function.
const MOST_GUESSED: usize = 200;

/// Where a kernel is in a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) file: String,
    /// The first and the last line, counted from 1.
    pub(crate) lines: (u32, u32),
    /// For lines of a function that the kernel calls: its name, and the kernel's line that has the call.
    pub(crate) inlined: Option<(String, u32)>,
}

/// A kernel that may be launched several times.
struct Kernel<'a> {
    origin: &'a Origin,
    /// What any of its launches does.
    needed: Vec<Kind>,
}

/// The modules of a process.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    pub(crate) sources: Vec<Source>,
    /// By mangled name.
    codes: BTreeMap<String, Code>,
}

impl Modules {
    /// Modules for launches, given by mangled name. They are numbered from `first` on. A kernel is where its first launch says.
    pub(crate) fn new<'a>(
        launches: impl Iterator<Item = (String, &'a Origin, &'a Work)>,
        first: u64,
        text_of: impl Fn(&str) -> Option<String>,
        keeps_texts: bool,
    ) -> Self {
        let mut kernels: BTreeMap<String, Kernel<'_>> = BTreeMap::new();
        for (name, origin, work) in launches {
            if kernels.len() >= MOST_KERNELS && !kernels.contains_key(&name) {
                continue;
            }
            let kernel =
                kernels.entry(name).or_insert_with(|| Kernel { origin, needed: Vec::new() });
            kernel.needed.extend(needed(work));
        }
        let mut files: BTreeMap<&str, Vec<(&str, &Kernel<'_>)>> = BTreeMap::new();
        for (name, kernel) in &kernels {
            files.entry(&kernel.origin.file).or_default().push((name, kernel));
        }
        let mut modules = Self::default();
        let mut starts = (1..).map(|number: u64| FIRST_ADDRESS + number * FUNCTION_DISTANCE);
        for (reference, (file, kernels)) in (first..).zip(files) {
            let text = text_of(file);
            let mut functions = Vec::new();
            let mut loaded = Vec::new();
            for (((name, kernel), start), symbol) in kernels.into_iter().zip(&mut starts).zip(1..) {
                let guesses = kernel.guesses(text.as_deref());
                let frames = guesses.iter().map(|one| kernel.origin.frames(one.line));
                functions.push(written(name.to_owned(), frames));
                loaded.push(LoadedFunction { name: name.to_owned(), address: start, symbol });
                let instructions = guesses.iter().map(Instruction::guessed).collect();
                modules
                    .codes
                    .insert(name.to_owned(), Code { instructions, start, module: Some(reference) });
            }
            let length = text.as_ref().map_or(0, String::len) as u64;
            modules.sources.push(Source {
                reference,
                cubin: module(&functions, &[(file.to_owned(), length)]),
                compute_capability: COMPUTE_CAPABILITY,
                files: text
                    .filter(|_| keeps_texts)
                    .map(|text| (file.to_owned(), text))
                    .into_iter()
                    .collect(),
                loaded,
                ..Source::default()
            });
        }
        modules
    }

    pub(crate) fn code(&self, mangled: &str) -> Code {
        self.codes.get(mangled).cloned().unwrap_or(Code::ANNOUNCED)
    }
}

/// The kinds of instructions that a launch has.
fn needed(work: &Work) -> impl Iterator<Item = Kind> {
    let has = |kind: Kind| match kind {
        Kind::Integer | Kind::Control => true,
        Kind::Load => work.bytes_read > 0.0,
        Kind::Store => work.bytes_written > 0.0,
        Kind::SharedLoad | Kind::SharedStore => work.shared > 0,
        Kind::Math => work.flops > 0.0 && !work.tensor,
        Kind::Tensor => work.flops > 0.0 && work.tensor,
    };
    ANNOUNCED.iter().map(|one| one.kind).filter(move |kind| has(*kind))
}

impl Origin {
    fn frames(&self, line: u32) -> Vec<Frame> {
        let Some((function, call)) = &self.inlined else {
            return vec![Frame { line, inlined: None }];
        };
        let inlined = Some(function.clone());
        vec![Frame { line: *call, inlined: None }, Frame { line, inlined }]
    }
}

impl Kernel<'_> {
    /// The instructions by line. What the kernel does and no line seems to do is put where something like it is done.
    fn guesses(&self, text: Option<&str>) -> Vec<Guess> {
        let (first, last) = self.origin.lines;
        let mut found = text.map(|text| guess(text, (first, last))).unwrap_or_default();
        found.retain(|one| self.needed.contains(&one.kind));
        found.truncate(MOST_GUESSED);
        let seen = found.clone();
        let ends = seen.first().zip(seen.last()).map(|(a, b)| (a.line, b.line));
        let (start, end) = ends.unwrap_or((first, last));
        for (kind, line) in ANNOUNCED.iter().map(|one| one.kind).zip(spread(start, end)) {
            if !self.needed.contains(&kind) || seen.iter().any(|one| one.kind == kind) {
                continue;
            }
            let like = seen.iter().filter(|one| like(kind).contains(&one.kind));
            let (line, weight) = like
                .max_by(|a, b| a.weight.total_cmp(&b.weight))
                .map_or((line, 1.0), |one| (one.line, one.weight));
            found.push(Guess { line, kind, weight });
        }
        // Addresses follow the lines, as they do in code that no compiler moved.
        found.sort_by_key(|one| one.line);
        found
    }
}

/// Kinds of instructions that stand where these are.
fn like(kind: Kind) -> &'static [Kind] {
    match kind {
        Kind::SharedStore => &[Kind::Load],
        Kind::SharedLoad | Kind::Load => &[Kind::Math, Kind::Tensor],
        Kind::Tensor => &[Kind::Math],
        Kind::Math => &[Kind::Tensor, Kind::Load],
        Kind::Integer | Kind::Store | Kind::Control => &[],
    }
}

/// Lines from the first to the last, one for each kind of instruction in their order.
fn spread(first: u32, last: u32) -> impl Iterator<Item = u32> {
    let steps = ANNOUNCED.len().saturating_sub(1).max(1) as u64;
    let distance = u64::from(last.saturating_sub(first));
    (0..=steps).map(move |step| {
        first.saturating_add(u32::try_from(distance * step / steps).unwrap_or_default())
    })
}

impl Instruction {
    fn guessed(guess: &Guess) -> Self {
        Self { kind: guess.kind, weight: guess.weight, ideal: 1.0, at: &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::INSTRUCTION;
    use ncu_rep::source::{Module, demangled};

    const TEXT: &str = "void scale(float *x) {\n  int i = 2 * id;\n  x[i] = x[i] * 2.0f;\n}\n";

    fn origin(lines: (u32, u32), inlined: Option<(&str, u32)>) -> Origin {
        let inlined = inlined.map(|(name, line)| (name.to_owned(), line));
        Origin { file: "scale.cu".to_owned(), lines, inlined }
    }

    /// The lines of the instructions by kind, and the functions that were inlined.
    fn lines(origin: &Origin, text: Option<&str>, work: &Work) -> (Vec<(Kind, u32)>, Vec<String>) {
        let launches = [("_Z5scale".to_owned(), origin, work)].into_iter();
        let modules = Modules::new(launches, 7, |_| text.map(str::to_owned), true);
        let code = modules.code("_Z5scale");
        assert_eq!((code.module, modules.sources[0].reference), (Some(7), 7));
        assert_eq!(modules.sources[0].files.len(), usize::from(text.is_some()));
        let module = Module::parse(&modules.sources[0].cubin, &modules.sources[0].loaded).unwrap();
        let function = module.function("_Z5scale").unwrap();
        let mut inlined = Vec::new();
        let line = |(number, one): (u32, &Instruction)| {
            let frames = function.frames(number * INSTRUCTION);
            inlined.extend(frames.iter().filter_map(|frame| module.inlined(*frame).map(demangled)));
            (one.kind, frames[0].line.line)
        };
        ((0..).zip(code.instructions.iter()).map(line).collect(), inlined)
    }

    #[test]
    fn instructions_are_on_the_lines_that_do_what_they_do() {
        let work = Work { flops: 1e6, bytes_read: 1e6, bytes_written: 1e6, ..Work::default() };
        let expected = [
            (Kind::Integer, 2),
            (Kind::Load, 3),
            (Kind::Math, 3),
            (Kind::Store, 3),
            (Kind::Control, 3),
        ];
        assert_eq!(lines(&origin((1, 4), None), Some(TEXT), &work).0, expected);
        let (found, inlined) = lines(&origin((1, 4), Some(("helper", 9))), Some(TEXT), &work);
        assert_eq!((found.as_slice(), inlined.len()), (&expected[..], expected.len()));
        assert!(inlined.iter().all(|name| name == "helper"));
    }

    #[test]
    fn without_a_text_the_lines_are_shared_out() {
        let work = Work { flops: 1e6, tensor: true, shared: 8, ..Work::default() };
        for text in [None, Some("")] {
            let (found, _) = lines(&origin((10, 24), None), text, &work);
            assert_eq!(found.first(), Some(&(Kind::Integer, 10)));
            assert_eq!(found.last(), Some(&(Kind::Control, 24)));
            assert_eq!(found.len(), 5);
        }
        let (found, _) = lines(&origin((1, u32::MAX), None), None, &work);
        assert_eq!(found.last(), Some(&(Kind::Control, u32::MAX)));
    }

    #[test]
    fn a_long_text_has_room_before_the_next_function() {
        let text = "x[i] = x[i] * y[i];\n".repeat(5000);
        let work = Work { flops: 1e6, bytes_read: 1e6, shared: 8, ..Work::default() };
        let (found, _) = lines(&origin((1, 5000), None), Some(&text), &work);
        assert!(found.len() as u64 * u64::from(INSTRUCTION) <= FUNCTION_DISTANCE);
    }
}
