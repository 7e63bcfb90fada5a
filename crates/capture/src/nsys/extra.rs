//! Options that are passed as they are. nsys takes every option once, so those that are given already are found here and not by nsys.

use std::ffi::OsString;

use rangescope_config::settings::Nsys;

use super::NsysCommandError;

/// Options that are given and are not keys, with their short form.
const UNASKED: [(&str, char); 2] = [("output", 'o'), ("env-var", 'e')];

/// Separates the program's environment variables from the other options: the others first.
pub(super) fn take_variables(
    args: &[String],
) -> Result<(Vec<String>, Vec<String>), NsysCommandError> {
    let (mut rest, mut variables) = (Vec::new(), Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value = if arg == "-e" || arg == "--env-var" {
            let missing = || {
                let hint = "write --env-var=NAME=VALUE";
                NsysCommandError::option("extra_args", format!("`{arg}` has no value"), hint)
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

/// Refuses what nsys would refuse, and names the key that is meant.
pub(super) fn check(
    args: &[String],
    given: &[(&'static str, OsString)],
) -> Result<(), NsysCommandError> {
    for arg in args {
        if arg == "--" {
            let hint = "nsys has no `--` before the program; leave it out";
            return Err(NsysCommandError::option("extra_args", "nsys has no option `--`", hint));
        }
        let name = arg.split('=').next().unwrap_or(arg);
        let is_same = |long: &str| {
            name.strip_prefix("--") == Some(long)
                || short(long).is_some_and(|letter| {
                    arg.strip_prefix('-').is_some_and(|rest| rest.starts_with(letter))
                })
        };
        if let Some((long, _)) = given.iter().find(|(long, _)| is_same(long)) {
            let hint =
                format!("set `{}` instead; nsys takes an option once", long.replace('-', "_"));
            let problem = format!("`{arg}` is given already");
            return Err(NsysCommandError::option("extra_args", problem, hint));
        }
    }
    Ok(())
}

fn short(long: &str) -> Option<char> {
    let unasked = UNASKED.iter().find(|(name, _)| *name == long).map(|(_, letter)| *letter);
    let keys = Nsys::keys().iter().filter_map(|key| key.option);
    unasked.or_else(|| keys.into_iter().find(|option| option.name == long)?.short)
}
