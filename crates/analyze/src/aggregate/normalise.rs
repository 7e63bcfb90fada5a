//! Folding names that differ only in numbers, before regions are made of them.
//!
//! Frameworks put counters, operation ids and tensor shapes into range names, which gives every launch a region of its own.
//! A rule is a regular expression and what replaces its matches; rules run in order, each on what the one before left.

use rangescope_model::select::SelectError;
use regex::Regex;
use std::borrow::Cow;

/// One rule: what is replaced by what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NormaliseRule {
    /// A regular expression; every match in a name is replaced.
    pub pattern: String,
    /// The replacement; `$1` is the first group.
    pub replacement: String,
}

/// The names of the presets.
pub const PRESETS: [&str; 3] = ["none", "layers", "pytorch"];

/// Numbers that count layers, blocks, experts and list elements.
const LAYERS: [(&str, &str); 3] = [
    // `layers.17.mlp`, `h.3`; not `0.001` or `v1.2`, where a digit stands before the dot.
    (r"([A-Za-z_\])])(?:\.\d+)+\b", "$1.*"),
    // `layer_17`, `Block 4`, `expert#2`
    (r"(?i)(layers?|blocks?|stages?|experts?|heads?)([_ #:-]?)\d+", "$1$2*"),
    // `[12]`
    (r"\[\d+\]", "[*]"),
];

/// What PyTorch and the servers built on it add to the names of operators and modules.
const PYTORCH: [(&str, &str); 7] = [
    // A module marker that is a printed dictionary: the module's name is what matters.
    (r"(?s)^\{\s*'Module':\s*'([^']*)'.*\}$", "$1"),
    (r",? ?\bseq ?= ?\d+", ""),
    (r",? ?\bop_id ?= ?\d+", ""),
    (r",? ?\binput_op_ids ?= ?\[[^\]]*\]", ""),
    // Sizes are lists of lists, and an input that is a list of tensors nests once more.
    (
        r",? ?\b(?:sizes|shapes?|strides) ?[=:] ?[\[(](?:[^\[\]()]|[\[(](?:[^\[\]()]|[\[(][^\[\]()]*[\])])*[\])])*[\])]",
        "",
    ),
    // A shape on its own: `[2, 128, 64]`, `torch.Size([2, 128])`.
    (r"\s*(?:torch\.Size\()?[\[(]\s*\d+(?:\s*,\s*\d+)+\s*,?\s*[\])]\)?", ""),
    // Step numbers: `ProfilerStep#12`.
    (r"\s*#\d+", ""),
];

impl NormaliseRule {
    /// A rule of a pattern and a replacement.
    pub fn new(pattern: &str, replacement: &str) -> Self {
        Self { pattern: pattern.to_owned(), replacement: replacement.to_owned() }
    }

    /// Reads `PATTERN=>REPLACEMENT`; the last `=>` separates. The pattern is checked when an analysis is made.
    pub fn parse(text: &str) -> Result<Self, SelectError> {
        match text.rsplit_once("=>") {
            Some((pattern, replacement)) if !pattern.is_empty() => {
                Ok(Self::new(pattern, replacement))
            }
            _ => Err(SelectError::Normalisation { name: text.to_owned(), presets: &PRESETS }),
        }
    }
}

/// The rules of a preset, or nothing if there is none of that name.
pub fn preset(name: &str) -> Option<Vec<NormaliseRule>> {
    let rules = |table: &[(&str, &str)]| {
        table
            .iter()
            .map(|(pattern, replacement)| NormaliseRule::new(pattern, replacement))
            .collect::<Vec<_>>()
    };
    match name {
        "none" => Some(Vec::new()),
        "layers" => Some(rules(&LAYERS)),
        "pytorch" => {
            let mut all = rules(&PYTORCH);
            all.extend(rules(&LAYERS));
            Some(all)
        }
        _ => None,
    }
}

/// The rules of a list of presets and own rules, in order.
pub fn normalisation(texts: &[String]) -> Result<Vec<NormaliseRule>, SelectError> {
    let mut rules = Vec::new();
    for text in texts {
        match preset(text) {
            Some(of_preset) => rules.extend(of_preset),
            None => rules.push(NormaliseRule::parse(text)?),
        }
    }
    Ok(rules)
}

/// Rules ready to run.
#[derive(Clone, Debug, Default)]
pub struct Normaliser {
    rules: Vec<(Regex, String)>,
}

impl Normaliser {
    /// Compiles the rules.
    pub fn new(rules: &[NormaliseRule]) -> Result<Self, SelectError> {
        let compile = |rule: &NormaliseRule| match Regex::new(&rule.pattern) {
            Ok(regex) => Ok((regex, rule.replacement.clone())),
            Err(error) => Err(SelectError::regex("normalisation rule", &rule.pattern, &error)),
        };
        Ok(Self { rules: rules.iter().map(compile).collect::<Result<_, _>>()? })
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The folded name, where it is another one.
    pub fn renamed(&self, name: &str) -> Option<String> {
        match self.fold(name) {
            (Cow::Owned(folded), _) => Some(folded),
            (Cow::Borrowed(_), _) => None,
        }
    }

    /// The folded name, and the positions of the rules that changed it.
    pub fn fold<'n>(&self, name: &'n str) -> (Cow<'n, str>, Vec<u32>) {
        let mut folded = Cow::Borrowed(name);
        let mut changed = Vec::new();
        for (position, (regex, replacement)) in (0..).zip(&self.rules) {
            let outcome = match regex.replace_all(&folded, replacement.as_str()) {
                Cow::Owned(outcome) if outcome != *folded => outcome,
                _ => continue,
            };
            folded = Cow::Owned(outcome);
            changed.push(position);
        }
        (folded, changed)
    }
}

#[cfg(test)]
mod tests {
    use super::{NormaliseRule, Normaliser, PRESETS, normalisation, preset};

    fn folded(preset_name: &str, name: &str) -> String {
        Normaliser::new(&preset(preset_name).unwrap()).unwrap().fold(name).0.into_owned()
    }

    #[test]
    fn layers() {
        for (name, expected) in [
            ("layers.17", "layers.*"),
            ("model.layers.17.mlp.experts.3.w1", "model.layers.*.mlp.experts.*.w1"),
            ("transformer.h.3.attn", "transformer.h.*.attn"),
            ("blocks.4", "blocks.*"),
            ("decoder_layer_17_attn", "decoder_layer_*_attn"),
            ("Layer 3", "Layer *"),
            ("inputs[12]", "inputs[*]"),
            ("lr=0.001", "lr=0.001"),
            ("v1.2", "v1.2"),
            ("decode", "decode"),
        ] {
            assert_eq!(folded("layers", name), expected, "{name}");
        }
    }

    #[test]
    fn pytorch() {
        for (name, expected) in [
            ("aten::copy_, op_id = 317175", "aten::copy_"),
            (
                "aten::addmm, seq = 12, op_id = 9, sizes = [[32, 10], [], [10, 20]], input_op_ids = [(1,0), (2,0)]",
                "aten::addmm",
            ),
            ("AddmmBackward0, seq = 5", "AddmmBackward0"),
            ("ProfilerStep#12", "ProfilerStep"),
            ("matmul [2, 128, 64]", "matmul"),
            ("x torch.Size([2, 128])", "x"),
            ("{'Module': 'model.layers.0.attn', 'Inputs': [[1, 2]]}", "model.layers.*.attn"),
            ("nn.Module: Linear_3", "nn.Module: Linear_3"),
            ("consequence = 4", "consequence = 4"),
        ] {
            assert_eq!(folded("pytorch", name), expected, "{name}");
        }
    }

    #[test]
    fn presets_exist_and_own_rules_follow_them() {
        assert!(PRESETS.iter().all(|name| preset(name).is_some()));
        let rules = normalisation(&["layers".to_owned(), r"step=>$0s".to_owned()]).unwrap();
        assert_eq!(rules.last(), Some(&NormaliseRule::new("step", "$0s")));
        let error = normalisation(&["layer".to_owned()]).unwrap_err();
        assert!(error.hint().contains("`pytorch`"), "{}", error.hint());
        assert!(Normaliser::new(&[NormaliseRule::new("(", "")]).is_err());
    }

    #[test]
    fn the_rules_that_changed_a_name_are_told() {
        let rules =
            normalisation(&["a=>b".to_owned(), "x=>y".to_owned(), "b=>c".to_owned()]).unwrap();
        let normaliser = Normaliser::new(&rules).unwrap();
        let (name, changed) = normaliser.fold("a");
        assert_eq!((name.as_ref(), changed.as_slice()), ("c", &[0, 2][..]));
    }
}
