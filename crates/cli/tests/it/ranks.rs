//! Programs under launchers: where the profiler goes, what every rank leaves, and what is said of those that did not end well.

use std::os::unix::fs::PermissionsExt;

use rangescope_testing::nsys::{self, Export};
use serde_json::{Value, json};

use crate::support::{Place, stored};

const RANGESCOPE: &str = env!("CARGO_BIN_EXE_rangescope");
const MPIRUN: [&str; 4] = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"];

/// The program of a rank: does something else in one of them.
fn program(place: &Place, odd: u32, what: &str) -> String {
    let model = format!("{RANGESCOPE} dummy-model --scenario nested --device sim");
    let text = format!(
        "#!/bin/sh\nmodel='{model}'\n[ $OMPI_COMM_WORLD_RANK = {odd} ] && {{ {what}; }}\nexec $model\n"
    );
    let path = place.path("program.sh");
    fs_err::write(&path, text).unwrap();
    let mode = PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(&path, mode).unwrap();
    path.to_string_lossy().into_owned()
}

/// The time of every rank in the report of a run.
fn totals(place: &Place, run: &str) -> Vec<(u64, f64)> {
    let document = place.json([run]);
    let reports = document["reports"].as_array().unwrap().iter();
    let processes = reports.filter(|report| report["scope"]["kind"] == "process");
    let of = |report: &Value| {
        (report["scope"]["rank"].as_u64().unwrap(), report["totals"]["total_ms"].as_f64().unwrap())
    };
    let mut totals: Vec<(u64, f64)> = processes.map(of).collect();
    totals.sort_by_key(|(rank, _)| *rank);
    totals
}

fn ranks(place: &Place, run: &str) -> Vec<u64> {
    totals(place, run).iter().map(|(rank, _)| *rank).collect()
}

fn profile(place: &Place, out: &str, words: &[&str], size: &str, program: &str) -> (i32, String) {
    let head = ["profile", "--simulate", "--out", out].into_iter().chain(words.iter().copied());
    let outcome = place.run(head.chain(["--"]).chain(MPIRUN).chain([size, program]));
    (outcome.code, outcome.stderr)
}

#[test]
fn of_eight_ranks_the_slow_and_the_failing_one_are_found_and_nothing_is_lost() {
    let Some(_) = crate::support::real::command("mpirun", "ranks under mpirun") else { return };
    let place = Place::new();
    let slow = program(&place, 5, "exec $model --batch 64");
    let (code, said) = profile(&place, "slow", &[], "8", &slow);
    assert_eq!(code, 0, "{said}");
    let all = totals(&place, "slow");
    assert_eq!(all.len(), 8);
    let usual = all[0].1;
    let found = place.json(["slow"])["ranks"].clone();
    let times: Vec<f64> = all.iter().map(|(_, total)| *total).collect();
    check_total(&found, &times, 5);
    for (rank, total) in all {
        assert_eq!(total > 2.0 * usual, rank == 5, "rank {rank}: {total} beside {usual}");
    }

    let failing = program(&place, 3, "echo out of cheese >&2; exit 7");
    let (code, said) = profile(&place, "failing", &[], "8", &failing);
    assert_eq!(code, 3, "{said}");
    assert_eq!(ranks(&place, "failing"), [0, 1, 2, 4, 5, 6, 7]);
    assert!(said.contains("reports of 7 of 8 ranks"), "{said}");
    assert!(said.contains("failed, exit code 7; last line: out of cheese"), "{said}");
    let document = place.json(["failing"]);
    let notes = document["notes"].to_string();
    assert!(notes.contains("Capture kernel, rank 3: The program failed."), "{notes}");
    assert!(notes.contains("Kernels of collectives"), "{notes}");
}

/// What is said of the whole run, against the times of its ranks.
fn check_total(found: &Value, times: &[f64], slow: usize) {
    let total = &found["rows"][0];
    let others: f64 = times.iter().sum::<f64>() - times[slow];
    let others = others / (times.len() - 1) as f64;
    let near = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - expected).abs() <= 1e-9 * expected, "{value} {expected}");
    };
    assert_eq!(total["verdict"], "one_member", "{total}");
    assert_eq!(total["time"]["max"]["member"]["rank"], slow);
    near(&total["time"]["max"]["value"], times[slow]);
    near(&total["time"]["mean"], times.iter().sum::<f64>() / times.len() as f64);
    near(&total["slow"]["times"], times[slow] / others);
    let said = total["sentence"].as_str().unwrap();
    let times_others = rangescope_model::number::three_digits(times[slow] / others);
    assert!(said.starts_with(&format!("slow on rank {slow} (")), "{said}");
    let others = match times.len() - 1 {
        1 => "the other (".to_owned(),
        others => format!("the mean of the other {others}"),
    };
    assert!(said.contains(&format!(", {times_others} × {others}")), "{said}");
}

/// A folder of reports with their records, of which the last rank has more to do.
fn job(place: &Place, ranks: u32) {
    fs_err::create_dir(place.path("job")).unwrap();
    for rank in 0..ranks {
        let batch = if rank + 1 == ranks { "64" } else { "16" };
        let model = ["dummy-model", "--scenario", "nested", "--device", "sim", "--batch", batch];
        let run = ["profile", "--simulate", "--out", "one", "--", RANGESCOPE];
        let _ = fs_err::remove_dir_all(place.path("one"));
        place.run(run.into_iter().chain(model)).ok();
        let record = json!({ "format": "rangescope-rank 1.0", "rank": rank, "host": "n", "pid": 1, "profiled": true, "begun_at": "" });
        let to = |ending: &str| place.path(format!("job/kernel.rank-{rank}.{ending}"));
        fs_err::copy(place.path("one/ncu/kernel.ncu-rep"), to("ncu-rep")).unwrap();
        fs_err::write(to("json"), record.to_string()).unwrap();
    }
}

#[test]
fn ranks_are_compared_chosen_and_shown_in_every_format() {
    let place = Place::new();
    job(&place, 4);
    let times: Vec<f64> = totals(&place, "job").iter().map(|(_, total)| *total).collect();
    let document = place.json(["job"]);
    check_total(&document["ranks"], &times, 3);
    assert_eq!(document["ranks"]["heat_map"]["bins"].as_array().unwrap().len(), 4);
    let terminal = place.run(["report", "job"]).ok();
    assert!(terminal.contains("4 ranks on 1 host: slow on rank 3 ("), "{terminal}");
    assert!(terminal.contains("Most uneven"), "{terminal}");
    let page = place.run(["report", "job", "--format", "html"]).ok();
    assert!(page.contains("\"heat_map\":{"));
    let stored = place.run(["report", "job", "--format", "json"]).ok();
    fs_err::write(place.path("stored.json"), stored).unwrap();
    let again = place.run(["report", "stored.json"]).ok();
    assert!(again.contains("4 ranks on 1 host: slow on rank 3 ("), "{again}");

    let some = place.json(["job", "--ranks", "0,2-3"]);
    assert_eq!(some["ranks"]["count"], 3);
    assert_eq!(some["reports"][0]["selection"]["ranks"], "0,2-3");
    let alone = place.json(["job", "--ranks", "1"]);
    assert!(alone["ranks"].is_null());

    let against =
        place.run(["compare", "job", "--ranks", "0-2", "--with-ranks", "3", "--format", "json"]);
    let against: Value = serde_json::from_str(&against.ok()).unwrap();
    assert_eq!(against["base"]["runs"].as_array().unwrap().len(), 3);
    let name = against["new"]["runs"][0]["name"].as_str().unwrap();
    assert!(name.starts_with("rank 3 ("), "{name}");
    for (words, part) in [
        ("report job --ranks 0,9", "there is no rank 9"),
        ("report one --ranks 0", "no rank is known"),
        ("report job --ranks 3-1", "`3-1` names no ranks"),
        ("compare job --ranks 0 --with-ranks 7-9", "there is no rank 7-9"),
        ("compare job --ranks 0-1 --with-ranks 1", "rank 1 is on both sides"),
        ("compare one --ranks 0 --with-ranks 1", "no rank is known"),
        ("compare job job --ranks 0 --with-ranks 1", "cannot be used with"),
        ("compare job", "nothing to compare with"),
    ] {
        let said = place.run(words.split(' ')).fails(2);
        assert!(said.contains(part), "{words}: {said}");
    }
}

#[test]
fn a_rank_that_is_killed_leaves_the_others_their_reports() {
    let Some(_) = crate::support::real::command("mpirun", "ranks under mpirun") else { return };
    let place = Place::new();
    // The parent of the program is ncu, and its parent is the rank.
    let killed = program(&place, 2, "kill -9 $(cut -d ' ' -f 4 /proc/$PPID/stat); sleep 5");
    let (code, said) = profile(&place, "run", &[], "4", &killed);
    assert_eq!(code, 4, "{said}");
    assert_eq!(ranks(&place, "run"), [0, 1, 3], "{said}");
    assert!(said.contains("a rank began and never said how it ended"), "{said}");
}

#[test]
fn ranks_that_are_not_chosen_run_and_resuming_does_nothing_twice() {
    let Some(_) = crate::support::real::command("mpirun", "ranks under mpirun") else { return };
    let place = Place::new();
    let failing = program(&place, 1, "exit 5");
    let (code, said) = profile(&place, "some", &["--ranks", "0,3"], "4", &failing);
    assert_eq!((code, ranks(&place, "some")), (3, vec![0, 3]), "{said}");
    assert!(said.contains("rank 1 on") && said.contains("exit code 5"), "{said}");

    let well = program(&place, 9, ":");
    let (code, said) = profile(&place, "one", &["--ranks", "1-per-node"], "3", &well);
    assert_eq!((code, ranks(&place, "one")), (0, vec![0]), "{said}");
    let record = fs_err::read_to_string(place.path("one/ncu/kernel.rank-00002.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["profiled"], false);
    assert_eq!(record["ended"]["exit_code"], 0);
    let again = place.run(["profile", "--resume", "one"]);
    assert!(again.stderr.contains("complete already"), "{}", again.stderr);
    fs_err::rename(place.path("one"), place.path("moved")).unwrap();
    let again = place.run(["profile", "--resume", "moved"]);
    assert!(again.stderr.contains("complete already"), "{}", again.stderr);
}

#[test]
fn a_collective_that_hangs_is_named_with_its_rank() {
    let Some(_) = crate::support::real::command("mpirun", "ranks under mpirun") else { return };
    let place = Place::new();
    let hanging = program(&place, 9, ":");
    let words =
        ["pipeline.watchdog.silence_limit_s=3", "+pipeline.workload.env.RANGESCOPE_SIM_FAULT=hang"];
    let (code, said) = profile(&place, "run", &words, "2", &hanging);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("capture kernel, ranks 0-1: a collective waits"), "{said}");
    assert!(said.contains("| ==PROF== Profiling \"nccl"), "{said}");
}

#[test]
fn a_record_beside_a_report_says_whose_it_is() {
    let place = Place::new();
    // Two processes, which have two numbers.
    let reports = ["one", "two"].map(|run| {
        let program = [RANGESCOPE, "dummy-model", "--scenario", "nested", "--device", "sim"];
        place.run(["profile", "--simulate", "--out", run, "--"].into_iter().chain(program)).ok();
        fs_err::read(place.path(run).join("ncu/kernel.ncu-rep")).unwrap()
    });
    let record = |rank: u32| {
        json!({
            "format": "rangescope-rank 1.7", "rank": rank, "size": 2, "local_rank": 0, "host": "n7", "node": 1, "visible_devices": null,
            "launcher": "srun", "job_id": "12", "pid": 4, "profiled": true, "begun_at": "", "later": [1], "ended": null,
        })
    };
    for (name, text) in [
        ("a.rank-00000", record(0).to_string()),
        ("b.rank-00001", record(1).to_string()),
        ("old", record(1).to_string().replace("rank 1.7", "rank 2.0")),
        ("other", "{\"rank\": 5}".to_owned()),
        ("broken", "{".to_owned()),
        ("large", format!("{}{}", record(1), " ".repeat(70_000))),
        ("negative", record(1).to_string().replace("\"rank\":1", "\"rank\":-1")),
    ] {
        let report = &reports[usize::from(name.starts_with('b'))];
        fs_err::write(place.path(format!("{name}.ncu-rep")), report).unwrap();
        fs_err::write(place.path(format!("{name}.json")), text).unwrap();
    }
    let seen = |paths: &[&str]| {
        let words = ["report", "--format", "json"].into_iter().chain(paths.iter().copied());
        let document = stored::expanded(&place.run(words).ok());
        let reports = document["reports"].as_array().unwrap().clone();
        let scopes = reports.iter().map(|report| &report["scope"]);
        let processes = scopes.filter(|scope| scope["kind"] == "process");
        let mut ranks: Vec<Option<u64>> = processes.map(|scope| scope["rank"].as_u64()).collect();
        ranks.sort_unstable();
        ranks
    };
    assert_eq!(seen(&["a.rank-00000.ncu-rep", "b.rank-00001.ncu-rep"]), [Some(0), Some(1)]);
    for name in ["old", "other", "broken", "large", "negative", "sample"] {
        assert_eq!(seen(&[&format!("{name}.ncu-rep")]), [None], "{name}");
    }
}

fn plan(place: &Place, words: &str) -> crate::support::Outcome {
    place.run(["plan", "--out", "run", "--format", "json"].into_iter().chain(words.split(' ')))
}

/// The command line of the only capture, and the notes.
fn planned(place: &Place, words: &str) -> (String, String) {
    let plan: Value = serde_json::from_str(&plan(place, words).ok()).unwrap();
    let argv = plan["ncu"]["captures"][0]["argv"].as_array().unwrap();
    let argv: Vec<&str> = argv.iter().map(|word| word.as_str().unwrap()).collect();
    (argv.join(" "), plan["ncu"]["notes"].to_string())
}

#[test]
fn collectives_are_left_out_unless_something_else_is_asked_for() {
    let place = Place::new();
    let base = "--ncu-version 2026.1";
    let (line, notes) = planned(&place, &format!("{base} -- mpirun -n 2 ./app"));
    assert!(line.contains("nvshmem") && notes.contains("are left out"), "{line} {notes}");
    for words in [
        "-- ./app",
        "--replay range -- mpirun ./app",
        "pipeline.ncu.collectives=keep -- srun ./app",
    ] {
        let (line, notes) = planned(&place, &format!("{base} {words}"));
        assert!(!line.contains("nvshmem") && !notes.contains("collectives"), "{line} {notes}");
    }
    let (line, _) =
        planned(&place, &format!("{base} pipeline.ncu.collectives=single-pass -- srun ./app"));
    assert!(
        line.contains("--metrics gpu__time_duration.sum --apply") && !line.contains("--section"),
        "{line}"
    );
    let lockstep = format!("{base} pipeline.ncu.collectives=lockstep");
    let (line, _) = planned(&place, &format!("{lockstep} -- srun ./app"));
    assert!(
        line.contains("--peers --") && line.contains("--communicator tcp --lockstep-kernel-launch"),
        "{line}"
    );
    for (words, part) in [
        (
            "pipeline.ncu.collectives=lockstep --ncu-version 2025.4 -- srun ./app",
            "has no `--communicator`",
        ),
        (&*format!("{lockstep} --ranks 0 -- srun ./app"), "needs one ncu inside of every rank"),
        (&*format!("{lockstep} --outside -- srun ./app"), "needs one ncu inside of every rank"),
        ("--ranks 0 -- ./app", "there is no launcher in the program: ./app"),
        ("--ranks 3-1 -- srun ./app", "`3-1` names no ranks"),
        ("-- mpirun --never-heard-of 1 ./app", "`--never-heard-of` is not in the table"),
    ] {
        let said = plan(&place, words).fails(2);
        assert!(said.contains(part), "{words}: {said}");
    }
}

#[test]
fn the_plan_says_where_nsys_is_and_what_it_sees_of_ranks() {
    let place = Place::new();
    let planned = |launcher: &str, more: &str| -> Value {
        let words =
            format!("--ncu-version 2024.1 pipeline.nsys.enable=true {more} -- {launcher} ./app");
        serde_json::from_str(&plan(&place, &words).ok()).unwrap()
    };
    for (launcher, reached) in [
        ("mpirun -n 2", "this machine together, and nothing"),
        ("flux run -n 2", "this machine together if flux passes its environment on to them, and"),
    ] {
        let note = planned(launcher, "--outside")["nsys"]["note"].to_string();
        assert!(note.contains("one nsys is around") && note.contains(reached), "{note}");
        let nsys = &planned(launcher, "--ranks 1")["nsys"];
        let note = nsys["note"].to_string();
        assert!(note.contains("in every rank, and that starts nsys: one recording"), "{note}");
        let argv: Vec<&str> =
            nsys["argv"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let line = argv.join(" ");
        assert!(line.starts_with(launcher) && line.contains(" rank-exec --into "), "{line}");
        assert!(line.contains(" --extension nsys-rep ") && line.contains(" --ranks 1 "), "{line}");
        let outside = nsys["outside_argv"].as_array().unwrap();
        assert!(outside.contains(&json!("./app")) && outside[1] == json!("profile"), "{outside:?}");
    }
    assert_eq!(planned("env", "--ranks all")["nsys"]["note"], Value::Null);
}

/// An nsys whose recordings are the exports that are there already; that of rank 2 fails.
const NSYS_OF_RANKS: &str = r#"#!/bin/sh
for word; do case $word in --output=*) output=${word#--output=};; esac; last=$word; done
case "$*" in
  --version*) echo 'NVIDIA Nsight Systems version 2024.5.1.113-0';;
  'profile --help') ;;
  profile*)
    [ "$OMPI_COMM_WORLD_RANK" = 2 ] && { echo out of cheese; exit 7; }
    echo recorded >"$output.nsys-rep";;
  export*)
    rank=${last##*rank-0000}
    cp "$(dirname "$0")/rank${rank%.nsys-rep}.sqlite" "$output";;
esac
"#;

#[test]
fn every_rank_is_recorded_by_an_nsys_of_its_own() {
    let Some(_) = crate::support::real::command("mpirun", "ranks under mpirun") else { return };
    let place = Place::new();
    for (rank, ns) in [("0", 100_000), ("1", 300_000)] {
        // What a rank starts itself is of this rank, too.
        trace(&place, rank, ns, &[nsys::OTHER_PROCESS]);
    }
    let nsys = place.path("nsys");
    fs_err::write(&nsys, NSYS_OF_RANKS).unwrap();
    fs_err::set_permissions(&nsys, std::fs::Permissions::from_mode(0o755)).unwrap();
    let executable = format!("pipeline.nsys.executable={}", nsys.display());
    let words =
        ["profile", "--out", "run", "pipeline.nsys.enable=true", "pipeline.ncu.enable=false"];
    let program = MPIRUN.into_iter().chain(["3", "true"]);
    let words: Vec<&str> =
        words.into_iter().chain([executable.as_str(), "--"]).chain(program).collect();
    let said = place.run(words).fails(3);
    assert!(said.contains("recording run: failed, reports of 2 of 3 ranks"), "{said}");
    assert!(said.contains("rank 2 on") && said.contains("last line: out of cheese"), "{said}");
    assert!(said.contains("hint: the logs are in run/nsys"), "{said}");

    let read = |name: &str| -> Value {
        let text = fs_err::read_to_string(place.path("run/nsys").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let list = read("top_kernels.json");
    assert_eq!((&list["total_ns"], &list["kernels"][0]["calls"]), (&json!(400_000), &json!(2)));
    check_total(&read("report.json")["ranks"], &[0.1, 0.3], 1);
    let said = fs_err::read_to_string(place.path("run/nsys/report.md")).unwrap();
    assert!(said.contains("slow on rank 1 (node1): 300 µs, 3 × the other"), "{said}");
    let said = place.run(["report", "run/nsys/run.rank-00001.sqlite", "--scope", "rank:1"]).ok();
    assert!(said.contains("0.300"), "{said}");
}

#[test]
fn a_launcher_that_would_tell_a_script_its_local_rank_lets_the_rank_do_it() {
    let place = Place::new();
    let (line, _) = planned(&place, "--ncu-version 2024.1 -- deepspeed --num_gpus=2 train.py -x");
    assert!(line.starts_with("deepspeed --num_gpus=2 --no_python --no_local_rank /"), "{line}");
    assert!(
        line.contains(" --local-rank-at 3 ") && line.ends_with(" python3 -u train.py -x"),
        "{line}"
    );
}

#[test]
fn a_rank_that_is_started_by_hand_says_what_is_wrong() {
    let place = Place::new();
    let said = place.run(["rank-exec"]).fails(2);
    assert!(said.contains("this verb is for launchers"), "{said}");
}

/// An export of Nsight Systems that was made inside of `srun`: a kernel of `ns` in a range.
fn trace(place: &Place, rank: &str, ns: i64, others: &[i64]) {
    let mut export = Export::with_tables(false);
    export.origin(&format!("node{rank}"), "SLURM_PROCID", rank);
    export.push("step", 1, 0, 1_000_000);
    export.kernel("gemm", 1, 1_000, 2_000, ns);
    for process in others {
        export.range(59, "other", 0, process + 1, 0, 1_000);
    }
    let (path, _folder) = export.close();
    fs_err::copy(path, place.path(format!("rank{rank}.sqlite"))).unwrap();
}

#[test]
fn traces_of_ranks_are_reported_by_rank() {
    let place = Place::new();
    for (rank, ns) in [("0", 100_000), ("1", 100_000), ("2", 300_000)] {
        trace(&place, rank, ns, &[]);
    }
    let files = ["rank0.sqlite", "rank1.sqlite", "rank2.sqlite"];
    let document = place.json(files);
    check_total(&document["ranks"], &[0.1, 0.1, 0.3], 2);
    let notes = document["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "traced-times"), "{notes:?}");
    let said = place.run(["report"].into_iter().chain(files)).ok();
    assert!(said.contains("slow on rank 2 (node2): 300 µs, 3 × the mean of the other 2"), "{said}");
    let one = place.run(["report"].into_iter().chain(files).chain(["--scope", "rank:2"])).ok();
    assert!(one.contains("0.300"), "{one}");

    // With several processes nobody says whose rank it is.
    trace(&place, "3", 100_000, &[nsys::OTHER_PROCESS]);
    let said = place.run(["report", "rank3.sqlite", "--scope", "rank:3"]).ok();
    assert!(said.contains("There is no `rank:3` among the results"), "{said}");
    // Results of ncu are measured otherwise and are not mixed with traces.
    let said = place.run(["report", "rank0.sqlite", "sample.ncu-rep"]).fails(5);
    assert!(said.contains("rank0.sqlite"), "{said}");
}
