//! `rangescope profile` with NVIDIA's ncu, on a machine that may have no GPU: ncu then runs a program to its end and profiles nothing.

use crate::support::Place;
use crate::support::real::tool;

#[test]
fn a_program_of_the_cpu_gives_a_report_that_says_so() {
    for variable in ["RANGESCOPE_NCU", "RANGESCOPE_NCU_OLD"] {
        let Some(ncu) = tool(variable, "profiling under ncu") else { continue };
        let place = Place::new();
        let executable = format!("pipeline.ncu.executable={}", ncu.display());
        let words = ["profile", &executable, "--out", "run", "--region", "decode*"];
        let program = ["--", "sh", "-c", "echo out; echo err >&2"];
        let outcome = place.run(words.into_iter().chain(program));
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert_eq!(outcome.stdout, "out\n", "the program's output passes through");
        assert!(outcome.stderr.contains("err\n") && outcome.stderr.contains("did not use CUDA"));
        for file in [
            "config.yaml",
            "inputs.yaml",
            "env.json",
            "report.md",
            "report.json",
            "ncu/cmd.txt",
            "ncu/diagnosis.json",
            "ncu/kernel.stdout.log",
            "ncu/kernel.capture.json",
        ] {
            assert!(place.path("run").join(file).is_file(), "{file}");
        }
        let report = fs_err::read_to_string(place.path("run/report.md")).unwrap();
        assert!(report.contains("Nothing was profiled") && report.contains("no-cuda"), "{report}");
        let log = fs_err::read_to_string(place.path("run/ncu/kernel.stdout.log")).unwrap();
        assert!(log.contains("No kernels were profiled"), "{log}");

        // The same reports come from the folder alone, wherever it is.
        fs_err::rename(place.path("run"), place.path("moved")).unwrap();
        let again = place.run(["report", "moved", "--format", "markdown"]).ok();
        assert_eq!(again, report);

        let strict = ["profile", &executable, "--out", "strict", "--strict", "--", "true"];
        let said = place.run(strict).fails(6);
        assert!(said.contains("nothing was profiled"), "{said}");
    }
}

#[test]
fn the_program_s_failure_is_told_apart_from_ncu_s() {
    let Some(ncu) = tool("RANGESCOPE_NCU", "profiling under ncu") else { return };
    let place = Place::new();
    let executable = format!("pipeline.ncu.executable={}", ncu.display());
    let run = |out: &str, program: &[&str]| {
        let words = ["profile", &executable, "--out", out, "--"];
        place.run(words.into_iter().chain(program.iter().copied()))
    };
    let said = run("failed", &["sh", "-c", "exit 7"]).fails(3);
    assert!(said.contains("the program failed") && said.contains('7'), "{said}");
    let said = run("missing", &["./no-such-program"]).fails(3);
    assert!(said.contains("not found"), "{said}");
    let record = fs_err::read_to_string(place.path("failed/ncu/kernel.capture.json")).unwrap();
    assert!(record.contains("\"exit_code\": 7"), "{record}");
}

#[test]
fn a_folder_with_files_is_not_written_over() {
    let Some(ncu) = tool("RANGESCOPE_NCU", "profiling under ncu") else { return };
    let place = Place::new();
    let executable = format!("pipeline.ncu.executable={}", ncu.display());
    let said = place.run(["profile", &executable, "--out", ".", "--", "true"]).fails(7);
    assert!(said.contains("has files already") && said.contains("--resume"), "{said}");
}
