use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::identity::identity;
use super::{Files, RankArguments, last_line};
use crate::launch::{Launcher, RankSelection};

fn arguments(folder: &std::path::Path) -> RankArguments {
    let words = ["ncu", "--nvtx", "--export", "REPORT", "./app", "--", "x"];
    RankArguments {
        folder: folder.to_owned(),
        capture: "kernel".to_owned(),
        extension: "ncu-rep".to_owned(),
        launcher: "mpirun".to_owned(),
        ranks: RankSelection::OnePerNode,
        silence_limit: Some(Duration::from_millis(1500)),
        peers: true,
        words: words.map(OsString::from).to_vec(),
        report_at: 3,
        program_at: 4,
        local_rank_at: Some(1),
    }
}

#[test]
fn what_a_plan_says_is_what_a_rank_reads() {
    let arguments = arguments(&PathBuf::from("/run/ncu"));
    let words = arguments.to_words(&"rangescope".into());
    assert_eq!(RankArguments::parse(&words[2..]).unwrap(), arguments);
    assert_eq!(arguments.program(), ["./app", "--", "x"]);
    for cut in 2..words.len() - 3 {
        assert!(RankArguments::parse(&words[2..cut]).is_err(), "{cut}");
    }
}

fn told(launcher: &str, variables: &[(&str, &str)]) -> Result<[Option<u32>; 4], String> {
    let get = |name: &str| {
        variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    };
    let found = identity(Launcher::named(launcher), get).map_err(|error| error.to_string())?;
    Ok([Some(found.rank), found.size, found.local_rank, found.node])
}

#[test]
fn a_launcher_that_is_named_is_believed_first() {
    // A batch script that prepares for PyTorch sets variables that every rank of `mpirun` inherits.
    let mixed = [
        ("RANK", "0"),
        ("WORLD_SIZE", "1"),
        ("SLURM_PROCID", "0"),
        ("SLURM_NTASKS", "1"),
        ("OMPI_COMM_WORLD_RANK", "3"),
        ("OMPI_COMM_WORLD_SIZE", "8"),
    ];
    assert_eq!(told("mpirun", &mixed), Ok([Some(3), Some(8), None, None]));
    assert_eq!(told("srun", &mixed), Ok([Some(0), Some(1), None, None]));
    let slurm = [
        ("SLURM_PROCID", "5"),
        ("SLURM_NTASKS", "8"),
        ("SLURM_LOCALID", "1"),
        ("SLURM_NODEID", "2"),
    ];
    assert_eq!(told("srun", &slurm), Ok([Some(5), Some(8), Some(1), Some(2)]));
    // Another launcher behind that name.
    assert_eq!(told("mpirun", &slurm), Ok([Some(5), Some(8), Some(1), None]));
    assert!(told("mpirun", &[]).unwrap_err().contains("OMPI_COMM_WORLD_RANK"));
    assert_eq!(told("aprun", &[("ALPS_APP_PE", "3")]), Ok([Some(3), None, None, None]));
    // A single process of `accelerate launch` is not numbered.
    assert_eq!(told("accelerate", &[]), Ok([Some(0), None, None, None]));
    assert_eq!(told("accelerate", &[("RANK", "2")]), Ok([Some(2), None, None, None]));
}

#[test]
fn a_program_is_told_its_local_rank_where_its_launcher_would() {
    let mut arguments = arguments(&PathBuf::from("/run"));
    arguments.tell_local_rank(None);
    assert_eq!(arguments.program(), ["./app", "--", "x"]);
    arguments.tell_local_rank(Some(3));
    assert_eq!(arguments.program(), ["./app", "--local_rank=3", "--", "x"]);
    arguments.local_rank_at = Some(usize::MAX);
    arguments.tell_local_rank(Some(3));
    assert_eq!(arguments.program().len(), 4);
}

#[test]
fn reports_that_ncu_has_given_a_number_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::new(&arguments(folder.path()), 3);
    let name = |name: &str| folder.path().join(name);
    fs_err::write(name("kernel.rank-00003.partial.stdout.log"), "").unwrap();
    fs_err::write(name("kernel.rank-00031.partial.ncu-rep"), "").unwrap();
    assert_eq!(files.written(), None);
    for written in [
        "kernel.rank-00003.partial.ncu-rep3",
        "kernel.rank-00003.partial.ncu-rep.3.ncu-rep",
        "kernel.rank-00003.partial3.ncu-rep",
        "kernel.rank-00003.partial.ncu-rep",
    ] {
        let written = name(written);
        fs_err::write(&written, "").unwrap();
        assert_eq!(files.written(), Some(written.clone()));
        fs_err::remove_file(&written).unwrap();
    }
    assert_eq!(files.keep_report(), None, "nothing is no report");
}

#[test]
fn the_last_line_is_the_programs_if_it_said_anything() {
    assert_eq!(last_line("boom\n==ERROR== x\n", "out"), Some("boom".to_owned()));
    assert_eq!(last_line("", "step 1\n\n==PROF== y\n"), Some("step 1".to_owned()));
    assert_eq!(last_line("", "==ERROR== y\n"), Some("==ERROR== y".to_owned()));
    assert_eq!(last_line("\n", ""), None);
}

#[test]
fn peers_stand_before_the_report() {
    let arguments = arguments(&PathBuf::from("/run"));
    let record = identity(None, |name| match name {
        "RANK" => Some("3".to_owned()),
        "WORLD_SIZE" => Some("8".to_owned()),
        _ => None,
    });
    let words = Files::new(&arguments, 3).profiler(&arguments, &record.unwrap());
    let expected = [
        "ncu",
        "--nvtx",
        "--communicator-tcp-num-peers",
        "8",
        "--export",
        "/run/kernel.rank-00003.partial.ncu-rep",
        "./app",
        "--",
        "x",
    ];
    assert_eq!(words, expected.map(OsString::from));
}
