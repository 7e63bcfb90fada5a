//! Arguments in, result out.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rangescope_recorder::format::{INJECTION_VARIABLE, RANK_VARIABLES, SIMULATE_VARIABLE};
use serde_json::Value;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dummy_shallow_resnet"));
    // As on a machine without a GPU, without a launcher, without a tool.
    for name in RANK_VARIABLES {
        command.env_remove(name);
    }
    command.env("CUDA_VISIBLE_DEVICES", "");
    command.env_remove(INJECTION_VARIABLE).env_remove(SIMULATE_VARIABLE);
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The results of a run that must succeed, one a rank.
fn results_of(command: &mut Command) -> Vec<Value> {
    let output = command.arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn result(arguments: &[&str]) -> Value {
    let mut results = results_of(&mut program(arguments));
    assert_eq!(results.len(), 1);
    results.remove(0)
}

fn logits(result: &Value) -> Vec<f64> {
    let rows = result["logits"].as_array().unwrap().iter();
    rows.flat_map(|row| row.as_array().unwrap()).map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn the_default_run_is_always_the_same() {
    let output = run(&[]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(text.contains("float32, scenario resnet, rank 0"), "{text}");
    assert!(text.contains("\nchecksum -5.3758\nimage 0: -0.2716 0.3380 "), "{text}");
    assert_eq!(text.lines().count(), 5);
}

#[test]
fn all_scenarios_compute_the_same_on_the_cpu_and_simulated() {
    let expected = logits(&result(&[]));
    let listed = run(&["--list-scenarios"]);
    let names = stdout(&listed);
    let names: Vec<&str> = names.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert_eq!(names.len(), 14);
    for name in names.into_iter().filter(|name| !["hang", "crash"].contains(name)) {
        for device in ["cpu", "sim"] {
            let arguments = ["--scenario", name, "--device", device];
            let results = results_of(&mut program(&arguments));
            for result in results {
                assert_eq!(result["scenario"], name);
                if name != "many-kernels" {
                    assert_eq!(logits(&result), expected, "{name} on {device}");
                }
            }
        }
    }
}

#[test]
fn sizes_and_seeds_change_the_result() {
    let base = result(&["--batch", "3", "--classes", "4", "--blocks", "1", "--size", "9"]);
    assert_eq!(base["logits"].as_array().unwrap().len(), 3);
    assert_eq!(logits(&base).len(), 12);
    let other = ["--batch", "3", "--classes", "4", "--blocks", "1", "--size", "9", "--seed", "1"];
    assert_ne!(logits(&base), logits(&result(&other)));
    assert_ne!(logits(&result(&[])), logits(&result(&["--channels", "8"])));
}

#[test]
fn kernels_are_counted() {
    let launches = |arguments: &[&str]| result(arguments)["launches"].as_u64().unwrap();
    assert_eq!(launches(&[]), 24);
    assert_eq!(launches(&["--warmup", "0"]), 12);
    assert_eq!(launches(&["--warmup", "2", "--repeats", "3", "--blocks", "1"]), 5 * 6);
    assert_eq!(launches(&["--scenario", "threads", "--warmup", "1"]), 5 * 12);
    assert_eq!(launches(&["--scenario", "many-kernels", "--warmup", "0"]), 3 * 43);
}

#[test]
fn half_precision_is_near_and_not_the_same() {
    let single = logits(&result(&[]));
    let half = logits(&result(&["--dtype", "float16"]));
    assert_ne!(single, half);
    let distance = single.iter().zip(&half).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(distance < 0.01, "{distance}");
}

#[test]
fn results_are_the_same_to_the_last_bit() {
    for (scenario, dtype, checksum) in [
        ("resnet", "float32", -5.375_797_799_655_37),
        ("resnet", "float16", -5.374_673_025_948_661),
        ("many-kernels", "float32", 163.197_448_560_169_76),
        ("many-kernels", "float16", 163.245_814_732_142_9),
    ] {
        let result = result(&["--scenario", scenario, "--dtype", dtype]);
        assert_eq!(result["checksum"].as_f64(), Some(checksum), "{scenario} in {dtype}");
    }
}

#[test]
fn ranks_take_the_next_devices() {
    let arguments = ["--scenario", "processes", "--ranks", "3", "--device", "sim:1"];
    let results = results_of(&mut program(&arguments));
    let of = |key: &str| results.iter().map(|result| result[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("rank"), [0, 1, 2]);
    assert_eq!(of("device"), ["sim:1", "sim:2", "sim:3"]);

    let mut launched = program(&["--scenario", "processes", "--device", "sim"]);
    launched.env("OMPI_COMM_WORLD_RANK", "6").env("OMPI_COMM_WORLD_LOCAL_RANK", "2");
    let results = results_of(&mut launched);
    assert_eq!(results.len(), 1);
    assert_eq!((&results[0]["rank"], &results[0]["device"]), (&6.into(), &"sim:2".into()));
}

#[test]
fn a_rank_that_fails_is_named() {
    let output = run(&["--scenario", "processes", "--size", "2048", "--batch", "1024"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("elements of a layer would be 68719476736"), "{text}");
    assert!(text.contains("rank 0 ended with exit status: 1"), "{text}");
}

#[test]
fn a_simulated_device_stands_in_where_it_is_announced() {
    let mut command = program(&["--device", "cuda:1"]);
    assert_eq!(results_of(command.env("RANGESCOPE_SIMULATE", "1"))[0]["device"], "sim:1");
    let mut command = program(&["--device", "cpu"]);
    assert_eq!(results_of(command.env("RANGESCOPE_SIMULATE", "1"))[0]["device"], "cpu");
    let mut command = program(&["--device", "cuda:1"]);
    assert_eq!(results_of(command.env("RANGESCOPE_SIMULATE", "0"))[0]["device"], "cpu");
}

#[test]
fn a_gpu_that_cannot_be_used_is_said() {
    let output = run(&["--device", "cuda:0"]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("note: no GPU is used: "), "{}", stderr(&output));
    assert!(stderr(&run(&["--device", "auto"])).is_empty());
    let output = run(&["--device", "cuda:0", "--require-device"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("hint: --device cpu and --device sim"), "{}", stderr(&output));
}

#[test]
fn a_tool_that_cannot_listen_is_said() {
    let mut command = program(&[]);
    let output = command.env("NVTX_INJECTION64_PATH", "/no/such/tool.so").output().unwrap();
    assert!(output.status.success());
    let text = stderr(&output);
    assert!(text.contains("no tool sees the ranges: /no/such/tool.so: "), "{text}");
}

#[test]
fn wrong_arguments_are_refused() {
    for arguments in [
        &["--device", "gpu"][..],
        &["--batch", "0"],
        &["--scenario", "x"],
        &["--dtype", "int8"],
        &["x"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    let output = run(&["--batch", "1024", "--size", "2048"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("hint: choose a smaller --batch"), "{}", stderr(&output));
}

#[test]
fn the_crash_is_an_abort() {
    let output = run(&["--scenario", "crash"]);
    assert_eq!(output.status.signal(), Some(6));
    assert!(output.stdout.is_empty());
}

#[test]
fn the_hang_does_not_end() {
    let mut child = program(&["--scenario", "hang"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(ended, None);
}
