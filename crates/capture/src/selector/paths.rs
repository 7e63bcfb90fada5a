//! From a pattern to the paths it names: sequences of steps from the root, and names of start/end ranges.
//!
//! A result is selected if and only if the path of one of its regions is among them. A pattern of one name also names regions by their display name, which is
//! where most of the paths come from.

use rangescope_model::select::SegmentForm;

use super::chain::Reason;
use super::display;
use super::name::Name;

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Any number of levels, including none.
    AnyDepth,
    Name(Name),
}

/// From the root.
pub(super) type Path = Vec<Step>;

#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    pub(super) push_pop: Vec<Path>,
    pub(super) start_end: Vec<Name>,
    /// Why these are more than the pattern names.
    pub(super) reasons: Vec<Reason>,
}

impl Paths {
    pub(super) fn new(segments: &[SegmentForm]) -> Self {
        if let [SegmentForm::Name(form)] = segments {
            let name = Name::new(form);
            let found = display::by_display_name(&name);
            let mut push_pop = vec![vec![Step::AnyDepth, Step::Name(name.clone())]];
            push_pop.extend(found.paths);
            return Self {
                push_pop,
                start_end: vec![name],
                reasons: found.reason.into_iter().collect(),
            };
        }
        let path: Path = segments
            .iter()
            .map(|segment| match segment {
                SegmentForm::AnyDepth => Step::AnyDepth,
                SegmentForm::Name(form) => Step::Name(Name::new(form)),
            })
            .collect();
        // The path of a start/end region has one name.
        let names: Vec<&Name> = path
            .iter()
            .filter_map(|step| match step {
                Step::Name(name) => Some(name),
                Step::AnyDepth => None,
            })
            .collect();
        let start_end = match names.as_slice() {
            [] => vec![Name::anything()],
            [only] => vec![(*only).clone()],
            _ => Vec::new(),
        };
        Self { push_pop: vec![path], start_end, reasons: Vec::new() }
    }
}
