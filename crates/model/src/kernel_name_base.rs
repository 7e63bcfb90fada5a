//! Which of a kernel's names is meant.

crate::words! {
    /// Which of a kernel's names is shown, and which filters look at.
    KernelNameBase {
        /// The function name without arguments.
        Function = "function",
        /// The demangled name with arguments; the function name where that is empty.
        #[default]
        Demangled = "demangled",
        /// The mangled name; the function name where that is empty.
        Mangled = "mangled",
    }
}

impl KernelNameBase {
    /// The name of a kernel in this base.
    pub fn of<'n>(self, function: &'n str, demangled: &'n str, mangled: &'n str) -> &'n str {
        let name = match self {
            Self::Function => function,
            Self::Demangled => demangled,
            Self::Mangled => mangled,
        };
        if name.is_empty() { function } else { name }
    }
}
