//! Kernel names that fit a table or a sentence.
//!
//! Demangled names of templates run to thousands of characters. What tells kernels apart is mostly the outermost names, so return type and parameters
//! go first, then namespaces and casts, then template arguments from the innermost outwards, and only then the middle.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::{ELLIPSIS, fits, head, shorten, visible_name};

/// What is looked at of a name; a longer one is cut before, because hostile ones must not cost time.
const LONGEST: usize = 65_536;

/// A kernel name in at most `limit` columns, with as little left out as that takes.
pub fn shorten_kernel(name: &str, limit: usize) -> Cow<'_, str> {
    if fits(name, limit) {
        return Cow::Borrowed(name);
    }
    let name = head(name, LONGEST);
    let short = without_parameters(name);
    if !short.is_empty() && fits(short, limit) {
        return Cow::Borrowed(short);
    }
    bare_kernel(name, limit)
}

/// A kernel name in at most `limit` columns and always without parameters, namespaces and casts, for lists that have the full name at hand.
pub fn bare_kernel(name: &str, limit: usize) -> Cow<'_, str> {
    let name = head(name, LONGEST);
    let bare = without_casts(without_namespaces(without_parameters(name)));
    let short = fold_templates(&bare, deepest_that_fits(&bare, limit));
    let short = short.trim();
    Cow::Owned(shorten(if short.is_empty() { name } else { short }, limit).into_owned())
}

/// Kernel names for one table: each shortened, and numbered where two different names became the same.
pub fn shorten_kernels<'a>(names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<String> {
    let visible_names: Vec<Cow<'a, str>> = names.into_iter().map(visible_name).collect();
    let mut short: Vec<String> =
        visible_names.iter().map(|name| shorten_kernel(name, limit).into_owned()).collect();
    let mut groups: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (index, name) in short.iter().enumerate() {
        groups.entry(name).or_default().push(index);
    }
    let clashes: Vec<Vec<usize>> = groups
        .into_values()
        .filter(|group| group.iter().any(|&index| visible_names[index] != visible_names[group[0]]))
        .collect();
    for group in clashes {
        for (number, index) in group.into_iter().enumerate() {
            let mark = format!(" #{}", number + 1);
            let mut name = shorten(&short[index], limit.saturating_sub(mark.len())).into_owned();
            name.push_str(&mark);
            short[index] = name;
        }
    }
    short
}

/// `void f<int>(float *, int)` → `f<int>`: the parenthesis that closes the name opens the parameters.
fn without_parameters(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    if !name.ends_with(')') {
        return name;
    }
    let mut open = 0_usize;
    for (at, byte) in name.bytes().enumerate().rev() {
        match byte {
            b')' => open += 1,
            b'(' => open -= 1,
            _ => {}
        }
        if open == 0 {
            // Nothing but parentheses is a name, too.
            return if byte == b'(' && at > 0 { &name[..at] } else { name };
        }
    }
    name
}

/// `a::b::C<a::D>` → `C<D>`; what stands before `::` stays if it is not a plain name.
fn without_namespaces(name: &str) -> String {
    const ANONYMOUS: &str = "(anonymous namespace)";
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once("::") {
        kept.push_str(before);
        let is_of_word = |letter: char| letter == '_' || letter.is_alphanumeric();
        let outer = kept.strip_suffix(ANONYMOUS).unwrap_or(kept.trim_end_matches(is_of_word)).len();
        if outer < kept.len() {
            kept.truncate(outer);
        } else if !kept.is_empty() {
            kept.push_str("::");
        }
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// `(int)32` → `32`.
fn without_casts(mut name: String) -> String {
    for cast in ["(int)", "(bool)", "(unsigned int)", "(long)", "(unsigned long)"] {
        if name.contains(cast) {
            name = name.replace(cast, "");
        }
    }
    name
}

/// How deep template arguments can stay for the name to fit; 0 if none can.
fn deepest_that_fits(name: &str, limit: usize) -> usize {
    // By depth: the characters that stand there, and how many arguments open there.
    let mut levels: Vec<(usize, usize)> = vec![(0, 0)];
    let mut depth = 0_usize;
    for character in name.chars() {
        match character {
            '<' => {
                levels[depth].0 += 2; // with the closing bracket
                levels[depth].1 += 1;
                depth += 1;
                if levels.len() == depth {
                    levels.push((0, 0));
                }
            }
            '>' => depth = depth.saturating_sub(1),
            _ => levels[depth].0 += 1,
        }
    }
    let mut length = 0;
    let mut deepest = 0;
    for (depth, (characters, folded)) in levels.into_iter().enumerate() {
        length += characters;
        if length + folded <= limit {
            deepest = depth;
        }
    }
    deepest
}

/// Template arguments deeper than `depth` become an ellipsis.
fn fold_templates(name: &str, depth: usize) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut open = 0_usize;
    for character in name.chars() {
        match character {
            '<' => {
                if open <= depth {
                    folded.push('<');
                }
                if open == depth {
                    folded.push_str(ELLIPSIS);
                }
                open += 1;
            }
            '>' => {
                open = open.saturating_sub(1);
                if open <= depth {
                    folded.push('>');
                }
            }
            other if open <= depth => folded.push(other),
            _ => {}
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::{bare_kernel, shorten_kernel, shorten_kernels};
    use crate::text::width;

    #[test]
    fn names_are_stripped_of_what_does_not_tell_them_apart() {
        for (name, short) in [
            ("saxpy", "saxpy"),
            ("saxpy(int, float *)", "saxpy"),
            ("void saxpy<float>(int, T1 *)", "saxpy<float>"),
            ("void a::b::scale<a::Tile<(int)32, (bool)1>>(a::P)", "scale<Tile<32, 1>>"),
            ("void at::(anonymous namespace)::fill<int>(T1)", "fill<int>"),
            ("ns::Outer<int>::run(float)", "Outer<int>::run"),
            ("operator()(int)", "operator()"),
            ("(anonymous)", "(anonymous)"),
            ("void ", "void "),
            ("", ""),
            (")", ")"),
            ("((((", "(((("),
            (">>>a<b", ">>>a<b"),
        ] {
            assert_eq!(bare_kernel(name, 72), short, "{name}");
        }
    }

    #[test]
    fn no_more_is_left_out_than_the_room_demands() {
        let name = "void ns::gemm<ns::Tile<128, ns::Row<4>>, float>(ns::Params<int>, int)";
        assert_eq!(shorten_kernel(name, 80), name);
        assert_eq!(shorten_kernel(name, 50), "ns::gemm<ns::Tile<128, ns::Row<4>>, float>");
        assert_eq!(shorten_kernel(name, 40), "gemm<Tile<128, Row<4>>, float>");
        assert_eq!(shorten_kernel(name, 29), "gemm<Tile<…>, float>");
        assert_eq!(shorten_kernel(name, 12), "gemm<…>");
        assert_eq!(shorten_kernel(name, 4), "ge…>");
        assert_eq!(shorten_kernel("f()", 2), "f");
        assert_eq!(shorten_kernel("void a_long_kernel_name()", 20), "a_long_kernel_name");
    }

    #[test]
    fn templates_are_folded_from_the_inside_until_the_name_fits() {
        let name = "void cutlass::Kernel<cutlass::gemm::kernel::B2bGemm<cutlass::gemm::threadblock::Multistage<cutlass::gemm::GemmShape<(int)32, (int)384, (int)64>, int>, float>>(T1::Params)";
        assert_eq!(
            shorten_kernel(name, 72),
            "Kernel<B2bGemm<Multistage<GemmShape<32, 384, 64>, int>, float>>"
        );
        let longer = name.replace("float", &"f".repeat(40));
        let short = format!("Kernel<B2bGemm<Multistage<…>, {}>>", "f".repeat(40));
        assert_eq!(shorten_kernel(&longer, 72), short);
        let longest = name.replace("float", &"f".repeat(80));
        assert_eq!(shorten_kernel(&longest, 72), "Kernel<B2bGemm<…>>");
    }

    #[test]
    fn nothing_is_longer_than_the_limit() {
        for name in [
            "x".repeat(100_000),
            "<".repeat(100_000),
            "é<".repeat(50_000),
            "a::".repeat(40_000),
            "(".repeat(70_000) + ")",
            "漢<字>".repeat(30_000),
        ] {
            for limit in [0, 1, 2, 20, 72] {
                assert!(width(&shorten_kernel(&name, limit)) <= limit, "{limit}");
                assert!(width(&bare_kernel(&name, limit)) <= limit, "{limit}");
            }
        }
    }

    #[test]
    fn unbalanced_brackets_do_no_harm() {
        for name in ["operator<<(int)", ">>>>", "<<<<", "))))", "((((", "a->b(c->d)", "<>()"] {
            for limit in 0..name.len() {
                assert!(width(&shorten_kernel(name, limit)) <= limit, "{name} {limit}");
            }
        }
    }

    #[test]
    fn different_kernels_stay_different() {
        let names = ["f<int, 1, 2, 3>()", "f<int, 1, 2, 4>()", "g()", "f<int, 1, 2, 3>()"];
        assert_eq!(shorten_kernels(names, 8), ["f<…> #1", "f<…> #2", "g()", "f<…> #3"]);
        assert_eq!(shorten_kernels(["g()", "g()"], 8), ["g()", "g()"]);
    }
}
