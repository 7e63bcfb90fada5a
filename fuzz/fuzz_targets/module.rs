#![no_main]
//! Any bytes as the code of a module: an ELF file with line programs.

use libfuzzer_sys::fuzz_target;
use ncu_rep::source::{Module, demangled};

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = Module::parse(bytes) else { return };
    for function in module.functions().iter().take(8) {
        for offset in [0, 8, 16, 128, function.size.saturating_sub(1), u32::MAX] {
            let _ = (function.line(offset), module.ptx(function, offset));
            for frame in function.frames(offset) {
                let _ = module.inlined(frame).map(demangled);
            }
        }
    }
});
