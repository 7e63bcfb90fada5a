//! The text of the kernels, and where each of them is in it.

use serde::Serialize;

use crate::kernel::Kernel;

/// The name that compilers and simulated devices get to know the text by.
pub(crate) const FILE: &str = "kernels.cu";
pub(crate) const TEXT: &str = include_str!("device/cuda/kernels.cu");

/// How definitions of kernels begin, and the function that does a kernel's work where the definition only calls it.
const DEFINITIONS: [(&str, Option<&str>); 5] = [
    ("__global__ void ", None),
    ("CONVOLUTION(", Some("convolve")),
    ("PRODUCT(", Some("multiply")),
    ("ELEMENTWISE_1(", None),
    ("ELEMENTWISE_2(", None),
];

/// The lines that a kernel is made from.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    file: &'static str,
    /// The first and the last one, counted from 1.
    lines: [u32; 2],
    /// The inlined function that has these lines, and the kernel's line that calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    called_at: Option<u32>,
}

/// Where a kernel is in the text.
pub(crate) fn place(kernel: Kernel) -> Option<Place> {
    let (number, (_, function)) = numbered().find_map(|(number, line)| {
        Some((number, definition(line).filter(|(name, _)| *name == kernel.name())?))
    })?;
    let start = match function {
        Some(function) => {
            let head = format!("__device__ inline void {function}(");
            numbered().find(|(_, line)| line.starts_with(&head))?.0
        }
        None => number,
    };
    Some(Place {
        file: FILE,
        lines: [start, end(start)],
        function,
        called_at: function.map(|_| number),
    })
}

fn numbered() -> impl Iterator<Item = (u32, &'static str)> {
    (1..).zip(TEXT.lines())
}

/// The kernel that a line begins to define, with the function that does its work.
fn definition(line: &'static str) -> Option<(&'static str, Option<&'static str>)> {
    let (rest, function) = DEFINITIONS
        .iter()
        .find_map(|(start, function)| Some((line.strip_prefix(start)?, *function)))?;
    Some((rest.get(..rest.find([',', '('])?)?, function))
}

/// The last line of a definition that begins at a line: of one with a body the brace that stands alone, else the same.
fn end(start: u32) -> u32 {
    let mut lines = numbered().skip_while(|(number, _)| *number < start).peekable();
    let has_body = lines
        .peek()
        .is_some_and(|(_, line)| line.starts_with("__") && !line.trim_end().ends_with('}'));
    if !has_body {
        return start;
    }
    lines.find(|(_, line)| *line == "}").map_or(start, |(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_defines_exactly_the_kernels() {
        let mut named: Vec<&str> = Kernel::all().into_iter().map(Kernel::name).collect();
        let mut defined: Vec<&str> =
            TEXT.lines().filter_map(|line| Some(definition(line)?.0)).collect();
        named.sort_unstable();
        defined.sort_unstable();
        assert_eq!(named, defined);
        named.dedup();
        assert_eq!(named.len(), 26);
    }

    #[test]
    fn places_hold_what_they_are_said_to_hold() {
        let lines: Vec<&str> = TEXT.lines().collect();
        for kernel in Kernel::all() {
            let place = place(kernel).unwrap();
            let [first, last] = place.lines.map(|line| line as usize);
            let (head, body) = (lines[first - 1], lines[first - 1..last].join("\n"));
            assert_eq!(body.matches('{').count(), body.matches('}').count(), "{kernel:?}");
            match (place.function, place.called_at) {
                (Some(function), Some(call)) => {
                    assert!(head.contains(&format!(" {function}(")), "{head}");
                    assert!(lines[call as usize - 1].contains(kernel.name()), "{kernel:?}");
                    assert!(last > first + 5, "{kernel:?}");
                }
                _ => assert!(head.contains(kernel.name()), "{head}"),
            }
        }
    }
}
