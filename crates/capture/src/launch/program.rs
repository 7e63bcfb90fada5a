//! Where the program begins in the arguments of a launcher.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::table::{NO_LOCAL_RANK, NO_PYTHON};
use super::{Launch, LaunchError, Launcher};

/// Splits a command line into the launcher with its options and the program that it starts.
pub(super) fn split(
    launcher: &'static Launcher,
    command: &[OsString],
) -> Result<Launch, LaunchError> {
    let own = launcher.own_words(command).unwrap_or(1);
    let rest = command.get(own..).unwrap_or_default();
    let (at, skipped) = begins(launcher, rest)?;
    let options = rest.get(..at).unwrap_or_default();
    let program = rest.get(at + skipped..).unwrap_or_default();
    let name = launcher.name;
    if program.is_empty() {
        return Err(LaunchError::NoProgram { launcher: name });
    }
    if let Some(separator) = launcher.separator
        && program.iter().any(|word| word == separator)
    {
        let (option, what) = (separator.to_owned(), "separates several programs");
        return Err(LaunchError::Elsewhere { launcher: name, option, what });
    }
    // Launchers in Python take both spellings.
    let given = |name: &str| {
        options.iter().any(|word| {
            word.to_str().is_some_and(|word| word.replace('-', "_") == name.replace('-', "_"))
        })
    };
    let (mut words, mut program) =
        (command.get(..own).unwrap_or_default().to_vec(), program.to_vec());
    let mut local_rank_at = None;
    if launcher.without_python.is_empty() {
        words.extend_from_slice(options);
    } else {
        const MODULE: [&str; 2] = ["-m", "--module"];
        let is_module = MODULE.into_iter().any(given);
        let kept = options.iter().filter(|word| !MODULE.iter().any(|name| word == name));
        words.extend(kept.cloned());
        let added = launcher.without_python.iter().filter(|option| !given(option));
        words.extend(added.map(OsString::from));
        if !given(NO_PYTHON) {
            let python = [python_of(launcher, command), "-u".into()];
            let python = python.into_iter().chain(is_module.then(|| "-m".into()));
            program.splice(..0, python);
        }
        let script = if given(NO_PYTHON) { 0 } else { 2 + usize::from(is_module) };
        local_rank_at = (launcher.without_python.contains(&NO_LOCAL_RANK) && !given(NO_LOCAL_RANK))
            .then_some(script + 1);
    }
    Ok(Launch { launcher, words, program, local_rank_at })
}

/// Where the options end, and how many words stand between them and the program.
fn begins(launcher: &'static Launcher, words: &[OsString]) -> Result<(usize, usize), LaunchError> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.to_string_lossy();
        if text == "--" {
            return Ok((at, 1));
        }
        let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else {
            return Ok((at, 0));
        };
        match values(launcher, option)? {
            Some(count) => at += 1 + count,
            // Only whoever wrote it knows; they may have said where the program begins.
            None => {
                return match words.iter().position(|word| word == "--") {
                    Some(end) if end > at => Ok((end, 1)),
                    _ => Err(LaunchError::UnknownOption {
                        launcher: launcher.name,
                        option: text.into_owned(),
                    }),
                };
            }
        }
    }
    Ok((at, 0))
}

/// How many words after an option, which is given without its first dash, are its values; `None` if nothing is known of it.
fn values(launcher: &'static Launcher, option: &str) -> Result<Option<usize>, LaunchError> {
    let long = option.strip_prefix('-');
    let (name, has_value) = match option.trim_start_matches('-').split_once('=') {
        Some((name, _)) => (name, true),
        None => (option.trim_start_matches('-'), false),
    };
    let is_python = !launcher.without_python.is_empty();
    let name = if is_python { name.replace('_', "-") } else { name.to_owned() };
    let name = name.as_str();
    if let Some((_, what)) = launcher.elsewhere.iter().find(|(known, _)| *known == name) {
        let option = format!("--{name}");
        return Err(LaunchError::Elsewhere { launcher: launcher.name, option, what });
    }
    let takes = |name: &str| {
        let is_in = |list: &[&str]| list.contains(&name);
        match () {
            () if is_in(launcher.with_value) => Some(1),
            () if is_in(launcher.with_two) => Some(2),
            () if is_in(launcher.switches) => Some(0),
            () => None,
        }
    };
    if launcher.short_options_join && long.is_none() {
        // Switches, and at the end perhaps one option with its value, behind it or after it.
        for (index, letter) in option.char_indices() {
            match takes(&letter.to_string()) {
                Some(0) => {}
                Some(count) if option.len() == index + letter.len_utf8() => return Ok(Some(count)),
                Some(_) => return Ok(Some(0)),
                // The value of a switch that may have one.
                None if index > 0 && letter.is_ascii_digit() => return Ok(Some(0)),
                None => return Ok(None),
            }
        }
        return Ok(Some(0));
    }
    Ok(if has_value && long.is_some() { Some(0) } else { takes(name) })
}

/// The Python that a launcher of Python scripts runs them with: its own, or the one beside it.
fn python_of(launcher: &Launcher, command: &[OsString]) -> OsString {
    let first = command.first().map_or(OsStr::new(""), OsString::as_os_str);
    if launcher.module_at(command).is_some() {
        return first.to_owned();
    }
    match Path::new(first).parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => folder.join("python3").into_os_string(),
        None => "python3".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LAUNCHERS, Launch, Launcher};
    use std::ffi::OsString;

    /// `LAUNCHER WORDS | PROGRAM WORDS`, with `{}` where the rank puts its local number, or what is wrong.
    fn split(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let text = |words: &[OsString]| words.join(" ".as_ref()).into_string().unwrap();
        let Some(launcher) = Launcher::recognised(&words) else { return "no launcher".to_owned() };
        match Launch::split(launcher, &words) {
            Ok(mut found) => {
                if let Some(at) = found.local_rank_at {
                    found.program.insert(at, "{}".into());
                }
                format!("{} | {}", text(&found.words), text(&found.program))
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_program_is_found_behind_the_options() {
        for (line, expected) in [
            ("mpirun -n 8 ./app -n 3", "mpirun -n 8 | ./app -n 3"),
            (
                "/opt/bin/mpiexec -np 2 --mca btl tcp,self -x PATH -oversubscribe ./app",
                "/opt/bin/mpiexec -np 2 --mca btl tcp,self -x PATH -oversubscribe | ./app",
            ),
            (
                "mpirun --map-by=node --allow-run-as-root a b",
                "mpirun --map-by=node --allow-run-as-root | a b",
            ),
            ("mpirun app -- x", "mpirun | app -- x"),
            ("mpirun --new-thing 3 -- app -- x", "mpirun --new-thing 3 | app -- x"),
            (
                "srun -n4 -N 2 -ul --mem=3G --time 5 ./app -z",
                "srun -n4 -N 2 -ul --mem=3G --time 5 | ./app -z",
            ),
            ("srun --never-heard=3 -lun 4 -- ./app", "srun --never-heard=3 -lun 4 | ./app"),
            ("srun -I10 --exclusive app", "srun -I10 --exclusive | app"),
            ("python train.py", "no launcher"),
            ("env mpirun -n 2 app", "no launcher"),
        ] {
            assert_eq!(split(line), expected, "{line}");
        }
    }

    #[test]
    fn a_script_of_torchrun_is_run_by_python_itself() {
        for (line, expected) in [
            (
                "torchrun --nproc_per_node 2 train.py --lr 1",
                "torchrun --nproc_per_node 2 --no_python | python3 -u train.py --lr 1",
            ),
            (
                "/env/bin/torchrun --standalone --nproc-per-node=2 -m pkg.train -v",
                "/env/bin/torchrun --standalone --nproc-per-node=2 --no_python | /env/bin/python3 -u -m pkg.train -v",
            ),
            ("torchrun --no-python ./app", "torchrun --no-python | ./app"),
            (
                "python3.12 -m torch.distributed.run --nnodes 1 -m pkg",
                "python3.12 -m torch.distributed.run --nnodes 1 --no_python | python3.12 -u -m pkg",
            ),
        ] {
            assert_eq!(split(line), expected, "{line}");
        }
    }

    #[test]
    fn launchers_of_batch_systems_are_known() {
        for (line, expected) in [
            (
                "jsrun -n4 -a 1 -bpacked:7 --smpiargs=-gpu --cpu_per_rs 7 ./app -n 1",
                "jsrun -n4 -a 1 -bpacked:7 --smpiargs=-gpu --cpu_per_rs 7 | ./app -n 1",
            ),
            ("flux run -N2 -n 8 -o mpi=none ./app", "flux run -N2 -n 8 -o mpi=none | ./app"),
            ("/opt/bin/flux run app run", "/opt/bin/flux run | app run"),
            ("flux submit -n 8 ./app", "no launcher"),
            ("aprun -n 8 -N 4 -cc cpu -ss ./app", "aprun -n 8 -N 4 -cc cpu -ss | ./app"),
            (
                "mpiexec.hydra -ppn 2 -pmi-port -genv A b ./app",
                "mpiexec.hydra -ppn 2 -pmi-port -genv A b | ./app",
            ),
        ] {
            assert_eq!(split(line), expected, "{line}");
        }
    }

    #[test]
    fn launchers_in_python_start_what_is_not_python() {
        for (line, expected) in [
            (
                "accelerate launch --num_processes 2 --multi-gpu train.py --lr 1",
                "accelerate launch --num_processes 2 --multi-gpu --no_python | python3 -u train.py --lr 1",
            ),
            ("accelerate config", "no launcher"),
            (
                "/e/bin/accelerate-launch -m pkg",
                "/e/bin/accelerate-launch --no_python | /e/bin/python3 -u -m pkg",
            ),
            (
                "deepspeed --num_gpus=2 train.py --deepspeed",
                "deepspeed --num_gpus=2 --no_python --no_local_rank | python3 -u train.py {} --deepspeed",
            ),
            (
                "deepspeed --module --no_local_rank pkg.train x",
                "deepspeed --no_local_rank --no_python | python3 -u -m pkg.train x",
            ),
            ("deepspeed --no_python ./app x", "deepspeed --no_python --no_local_rank | ./app {} x"),
        ] {
            assert_eq!(split(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        for (line, part) in [
            ("mpirun --new-thing 3 app", "`--new-thing` is not in the table of `mpirun`'s options"),
            ("mpirun -n 4", "`mpirun` is given no program"),
            ("mpirun -n 1 a : -n 2 b", "`:` of `mpirun` separates several programs"),
            ("srun --multi-prog conf", "names the programs in a file"),
            ("srun -n 2 -y app", "`-y` is not in the table"),
            ("torchrun --run-path a.py", "runs a script inside"),
            ("jsrun --erf_input file app", "names the programs in a file"),
            ("flux run --dry-run app", "starts nothing"),
        ] {
            let said = split(line);
            assert!(said.contains(part), "{line}: {said}");
        }
    }

    #[test]
    fn no_option_is_in_two_lists() {
        for launcher in &LAUNCHERS {
            let mut all: Vec<&str> =
                [launcher.with_value, launcher.with_two, launcher.switches].concat();
            all.extend(launcher.elsewhere.iter().map(|(name, _)| *name));
            all.sort_unstable();
            for pair in all.windows(2) {
                assert_ne!(pair[0], pair[1], "{}", launcher.name);
            }
        }
    }
}
