//! The function's name inside a demangled kernel name.
//!
//! CSV pages print one name per kernel, usually the demangled one with namespaces, template arguments and parameters. The bare function name is what reports store beside it, and it is
//! found again by taking those parts off. What is no C++ name is its own function name.

pub(super) fn bare(demangled: &str) -> &str {
    let name = without_parameters(demangled.trim());
    let name = without_template(name);
    let from = last_outside(name).map_or(0, |separator| separator + 1);
    match name.get(from..) {
        Some(bare) if !bare.is_empty() => bare,
        _ => demangled,
    }
}

/// Takes the parameter list off the end.
fn without_parameters(name: &str) -> &str {
    before_bracket(name.strip_suffix(" const").unwrap_or(name), b'(', b')')
}

/// Takes template arguments off the end.
fn without_template(name: &str) -> &str {
    before_bracket(name, b'<', b'>')
}

/// What is before the last pair of brackets, if the name ends with it and something is left. Operators are called by brackets and stay.
fn before_bracket(name: &str, open: u8, close: u8) -> &str {
    let before = match name.as_bytes().last() {
        Some(last) if *last == close => {
            opening(name, open, close).and_then(|place| name.get(..place))
        }
        _ => None,
    };
    before
        .map(str::trim_end)
        .filter(|before| !before.is_empty() && !before.ends_with("operator"))
        .unwrap_or(name)
}

/// The position of the bracket that the last one closes.
fn opening(name: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    name.bytes().enumerate().rev().find_map(|(place, byte)| {
        if byte == close {
            depth += 1;
        } else if byte == open {
            depth -= 1;
            return (depth == 0).then_some(place);
        }
        None
    })
}

/// The last blank or colon that is not inside brackets: what is before it is a type or a namespace.
fn last_outside(name: &str) -> Option<usize> {
    let mut depth = 0_usize;
    name.bytes().enumerate().rev().find_map(|(place, byte)| {
        match byte {
            b')' | b'>' | b']' | b'}' => depth += 1,
            b'(' | b'<' | b'[' | b'{' => depth = depth.saturating_sub(1),
            b' ' | b':' if depth == 0 => return Some(place),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn names_are_laid_bare() {
        for (demangled, function) in [
            ("init_data_kernel(int, double *)", "init_data_kernel"),
            ("void cutlass::Kernel<cutlass::gemm::Gemm<(int)32, a<b>>>(T1::Params)", "Kernel"),
            ("enable_if<!T7, void>::type kernel<int, x<int>>(T13)", "kernel"),
            ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"),
            ("void (anonymous namespace)::softmax<float>(float *)", "softmax"),
            ("copy_blocked[v1](Array<long long>)", "copy_blocked[v1]"),
            ("void f<x<y>(T1)::[lambda() (instance 1)]::operator ()() const>(T1)", "f"),
            ("range", "range"),
            ("", ""),
            ("()", "()"),
        ] {
            assert_eq!(bare(demangled), function);
        }
    }
}
