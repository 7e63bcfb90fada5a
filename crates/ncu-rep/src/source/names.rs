//! Names of functions for people.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// A longer name is left as it is: it would take more memory than it is worth.
const LONGEST: usize = 16 << 10;
/// Calls within calls of the parser.
const DEPTH: u32 = 192;

/// The name of a C++ function without its parameters and return type; what is not mangled, or cannot be read, stays as it is.
pub fn demangled(name: &str) -> String {
    let options = ParseOptions::default().recursion_limit(DEPTH);
    let shown = DemangleOptions::default().no_params().no_return_type().recursion_limit(DEPTH);
    // The parser takes `d` for `double`, which is a name for others.
    let is_mangled = name.starts_with("_Z") && name.len() <= LONGEST;
    let symbol = is_mangled.then(|| Symbol::new_with_options(name, &options).ok());
    let demangled = symbol.flatten().and_then(|symbol| symbol.demangle_with_options(&shown).ok());
    demangled.filter(|text| text.len() <= LONGEST).unwrap_or_else(|| name.to_owned())
}
