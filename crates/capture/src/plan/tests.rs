//! Plans for known and unknown regions.

use std::ffi::OsString;
use std::path::Path;

use rangescope_model::observed::ObservedRegions;

use super::{KnownRegions, Plan, PlanRequest, command_line};
use crate::ncu::NcuInfo;
use rangescope_config::Version;
use rangescope_config::settings::NcuOptions;
use rangescope_model::ReplayMode;
use rangescope_model::region::{RangeKind, RegionKey};

fn region(domain: &str, path: &[&str]) -> RegionKey {
    let path = path.iter().map(|name| (*name).to_owned()).collect();
    RegionKey { domain: domain.to_owned(), kind: RangeKind::PushPop, path }
}

fn start_end(name: &str) -> RegionKey {
    RegionKey { kind: RangeKind::StartEnd, ..region("d", &[name]) }
}

fn plan(mode: ReplayMode, include: &[&str], known: Option<&KnownRegions>) -> Plan {
    let mut options = NcuOptions { replay_mode: mode, ..NcuOptions::default() };
    options.nvtx_include = include.iter().map(|text| (*text).to_owned()).collect();
    plan_with(&options, known).unwrap()
}

fn plan_with(options: &NcuOptions, known: Option<&KnownRegions>) -> Result<Plan, super::PlanError> {
    let ncu = NcuInfo::of_version(vec!["ncu".into()], Version::new(2024, 1, 1));
    let program = [OsString::from("./app")];
    Plan::new(&PlanRequest {
        options,
        ncu: &ncu,
        program: &program,
        folder: Path::new("out/ncu"),
        known,
        labels: &[],
        names_are_folded: false,
        inside: None,
    })
}

fn groups(plan: &Plan) -> Vec<String> {
    plan.captures.iter().map(|capture| capture.regions.join(" ")).collect()
}

fn includes(plan: &Plan, capture: usize) -> Vec<String> {
    let argv = &plan.captures[capture].argv;
    let values = argv.windows(2).filter(|pair| pair[0] == "--nvtx-include");
    values.map(|pair| pair[1].to_string_lossy().into_owned()).collect()
}

#[test]
fn kernel_replay_needs_one_capture() {
    let plan = plan(ReplayMode::Kernel, &["A;B;A::A1", "decode*"], None);
    assert_eq!(groups(&plan), ["A B A::A1 decode*"]);
    assert_eq!(plan.captures[0].name, "kernel");
    assert_eq!(plan.captures[0].report, Path::new("out/ncu/kernel.ncu-rep"));
    let line = command_line(&plan.captures[0].argv);
    assert!(line.contains("--export out/ncu/kernel.partial.ncu-rep ./app"), "{line}");
    assert!(line.contains(r"--nvtx-include 'regex:.*@\A(?:decode.*)\z/'"), "{line}");
}

#[test]
fn what_ncu_cannot_say_is_left_for_later() {
    let plan = plan(ReplayMode::Kernel, &["A/B", "C"], None);
    let after: Vec<&str> =
        plan.captures[0].filters.after.iter().map(|filter| filter.pattern.as_str()).collect();
    let at_capture: Vec<&str> =
        plan.captures[0].filters.at_capture.iter().map(|filter| filter.pattern.as_str()).collect();
    assert_eq!((at_capture, after), (vec!["C"], vec!["A/B"]));
    // With the regions known, it can be said.
    let known = KnownRegions::new([region("d", &["A", "B"])]);
    assert!(
        self::plan(ReplayMode::Kernel, &["A/B"], Some(&known)).captures[0].filters.after.is_empty()
    );
}

#[test]
fn labels_nest_by_their_names() {
    let plan = plan(ReplayMode::Range, &["A;B;A::A1"], None);
    assert_eq!(groups(&plan), ["A B", "A::A1"]);
    assert_eq!(plan.captures[1].name, "range-2");
    assert!(plan.notes[0].contains("as their names say"), "{:?}", plan.notes);
    assert_eq!(
        groups(&self::plan(ReplayMode::AppRange, &["A/B", "A", "x@A", "y@A", "A/B/C"], None)).len(),
        4
    );
    assert_eq!(groups(&self::plan(ReplayMode::Range, &["x@A", "y@A::B"], None)), ["x@A y@A::B"]);
}

#[test]
fn a_pattern_of_unknown_extent_gets_a_capture_of_its_own() {
    let plan = plan(ReplayMode::Range, &["*"], None);
    assert_eq!(groups(&plan), ["*"]);
    assert_eq!(plan.captures[0].name, "range");
    assert_eq!(includes(&plan, 0), ["regex:.*@.*/", "regex:.*@.*"]);
    assert!(plan.notes[0].contains("outermost"), "{:?}", plan.notes);
    assert_eq!(
        groups(&self::plan(ReplayMode::Range, &["A", "decode*", "B"], None)),
        ["A B", "decode*"]
    );
}

#[test]
fn labels_say_what_a_wildcard_matches() {
    let mut options = NcuOptions { replay_mode: ReplayMode::Range, ..NcuOptions::default() };
    options.nvtx_include = vec!["*".to_owned()];
    options.nvtx_exclude = vec!["B".to_owned()];
    let ncu = NcuInfo::of_version(vec!["ncu".into()], Version::new(2024, 1, 1));
    let labels = ["A", "A::A1", "B", "B::x", "C?"].map(str::to_owned);
    let plan = Plan::new(&PlanRequest {
        options: &options,
        ncu: &ncu,
        program: &[OsString::from("./app")],
        folder: Path::new("out"),
        known: None,
        labels: &labels,
        names_are_folded: false,
        inside: None,
    });
    let plan = plan.unwrap();
    assert_eq!(groups(&plan), [r"A C\?", "A::A1"]);
    assert!(includes(&plan, 1).contains(&"regex:.*@[(?:A)/(?:A1)/".to_owned()), "{plan:?}");
}

#[test]
fn known_regions_are_divided_by_depth() {
    let known = KnownRegions::new([
        region("d", &["A"]),
        region("d", &["A", "A1"]),
        region("d", &["A", "A2"]),
        region("d", &["A", "A1", "x"]),
        region("d", &["B"]),
        region("d", &["B", "x"]),
    ]);
    let all = plan(ReplayMode::Range, &["*"], Some(&known));
    assert_eq!(groups(&all), ["A B", "A::A1 A::A2 B::x", "A::A1::x"]);
    assert_eq!(includes(&all, 1), ["d@[A/A1/", "d@[A/A2/", "d@[B/x/"]);
    assert!(all.notes.is_empty());
    assert_eq!(
        groups(&plan(ReplayMode::Range, &["x", "A/A2"], Some(&known))),
        ["A::A1::x A::A2 B::x"]
    );
}

#[test]
fn regions_of_different_trees_may_be_open_together_unless_seen_otherwise() {
    let regions = [region("d", &["A"]), region("e", &["B"]), start_end("S")];
    assert_eq!(
        groups(&plan(ReplayMode::Range, &["*"], Some(&KnownRegions::new(regions)))).len(),
        3
    );

    let regions = vec![start_end("S"), region("d", &["A"]), region("e", &["B"])];
    let open_together = Some(vec![[1, 0], [7, 0]]);
    let known = KnownRegions::observed(&ObservedRegions {
        regions,
        open_together,
        ..ObservedRegions::default()
    });
    assert_eq!(groups(&plan(ReplayMode::Range, &["*"], Some(&known))), ["A B", "S"]);
}

#[test]
fn excluded_regions_are_left_out() {
    let mut options = NcuOptions { replay_mode: ReplayMode::Range, ..NcuOptions::default() };
    options.nvtx_include = vec!["*".to_owned()];
    options.nvtx_exclude = vec!["B".to_owned()];
    let known =
        KnownRegions::new([region("d", &["A"]), region("d", &["B"]), region("d", &["B", "x"])]);
    let plan = plan_with(&options, Some(&known)).unwrap();
    assert_eq!(groups(&plan), ["A"]);
    // Range replay takes no exclusion, so it is done by not asking for them.
    assert!(!command_line(&plan.captures[0].argv).contains("--nvtx-exclude"));
    let kernels = NcuOptions { replay_mode: ReplayMode::Kernel, ..options.clone() };
    let line = command_line(&plan_with(&kernels, Some(&known)).unwrap().captures[0].argv);
    assert!(line.contains(r"--nvtx-exclude 'regex:.*@\A(?:B)\z/'"), "{line}");
    options.nvtx_include = vec!["nothing".to_owned()];
    assert_eq!(
        plan_with(&options, Some(&known)).unwrap_err().to_string(),
        "none of the known regions is selected"
    );
    // What ncu would leave too much out for, the report leaves out.
    options.replay_mode = ReplayMode::Kernel;
    options.nvtx_exclude = vec!["A/B".to_owned()];
    let plan = plan_with(&options, None).unwrap();
    assert_eq!(plan.captures[0].filters.after[0].pattern, "A/B");
    assert!(!command_line(&plan.captures[0].argv).contains("--nvtx-exclude"));
}

#[test]
fn a_region_inside_one_of_its_own_name_cannot_be_captured_by_range() {
    let known = KnownRegions::new([region("d", &["A"]), region("d", &["A", "A"])]);
    let plan = plan(ReplayMode::Range, &["A"], Some(&known));
    assert_eq!(groups(&plan), ["A"]);
    assert!(plan.notes[0].contains("`A::A` is left out"), "{:?}", plan.notes);
}

#[test]
fn a_plan_is_data_and_text() {
    let plan = plan(ReplayMode::Range, &["A", "it's"], None);
    let json = serde_json::to_value(&plan).unwrap();
    assert_eq!(json["schema_version"], "1.0");
    assert_eq!(json["captures"][0]["regions"][1], "it's");
    assert_eq!(json["captures"][0]["argv"][0], "ncu");
    let argv = json["captures"][0]["argv"].as_array().unwrap();
    let run: Vec<&str> = plan.captures[0].argv.iter().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(argv.iter().map(|word| word.as_str().unwrap()).collect::<Vec<_>>(), run);
    assert_eq!(json["captures"][0]["applied_at_capture"][1]["pattern"], "it's");
    assert_eq!(json["captures"][0]["applied_after"], serde_json::json!([]));
    let text = plan.to_text();
    assert!(
        text.starts_with(
            "1 capture by range replay\n\nrange → out/ncu/range.ncu-rep\n  regions: A, it's\n"
        ),
        "{text}"
    );
    assert!(text.contains(r"--nvtx-include 'regex:.*@\A(?:it'\''s)\z/'"), "{text}");
}

#[test]
fn nothing_in_a_name_acts_on_a_terminal() {
    let known = KnownRegions::new([region("d", &["A\u{1b}[2J\nB"])]);
    let plan = plan(ReplayMode::Range, &["*"], Some(&known));
    let text = plan.to_text();
    assert!(text.contains("regions: A\\u{1b}[2J\\nB\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn what_is_no_text_is_its_bytes_in_json() {
    use std::os::unix::ffi::OsStringExt;
    let odd = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let folder = odd(b"o\xff");
    let ncu = NcuInfo::of_version(vec!["ncu".into()], Version::new(2024, 1, 1));
    let plan = Plan::new(&PlanRequest {
        options: &NcuOptions::default(),
        ncu: &ncu,
        program: &["./app".into(), odd(b"\xfe")],
        folder: Path::new(&folder),
        known: None,
        labels: &[],
        names_are_folded: false,
        inside: None,
    });
    let json = serde_json::to_value(plan.unwrap()).unwrap();
    let capture = &json["captures"][0];
    let last = capture["argv"].as_array().unwrap().last().unwrap();
    assert_eq!((last, &capture["report"][1]), (&serde_json::json!([254]), &255.into()));
}

#[test]
fn many_regions_are_divided_and_too_many_are_refused() {
    let regions = |count: usize| {
        KnownRegions::new((0..count).flat_map(|number| {
            let outer = format!("step {number}");
            [region("d", &[&outer]), region("d", &[&outer, "inner"])]
        }))
    };
    let plan = plan(ReplayMode::Range, &["*"], Some(&regions(500)));
    assert_eq!(
        plan.captures.iter().map(|capture| capture.regions.len()).collect::<Vec<_>>(),
        [500, 500]
    );
    let mut options = NcuOptions { replay_mode: ReplayMode::Range, ..NcuOptions::default() };
    options.nvtx_include = vec!["*".to_owned()];
    let refused = plan_with(&options, Some(&regions(501))).unwrap_err();
    assert!(refused.to_string().starts_with("more than 1000 regions are selected"), "{refused}");
    // A few of many are no trouble.
    options.nvtx_include = vec!["step 7/inner".to_owned()];
    assert_eq!(plan_with(&options, Some(&regions(20_000))).unwrap().captures.len(), 1);
}
