//! The modules of reports, loaded when a launch of one of their kernels is met.

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use ncu_rep::source::{File, Module, Source, clean_path, demangled};
use rangescope_analyze::source::{CodeMap, LaunchCode, Place, Spot};
use rangescope_model::document::{Note, NoteLevel};
use rangescope_read::Input;
use rangescope_read::results::CountedCode;
use rustc_hash::{FxHashMap, FxHashSet};

use super::sass::{Disassembler, Words};

/// Lists every instruction of a kernel, and what it calls.
const EXECUTED: &str = "inst_executed";
const NO_MODULE: &str = "the report holds no code of the kernel";
const AMBIGUOUS: &str = "the report holds several modules under the number that the result names";

#[derive(Debug, Default)]
pub(super) struct Modules {
    /// By input and the number that its report gives it.
    loaded: IndexMap<(usize, u64), Loaded>,
    functions: IndexSet<FunctionKey>,
    paths: IndexSet<String>,
    /// Why instructions are not known.
    reasons: IndexSet<String>,
}

/// The place of the module, if there is one, and the mangled name.
type FunctionKey = (Option<usize>, String);

#[derive(Debug)]
struct Loaded {
    module: Result<Module, String>,
    /// By the module's own number of a file: the number here.
    files: Vec<Option<u32>>,
    /// By the module's own position of a function: the number here, of those that were met.
    functions: FxHashMap<usize, u32>,
    source: Source,
    /// Names of inlined functions for people, by their place in the module.
    names: RefCell<FxHashMap<u32, Option<Arc<str>>>>,
    /// Instructions in words.
    words: Words,
}

/// The text of a file that a report holds, and how long the compiler saw it.
pub(super) struct Known<'a> {
    pub(super) text: Option<&'a str>,
    pub(super) bytes: Option<u64>,
}

impl Modules {
    /// The counts of a launch by instruction.
    pub(super) fn launch(
        &mut self,
        input: usize,
        from: &Input,
        counted: CountedCode,
    ) -> LaunchCode {
        let CountedCode { module, mangled, counters } = counted;
        let place = module.and_then(|number| self.module(input, number, from));
        let outcome = self.certain(place, &mangled, &counters);
        let (function, _) = self.functions.insert_full((place, mangled));
        let mut launch = LaunchCode { kernel: short(function), ..LaunchCode::default() };
        let all_unknown = outcome.err().map(|reason| self.unknown(reason));
        for (name, counts) in counters {
            let spot = |(address, value): (u64, u64)| {
                (all_unknown.unwrap_or_else(|| self.spot(place, address)), value)
            };
            let counts = counts.into_iter().map(spot).collect();
            launch.counters.push((name, counts));
        }
        launch
    }

    /// Whether it is certain where a kernel was, or why not.
    fn certain(
        &self,
        place: Option<usize>,
        mangled: &str,
        counters: &[(String, Vec<(u64, u64)>)],
    ) -> Result<(), String> {
        let loaded = place.and_then(|place| self.loaded.get_index(place));
        let (_, loaded) = loaded.ok_or_else(|| NO_MODULE.to_owned())?;
        let module = loaded.module.as_ref().map_err(Clone::clone)?;
        let executed = counters.iter().find(|(name, _)| name == EXECUTED);
        let executed = executed.map(|(_, counts)| counts.iter().map(|(address, _)| *address));
        module.kernel(mangled, executed).map(drop).map_err(|unplaced| unplaced.to_string())
    }

    /// The instruction at an address of a module.
    fn spot(&mut self, place: Option<usize>, address: u64) -> Spot {
        let loaded = place.and_then(|place| self.loaded.get_index_mut(place));
        let Some((module, loaded)) = loaded
            .and_then(|(_, loaded)| Some((loaded.module.as_ref().ok()?, &mut loaded.functions)))
        else {
            return self.unknown(NO_MODULE.to_owned());
        };
        let at = match module.place(address) {
            Ok(at) => at,
            Err(unplaced) => return self.unknown(unplaced.to_string()),
        };
        let function = loaded.entry(at.function).or_insert_with(|| {
            let name = module.functions().get(at.function).map(|function| function.name.clone());
            short(self.functions.insert_full((place, name.unwrap_or_default())).0)
        });
        Spot::Instruction { function: *function, offset: at.offset }
    }

    fn unknown(&mut self, reason: String) -> Spot {
        Spot::Unknown { reason: short(self.reasons.insert_full(reason).0) }
    }

    fn module(&mut self, input: usize, number: u64, from: &Input) -> Option<usize> {
        if let Some(place) = self.loaded.get_index_of(&(input, number)) {
            return Some(place);
        }
        let source = from.source.module(number)?;
        let module = if source.is_ambiguous {
            Err(AMBIGUOUS.to_owned())
        } else {
            Module::parse(&source.cubin, &source.loaded).map_err(|error| error.to_string())
        };
        let number_of = |file: &Option<File>| {
            let path = file.as_ref()?.path.as_str();
            let place = match self.paths.get_index_of(path) {
                Some(place) => place,
                None => self.paths.insert_full(path.to_owned()).0,
            };
            u32::try_from(place).ok()
        };
        let files = module.iter().flat_map(Module::files).map(number_of).collect();
        let loaded = Loaded {
            module,
            files,
            functions: FxHashMap::default(),
            source,
            names: RefCell::default(),
            words: Words::default(),
        };
        Some(self.loaded.insert_full((input, number), loaded).0)
    }

    fn function(&self, number: u32) -> Option<(&Loaded, &Module, &ncu_rep::source::Function)> {
        let (place, name) = self.functions.get_index(number as usize)?;
        let (_, loaded) = self.loaded.get_index((*place)?)?;
        let module = loaded.module.as_ref().ok()?;
        Some((loaded, module, module.function(name)?))
    }

    /// What the reports know of a file.
    pub(super) fn known(&self, path: &str) -> Known<'_> {
        let mut known = Known { text: None, bytes: None };
        for loaded in self.loaded.values() {
            let embedded = loaded.source.files.iter().find(|(name, text)| {
                !text.is_empty() && (name == path || clean_path(name) == path)
            });
            known.text = known.text.or(embedded.map(|(_, text)| text.as_str()));
            let files = loaded.module.iter().flat_map(Module::files).flatten();
            let seen = files.filter(|file| file.path == path).find_map(|file| file.bytes);
            known.bytes = known.bytes.or(seen);
        }
        known
    }

    /// Puts the instructions of all functions that were met into words.
    pub(super) fn disassemble(&mut self, disassembler: &Disassembler) -> Vec<Note> {
        let mut notes = Vec::new();
        for loaded in self.loaded.values_mut() {
            let Ok(module) = &loaded.module else { continue };
            let met = |position: &usize| Some(module.functions().get(*position)?.name.as_str());
            let names: FxHashSet<&str> = loaded.functions.keys().filter_map(met).collect();
            if names.is_empty() {
                continue;
            }
            match disassembler.words(&loaded.source.cubin) {
                Ok(mut words) => {
                    words.retain(|name, _| names.contains(name.as_str()));
                    loaded.words = words;
                }
                Err(reason) => {
                    notes.push(Note::new(NoteLevel::Warning, "not-disassembled", reason));
                }
            }
        }
        notes.sort();
        notes.dedup();
        notes
    }
}

fn short(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

impl CodeMap for Modules {
    fn line(&self, function: u32, offset: u32) -> Option<Place> {
        let (loaded, _, function) = self.function(function)?;
        let line = function.line(offset)?;
        Some((loaded.files.get(line.file as usize).copied().flatten()?, line.line))
    }

    fn frames(&self, function: u32, offset: u32) -> Vec<(Place, Option<Arc<str>>)> {
        let Some((loaded, module, function)) = self.function(function) else { return Vec::new() };
        let frame = |frame: &ncu_rep::source::Frame| {
            let file = loaded.files.get(frame.line.file as usize).copied().flatten()?;
            let mut names = loaded.names.borrow_mut();
            let name = names
                .entry(frame.name)
                .or_insert_with(|| module.inlined(*frame).map(|name| demangled(name).into()));
            Some(((file, frame.line.line), name.clone()))
        };
        function.frames(offset).iter().filter_map(frame).collect()
    }

    fn path(&self, file: u32) -> &str {
        self.paths.get_index(file as usize).map_or("", String::as_str)
    }

    fn name(&self, function: u32) -> Arc<str> {
        let key = self.functions.get_index(function as usize);
        key.map_or_else(String::new, |(_, name)| demangled(name)).into()
    }

    fn no_lines(&self, function: u32) -> Option<String> {
        let (_, module, function) = self.function(function)?;
        let reason = if !module.has_line_table() {
            "it was built without line information; build with `nvcc -lineinfo` (Triton has it by default)"
        } else if !module.has_lines() {
            "the line table of its module leads nowhere, or is damaged"
        } else if !function.has_lines() {
            "the line table of its module has no lines of it"
        } else {
            return None;
        };
        Some(reason.to_owned())
    }

    fn reason(&self, reason: u32) -> String {
        self.reasons.get_index(reason as usize).cloned().unwrap_or_default()
    }

    fn ptx(&self, function: u32, offset: u32) -> Option<String> {
        let (_, module, function) = self.function(function)?;
        module.ptx(function, offset)
    }

    fn sass(&self, function: u32, offset: u32) -> Option<String> {
        let (loaded, _, function) = self.function(function)?;
        loaded.words.get(&function.name)?.get(&offset).cloned()
    }
}
