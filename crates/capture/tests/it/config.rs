//! From the table of ncu's options to command lines: every row does what it says, and every preset is a plan.

use std::ffi::OsString;
use std::path::Path;

use crate::table::{options, presets, rows};
use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::{Plan, PlanRequest};
use rangescope_config::Version;

const NEWEST: Version = Version::new(2026, 3, 1);

fn argv(overrides: &[String], version: Version) -> Vec<String> {
    let plan = Plan::new(&PlanRequest {
        options: &options(overrides),
        ncu: &NcuInfo::of_version(vec!["ncu".into()], version),
        program: &[OsString::from("./app")],
        folder: Path::new("out"),
        known: None,
        labels: &[],
        names_are_folded: false,
        inside: None,
    });
    let plan = plan.unwrap_or_else(|error| panic!("{error}: {overrides:?}"));
    let texts = plan.captures[0].argv.iter().map(|word| word.to_str().unwrap().to_owned());
    texts.collect()
}

#[test]
fn every_option_is_given_when_its_key_is_set_and_left_out_when_it_is_null() {
    for row in rows() {
        let (path, option) = (row.key.path, row.key.option.unwrap());
        let is_given = |words: &[String]| words.contains(&format!("--{}", option.name));
        let (without, with) = (argv(&row.without, NEWEST), argv(&row.with, NEWEST));
        assert_ne!(with, without, "{path} changes nothing");
        // A switch that is on by default is given no more when it is set to the other value.
        let is_off = row.with.last().unwrap().ends_with("=false") && !row.key.nullable;
        assert_eq!(is_given(&with), !is_off, "{path}: {with:?}");
        if row.key.nullable {
            let null = [row.without.as_slice(), &[format!("{path}=null")]].concat();
            // Application replay has no meaning without saying how strict it is.
            let always = option.name == "app-replay-mode";
            assert_eq!(is_given(&argv(&null, NEWEST)), always, "{path}");
        }
    }
}

#[test]
fn every_preset_is_a_plan_for_every_ncu() {
    for preset in presets() {
        for version in ["2022.3", "2024.1.1", "2025.2", "2026.3.1"] {
            let words = argv(std::slice::from_ref(&preset), version.parse().unwrap());
            assert_eq!(words.last().map(String::as_str), Some("./app"), "{preset} {version}");
        }
    }
}
