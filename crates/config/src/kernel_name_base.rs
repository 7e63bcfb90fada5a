//! The kernel name base.

use crate::words::words;

words! {
    /// Which of a kernel's names filters look at.
    KernelNameBase {
        /// The function name without arguments.
        Function = "function",
        /// The demangled name with arguments.
        #[default]
        Demangled = "demangled",
        /// The mangled name.
        Mangled = "mangled",
    }
}
