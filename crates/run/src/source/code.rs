//! The modules of reports, loaded when a launch of one of their kernels is met.

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use ncu_rep::source::{File, Module, ModuleError, Source, clean_path, demangled};
use rangescope_analyze::source::{CodeMap, LaunchCode, Place, Rolled};
use rangescope_model::document::{Note, NoteLevel};
use rangescope_read::Input;
use rangescope_read::results::CountedCode;
use rustc_hash::FxHashMap;

use super::sass::Disassembler;

/// Code whose function is not known is taken to end here.
const LARGEST_FUNCTION: u64 = 64 << 20;

#[derive(Debug, Default)]
pub(super) struct Modules {
    /// By input and the number that its report gives it.
    loaded: IndexMap<(usize, u64), Loaded>,
    functions: IndexMap<FunctionKey, ()>,
    paths: IndexSet<String>,
    /// Launches whose first address was only inferred.
    inferred: u64,
}

/// The place of the module, if there is one, and the mangled name.
type FunctionKey = (Option<usize>, String);

#[derive(Debug)]
struct Loaded {
    module: Result<Module, ModuleError>,
    /// By the module's own number of a file: the number here.
    files: Vec<Option<u32>>,
    source: Source,
    /// Names of inlined functions for people, by their place in the module.
    names: RefCell<FxHashMap<u32, Option<Arc<str>>>>,
}

/// The text of a file that a report holds, and how long the compiler saw it.
pub(super) struct Known<'a> {
    pub(super) text: Option<&'a str>,
    pub(super) bytes: Option<u64>,
}

impl Modules {
    /// The counts of a launch by offset in its function.
    pub(super) fn launch(
        &mut self,
        input: usize,
        from: &Input,
        counted: CountedCode,
    ) -> LaunchCode {
        let module = counted.module.and_then(|number| self.module(input, number, from));
        let function = self.functions.entry((module, counted.mangled));
        let id = u32::try_from(function.index()).unwrap_or(u32::MAX);
        let (_, name) = function.key().clone();
        function.or_default();
        let known = module.and_then(|place| self.module_at(place)?.function(&name));
        let length = known.map_or(LARGEST_FUNCTION, |function| u64::from(function.size));
        // A module that was saved from the device's memory says where its functions were.
        let stated = known.and_then(|function| function.address);
        let is_inside =
            |start: &u64| (*start..start.saturating_add(length)).contains(&counted.start);
        let start = stated.filter(is_inside);
        self.inferred += u64::from(start.is_none() && counted.start_inferred);
        let start = start.unwrap_or(counted.start);
        let mut launch = LaunchCode { function: id, ..LaunchCode::default() };
        for (name, counts) in counted.counters {
            let mut outside = 0_u64;
            let offset = |(address, value): &(u64, u64)| {
                let offset = address.checked_sub(start).filter(|offset| *offset < length);
                match offset.and_then(|offset| u32::try_from(offset).ok()) {
                    Some(offset) => Some((offset, *value)),
                    None => {
                        outside = outside.saturating_add(*value);
                        None
                    }
                }
            };
            let counts = counts.iter().filter_map(offset).collect();
            if rangescope_analyze::source::is_sample(&name) {
                launch.samples_outside = launch.samples_outside.saturating_add(outside);
            }
            launch.counters.push((name, counts));
        }
        launch
    }

    fn module(&mut self, input: usize, number: u64, from: &Input) -> Option<usize> {
        if let Some(place) = self.loaded.get_index_of(&(input, number)) {
            return Some(place);
        }
        let source = from.source.module(number)?;
        let module = Module::parse(&source.cubin);
        let files = module.as_ref().map_or_else(
            |_| Vec::new(),
            |module| {
                let number = |file: &Option<File>| {
                    let path = file.as_ref()?.path.as_str();
                    let place = match self.paths.get_index_of(path) {
                        Some(place) => place,
                        None => self.paths.insert_full(path.to_owned()).0,
                    };
                    u32::try_from(place).ok()
                };
                module.files().iter().map(number).collect()
            },
        );
        Some(
            self.loaded
                .insert_full(
                    (input, number),
                    Loaded { module, files, source, names: RefCell::default() },
                )
                .0,
        )
    }

    fn module_at(&self, place: usize) -> Option<&Module> {
        self.loaded.get_index(place)?.1.module.as_ref().ok()
    }

    fn function(&self, number: u32) -> Option<(&Loaded, &Module, &ncu_rep::source::Function)> {
        let ((place, name), ()) = self.functions.get_index(number as usize)?;
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

    /// Puts the instructions of all kernels into words.
    pub(super) fn disassemble(
        &self,
        disassembler: &Disassembler,
        rolled: &mut Rolled,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        for (place, (_, loaded)) in self.loaded.iter().enumerate() {
            let kernels = rolled.kernels.iter_mut().zip(&rolled.kernel_functions);
            let of_module = kernels.filter_map(|(kernel, function)| {
                let ((module, name), ()) = self.functions.get_index(*function as usize)?;
                (*module == Some(place)).then_some((kernel, name))
            });
            let mut of_module = of_module.peekable();
            if loaded.module.is_err() || of_module.peek().is_none() {
                continue;
            }
            let words = match disassembler.words(&loaded.source.cubin) {
                Ok(words) => words,
                Err(reason) => {
                    notes.push(Note::new(NoteLevel::Warning, "not-disassembled", reason));
                    continue;
                }
            };
            for (kernel, name) in of_module {
                let Some(words) = words.get(name) else { continue };
                for instruction in &mut kernel.instructions {
                    instruction.sass = words.get(&instruction.offset).cloned();
                }
            }
        }
        notes.sort();
        notes.dedup();
        notes
    }

    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.inferred > 0 {
            let message = format!(
                "The first address of the kernel is only inferred in {} launches, because `inst_executed` was not collected: lines may be off.",
                self.inferred
            );
            notes.push(Note::new(NoteLevel::Warning, "start-inferred", message));
        }
        notes
    }
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

    fn no_lines(&self, function: u32) -> Option<String> {
        let ((module, _), ()) = self.functions.get_index(function as usize)?;
        let loaded = module.and_then(|place| self.loaded.get_index(place));
        Some(match loaded.map(|(_, loaded)| &loaded.module) {
            None => "the report holds no code of the kernel".to_owned(),
            Some(Err(error)) => error.to_string(),
            Some(Ok(module)) if !module.has_lines() => {
                "it was built without line information; build with `nvcc -lineinfo` (Triton has it by default)".to_owned()
            }
            Some(Ok(_)) if self.function(function).is_none() => {
                "the kernel is not in the module that its result names".to_owned()
            }
            Some(Ok(_)) => return None,
        })
    }

    fn ptx(&self, function: u32, offset: u32) -> Option<String> {
        let (_, module, function) = self.function(function)?;
        module.ptx(function, offset)
    }
}
