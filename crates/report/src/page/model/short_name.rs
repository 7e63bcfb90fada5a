//! Kernel names that fit a table.
//!
//! Demangled names of templates run to thousands of characters. What tells kernels apart is mostly the outermost names, so return type, parameters,
//! namespaces and casts go first, then template arguments from the innermost outwards, and only then the middle. The full name stays at hand in the page.

/// The longest short name in characters.
pub(crate) const LIMIT: usize = 72;

/// What is looked at of a name; a longer one is cut before.
const LONGEST: usize = 65_536;

/// The name in at most [`LIMIT`] characters.
pub(crate) fn short_name(name: &str) -> String {
    let end = name.char_indices().nth(LONGEST).map_or(name.len(), |(at, _)| at);
    let name = &name[..end];
    let bare = without_parameters(name.strip_prefix("void ").unwrap_or(name));
    let bare = without_casts(&without_namespaces(bare));
    let short = fold_templates(&bare, deepest_that_fits(&bare));
    let short = short.trim();
    cut_middle(if short.is_empty() { name } else { short })
}

/// `f<int>(float *, int)` → `f<int>`: the parenthesis that closes the name opens the parameters.
fn without_parameters(name: &str) -> &str {
    if !name.ends_with(')') {
        return name;
    }
    let mut open = 0_usize;
    for (at, byte) in name.bytes().enumerate().rev() {
        match byte {
            b')' => open += 1,
            b'(' => {
                open -= 1;
                if open == 0 {
                    return if at == 0 { name } else { &name[..at] };
                }
            }
            _ => {}
        }
        if open == 0 {
            return name;
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
        let shorter = kept.strip_suffix(ANONYMOUS).map(str::len).unwrap_or_else(|| {
            kept.trim_end_matches(|one: char| one == '_' || one.is_alphanumeric()).len()
        });
        if shorter < kept.len() {
            kept.truncate(shorter);
        } else if !kept.is_empty() {
            kept.push_str("::");
        }
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// `(int)32` → `32`.
fn without_casts(name: &str) -> String {
    let mut text = name.to_owned();
    for cast in ["(int)", "(bool)", "(unsigned int)", "(long)", "(unsigned long)"] {
        if text.contains(cast) {
            text = text.replace(cast, "");
        }
    }
    text
}

/// How deep template arguments can stay for the name to fit; 0 if none can.
fn deepest_that_fits(name: &str) -> usize {
    // By depth: the characters that stand there, and how many arguments open there.
    let mut levels: Vec<(usize, usize)> = vec![(0, 0)];
    let mut depth = 0_usize;
    for one in name.chars() {
        match one {
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
        if length + folded <= LIMIT {
            deepest = depth;
        }
    }
    deepest
}

/// Template arguments deeper than `depth` become an ellipsis.
fn fold_templates(name: &str, depth: usize) -> String {
    let mut folded = String::with_capacity(LIMIT * 2);
    let mut open = 0_usize;
    for one in name.chars() {
        match one {
            '<' => {
                if open < depth {
                    folded.push('<');
                } else if open == depth {
                    folded.push_str("<…");
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

/// The text cut in the middle; both ends stay.
fn cut_middle(text: &str) -> String {
    let length = text.chars().count();
    if length <= LIMIT {
        return text.to_owned();
    }
    let tail = (LIMIT - 1) / 2;
    let head = LIMIT - 1 - tail;
    let mut short: String = text.chars().take(head).collect();
    short.push('…');
    short.extend(text.chars().skip(length - tail));
    short
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, short_name};

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
            assert_eq!(short_name(name), short, "{name}");
        }
    }

    #[test]
    fn templates_are_folded_from_the_inside_until_the_name_fits() {
        let name = "void cutlass::Kernel<cutlass::gemm::kernel::B2bGemm<cutlass::gemm::threadblock::Multistage<cutlass::gemm::GemmShape<(int)32, (int)384, (int)64>, int>, float>>(T1::Params)";
        assert_eq!(
            short_name(name),
            "Kernel<B2bGemm<Multistage<GemmShape<32, 384, 64>, int>, float>>"
        );
        let longer = name.replace("float", &"f".repeat(40));
        let short = short_name(&longer);
        assert_eq!(short, format!("Kernel<B2bGemm<Multistage<…>, {}>>", "f".repeat(40)));
        assert_eq!(short_name(&name.replace("float", &"f".repeat(80))), "Kernel<B2bGemm<…>>");
    }

    #[test]
    fn nothing_is_longer_than_the_limit() {
        for name in [
            "x".repeat(100_000),
            "<".repeat(100_000),
            "é<".repeat(50_000),
            "a::".repeat(40_000),
            "(".repeat(70_000) + ")",
        ] {
            assert!(short_name(&name).chars().count() <= LIMIT);
        }
    }
}
