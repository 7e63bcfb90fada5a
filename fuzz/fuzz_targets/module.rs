#![no_main]
//! Any bytes as the code of a module, an ELF file with line programs, and where its functions were loaded.

use libfuzzer_sys::fuzz_target;
use ncu_rep::source::{LoadedFunction, Module, demangled};

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = Module::parse(bytes, &[]) else { return };
    look(&module);
    // The names are right, and the end of the file says where they were.
    let addresses = bytes.rchunks(8).filter_map(|last| last.try_into().ok()).map(u64::from_le_bytes);
    let names = module.functions().iter().map(|function| function.name.clone());
    let loaded = names.zip(addresses).zip(1..);
    let loaded: Vec<_> = loaded
        .map(|((name, address), symbol)| LoadedFunction { name, address, symbol })
        .collect();
    if let Ok(module) = Module::parse(bytes, &loaded) {
        look(&module);
    }
});

fn look(module: &Module) {
    for function in module.functions().iter().take(8) {
        let start = function.address.unwrap_or(0);
        let _ = (module.place(start), module.kernel(&function.name, Some([start, start.wrapping_add(16)].into_iter())));
        for offset in [0, 8, 16, 128, function.size.saturating_sub(1), u32::MAX] {
            let _ = (function.line(offset), module.ptx(function, offset));
            for frame in function.frames(offset) {
                let _ = module.inlined(frame).map(demangled);
            }
        }
    }
}
