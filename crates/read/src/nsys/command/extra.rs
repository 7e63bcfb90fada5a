//! Options that are passed as they are. nsys takes every option once, so those that are given already are found here and not by nsys.

use std::ffi::OsString;

use super::refused;
use crate::nsys::error::NsysError;

/// Long options with their short form.
const SHORT: [(&str, &str); 7] = [
    ("trace", "-t"),
    ("sample", "-s"),
    ("output", "-o"),
    ("force-overwrite", "-f"),
    ("capture-range", "-c"),
    ("nvtx-capture", "-p"),
    ("env-var", "-e"),
];

/// Takes the environment variables for the program out of the options: the rest, and the variables.
pub(super) fn take_variables(args: &[String]) -> Result<(Vec<String>, Vec<String>), NsysError> {
    let (mut rest, mut variables) = (Vec::new(), Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value = if arg == "-e" || arg == "--env-var" {
            let missing = || {
                let hint = "write --env-var=NAME=VALUE";
                refused("extra_args", format!("`{arg}` has no value"), hint)
            };
            Some(args.next().ok_or_else(missing)?.as_str())
        } else {
            arg.strip_prefix("--env-var=")
        };
        match value {
            Some(value) => variables.push(value.to_owned()),
            None => rest.push(arg.clone()),
        }
    }
    Ok((rest, variables))
}

/// Refuses what nsys would refuse, with the key that is meant.
pub(super) fn check(args: &[String], given: &[(&'static str, OsString)]) -> Result<(), NsysError> {
    for arg in args {
        if arg == "--" {
            let hint = "nsys has no `--` before the program; leave it out";
            return Err(refused("extra_args", "`--` is no option of nsys", hint));
        }
        let name = arg.split('=').next().unwrap_or(arg);
        let is_same = |long: &str| {
            let short = SHORT.iter().find(|(known, _)| *known == long).map(|(_, short)| *short);
            name.strip_prefix("--") == Some(long)
                || short.is_some_and(|short| arg.starts_with(short) && !arg.starts_with("--"))
        };
        if let Some((long, _)) = given.iter().find(|(long, _)| is_same(long)) {
            let hint =
                format!("set `{}` instead; nsys takes an option once", long.replace('-', "_"));
            return Err(refused("extra_args", format!("`{arg}` is given already"), hint));
        }
    }
    Ok(())
}
