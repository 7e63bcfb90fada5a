//! Every outcome of every check, on machines that are made up.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::machine::{Machine, NCU, alone, python};
use rangescope_capture::doctor::{self, DoctorRequest, Status};

#[track_caller]
fn starts(text: &str, beginning: &str) {
    assert!(text.starts_with(beginning), "{text}");
}

#[test]
fn a_machine_in_order() {
    let machine = Machine::new();
    let checks = machine.checks();
    assert!(checks.iter().all(|check| check.status == Status::Ok), "{checks:#?}");
    assert_eq!(checks.len(), 11);
    let json = serde_json::to_value(&checks).unwrap();
    assert_eq!((&json[0]["name"], &json[0]["status"]), (&"ncu".into(), &"ok".into()));
    assert_eq!(machine.check("ncu"), "ok: ncu 2024.1.1 at /bin/ncu");
    assert_eq!(machine.check("nsys"), "ok: nsys 2024.5.1 at /bin/nsys");
    assert_eq!(machine.check("driver"), "ok: NVIDIA driver 535.104.05");
    assert_eq!(machine.check("libcuda"), "ok: /lib/libcuda.so.1");
    assert_eq!(machine.check("gpu"), "ok: GPU 0: NVIDIA H100");
    assert_eq!(machine.check("run folder"), "ok: 1024.0 GiB free at /runs");
    assert_eq!(
        machine.check("python"),
        "ok: Python 3.11.7 at /bin/python3, nvtx 0.2.11, torch 2.3.0 for CUDA 12.1"
    );
}

#[test]
fn the_verdict_counts_errors_and_not_warnings() {
    let machine = Machine::new();
    let verdict = machine.verdict();
    assert_eq!(
        (verdict.can_profile, &*verdict.verdict),
        (true, "this machine can profile with ncu")
    );
    machine.without("nsys");
    let verdict = machine.verdict();
    assert!(verdict.can_profile);
    assert_eq!(verdict.verdict, "this machine can profile with ncu; 1 warning above");
    machine.without("ncu");
    fs_err::remove_dir_all(machine.at("proc/driver")).unwrap();
    let verdict = machine.verdict();
    let errors = verdict.checks.iter().filter(|check| check.status == Status::Error).count();
    assert!(!verdict.can_profile && errors > 1);
    starts(
        &verdict.verdict,
        &format!(
            "this machine cannot profile with ncu: {errors} problems, first ncu: `ncu` was not found"
        ),
    );
}

#[test]
fn ncu() {
    let mut machine = Machine::new();
    machine.tool("ncu", &NCU.replace("VERSION", "2022.3.0.0"));
    starts(&machine.check("ncu"), "warning: ncu 2022.3.0 at /bin/ncu, which has no app-range");
    machine.tool("ncu", "echo something else");
    starts(
        &machine.check("ncu"),
        "error: `/bin/ncu` does not say which version of ncu it is; it said: something else →",
    );
    machine.tool("ncu", &NCU.replace("VERSION", "2024.1.1.0").replace("SpeedOfLight X", ""));
    starts(&machine.check("ncu"), "error: ncu 2024.1.1 at /bin/ncu has no sections");
    machine.tool("ncu", "[ \"$1\" = --version ] && echo 'Version 2024.1.1.0'");
    starts(&machine.check("ncu"), "error: ncu 2024.1.1 at /bin/ncu does not answer `--help`");
    machine.without("ncu");
    starts(
        &machine.check("ncu"),
        "error: `ncu` was not found on the path, nor where NVIDIA installs it → install",
    );
    machine.script("opt/2024.3/ncu", &NCU.replace("VERSION", "2024.3.0.0"));
    assert_eq!(machine.check("ncu"), "ok: ncu 2024.3.0 at /opt/2024.3/ncu");
    machine.file("bin/broken", "");
    machine.ncu = vec![machine.at("bin/broken").into()];
    starts(&machine.check("ncu"), "error: cannot start `/bin/broken`");
    machine.script(
        "bin/many",
        &format!(
            "[ \"$1\" = simulate-ncu ] || exit 1; shift\n{}",
            NCU.replace("VERSION", "2026.1.0.0")
        ),
    );
    machine.ncu = vec!["many".into(), "simulate-ncu".into()];
    assert_eq!(machine.check("ncu"), "ok: ncu 2026.1.0 at /bin/many simulate-ncu");
}

#[test]
fn nsys() {
    let machine = Machine::new();
    fs_err::remove_file(machine.at("host/host-linux-x64/QdstrmImporter")).unwrap();
    starts(
        &machine.check("nsys"),
        "warning: nsys 2024.5.1 at /bin/nsys lacks `QdstrmImporter`: it would record and then leave no report → install all",
    );
    // As Debian has it: the importer is two folders off, and a link is missing.
    machine.script(
        "usr/lib/x86_64-linux-gnu/nsight-systems/target-linux-x64/nsys",
        "echo 'version 2022.4.2.50-1'",
    );
    machine.file("usr/lib/nsight-systems/host-linux-x64/QdstrmImporter", "");
    machine.without("nsys");
    let debian = machine.at("usr/lib/x86_64-linux-gnu/nsight-systems");
    symlink(debian.join("target-linux-x64/nsys"), machine.at("bin/nsys")).unwrap();
    let text = machine.check("nsys");
    assert!(
        text.ends_with("→ `ln -s /usr/lib/nsight-systems/host-linux-x64 /usr/lib/x86_64-linux-gnu/nsight-systems/host-linux-x64`"),
        "{text}"
    );
    symlink("../../nsight-systems/host-linux-x64", debian.join("host-linux-x64")).unwrap();
    assert_eq!(machine.check("nsys"), "ok: nsys 2022.4.2 at /bin/nsys");
    // A script that starts another: nothing is known of the importer.
    machine.tool("nsys", "echo 'NVIDIA Nsight Systems version 2024.1.1.59-1'");
    assert_eq!(machine.check("nsys"), "ok: nsys 2024.1.1 at /bin/nsys");
    machine.tool("nsys", "echo no libraries >&2; exit 127");
    starts(&machine.check("nsys"), "warning: `/bin/nsys` fails: no libraries → install");
    machine.tool("nsys", "echo hello");
    starts(&machine.check("nsys"), "warning: `/bin/nsys` does not say its version: hello →");
    machine.without("nsys");
    starts(&machine.check("nsys"), "warning: `nsys` is not on the path →");
}

#[test]
fn driver() {
    let machine = Machine::new();
    machine.file("proc/driver/nvidia/version", "strange\n");
    starts(
        &machine.check("driver"),
        "warning: the NVIDIA kernel module is loaded and does not say",
    );
    fs_err::remove_dir_all(machine.at("proc/driver")).unwrap();
    starts(&machine.check("driver"), "error: the NVIDIA kernel module is not loaded → install");
    machine.file("dev/dxg", "");
    assert_eq!(machine.check("driver"), "ok: the Windows driver, through WSL");
}

#[test]
fn library() {
    let mut machine = Machine::new();
    machine.file("proc/driver/nvidia/version", "NVRM version: Kernel Module  550.1.2  x\n");
    starts(
        &machine.check("libcuda"),
        "error: `/lib/libcuda.so.1` belongs to driver 535.104.05, but the kernel module to 550.1.2 →",
    );
    machine.library("cuda/lib64/stubs/libcuda.so.1", 4 << 20);
    machine.shown.library_path = machine.at("cuda/lib64/stubs").into();
    starts(
        &machine.check("libcuda"),
        "error: `/cuda/lib64/stubs/libcuda.so.1` is a stub, and ncu would end every program →",
    );
    machine.library("other/libcuda.so.1", 200_000);
    machine.shown.library_path = machine.at("other").into();
    starts(&machine.check("libcuda"), "error: `/other/libcuda.so.1` is a stub");
    fs_err::create_dir_all(machine.at("broken")).unwrap();
    symlink("nowhere", machine.at("broken/libcuda.so.1")).unwrap();
    machine.shown.library_path = machine.at("broken").into();
    starts(&machine.check("libcuda"), "error: `/broken/libcuda.so.1` leads nowhere →");
    machine.shown.library_path = OsString::new();
    machine.tool("ldconfig", "printf '\\tlibcuda.so (libc6) => /x\\n'");
    starts(&machine.check("libcuda"), "error: `libcuda.so.1` is not on the library path → install");
    machine.without("ldconfig");
    starts(&machine.check("libcuda"), "error: `libcuda.so.1` is not on the library path");
}

#[test]
fn gpu() {
    let mut machine = Machine::new();
    machine.shown.visible_devices = Some("".into());
    starts(&machine.check("gpu"), "warning: CUDA_VISIBLE_DEVICES hides every GPU");
    machine.shown.visible_devices = Some("0".into());
    machine
        .tool("nvidia-smi", "for i in 0 1 2 3 4 5 6 7 8 9; do echo \"GPU $i: X (UUID: 1)\"; done");
    let text = machine.check("gpu");
    assert!(text.ends_with("GPU 7: X, and 2 more"), "{text}");
    machine.tool("nvidia-smi", "exit 9");
    starts(
        &machine.check("gpu"),
        "warning: 1 device file; `nvidia-smi` is not there or does not answer",
    );
    machine.tool("nvidia-smi", "echo No devices were found");
    starts(&machine.check("gpu"), "error: there are device files, but `nvidia-smi` lists no GPU");
    fs_err::remove_file(machine.at("dev/nvidia0")).unwrap();
    starts(&machine.check("gpu"), "error: no GPU was found →");
    machine.without("nvidia-smi");
    starts(&machine.check("gpu"), "error: no GPU was found →");
}

#[test]
fn counters() {
    let machine = Machine::new();
    assert_eq!(
        machine.check("counters"),
        "ok: only administrators may read counters, and you are one"
    );
    let capable = |mask: &str| machine.file("proc/self/status", &format!("CapEff:\t{mask}\n"));
    capable("0000004000000000");
    starts(
        &machine.check("counters"),
        "ok: only administrators may read counters, but this process has CAP_PERFMON",
    );
    // Root in a container has some capabilities, and not the one that counts.
    capable("00000000a80425fb");
    starts(
        &machine.check("counters"),
        "error: only administrators may read counters (ERR_NVGPUCTRPERM) → run as root",
    );
    machine.file("proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
    assert_eq!(machine.check("counters"), "ok: every user may read counters");
    machine.file("proc/driver/nvidia/params", "Other: 1\n");
    starts(&machine.check("counters"), "warning: the driver does not say");
    fs_err::remove_file(machine.at("proc/driver/nvidia/params")).unwrap();
    starts(&machine.check("counters"), "warning: without a driver");
}

#[test]
fn counters_in_use() {
    let machine = Machine::new();
    machine.file("proc/17/comm", "bash\n");
    assert_eq!(machine.check("counters in use"), "ok: no other tool that reads counters was found");
    machine.file("proc/18/comm", "nv-hostengine\n");
    machine.file("proc/19/comm", "dcgm-exporter\n");
    starts(
        &machine.check("counters in use"),
        "warning: dcgm-exporter (process 19), nv-hostengine (process 18) may hold the counters",
    );
}

#[test]
fn disk() {
    let mut machine = Machine::new();
    machine.shown.free_bytes = |_| Ok(1 << 32);
    starts(&machine.check("run folder"), "warning: 4.0 GiB free at /runs → make room");
    machine.shown.free_bytes = |_| Ok(1 << 20);
    starts(&machine.check("temporary folder"), "error: 0.0 GiB free at /tmp → make room");
    machine.shown.free_bytes = |_| Err(std::io::Error::other("no answer"));
    starts(
        &machine.check("run folder"),
        "warning: cannot tell how much room there is at `/runs`: no answer",
    );
    machine.shown.may_write = |path| !path.ends_with("runs");
    starts(&machine.check("run folder"), "error: you may not write to `/runs` →");
    machine.file("runs/not", "");
    starts(&machine.check("run folder"), "error: `/runs/not` is a file, not a folder →");
    machine.folder = PathBuf::from("relative/folder");
    machine.shown.free_bytes = |_| Ok(1 << 40);
    machine.shown.may_write = |_| true;
    assert_eq!(machine.check("run folder"), "ok: 1024.0 GiB free at .");
}

#[test]
fn lock() {
    let mut machine = Machine::new();
    machine.shown.may_write = |path| !path.ends_with("nsight-compute-lock");
    assert_eq!(machine.check("ncu's lock"), "ok: free in /tmp");
    machine.file("tmp/nsight-compute-lock", "");
    starts(
        &machine.check("ncu's lock"),
        "error: `/tmp/nsight-compute-lock` belongs to another user",
    );
    machine.shown.may_write = |path| !path.ends_with("nsight_compute");
    assert_eq!(machine.check("ncu's lock"), "ok: free in /tmp");
    fs_err::create_dir_all(machine.at("tmp/nvidia/nsight_compute")).unwrap();
    starts(
        &machine.check("ncu's lock"),
        "error: `/tmp/nvidia/nsight_compute` belongs to another user",
    );
}

#[test]
fn the_programs_python() {
    let mut machine = Machine::new();
    let answers = |machine: &Machine, nvtx: &str, torch: &str, cuda: &str| {
        machine.tool("python3", &python("Hello from sitecustomize", nvtx, torch, cuda));
        machine.check("python")
    };
    starts(
        &answers(&machine, "null", "null", "null"),
        "warning: Python 3.11.7 at /bin/python3, without `nvtx` and `torch`",
    );
    starts(
        &answers(&machine, "\"0.2.13\"", "\"2.3.0+cpu\"", "null"),
        "warning: Python 3.11.7 at /bin/python3, nvtx 0.2.13, torch 2.3.0+cpu: a build without CUDA",
    );
    starts(
        &answers(&machine, "\"0.2.13\"", "null", "null"),
        "ok: Python 3.11.7 at /bin/python3, nvtx 0.2.13",
    );
    machine.nsys("2023.4.4");
    starts(
        &answers(&machine, "\"0.2.12\"", "null", "null"),
        "warning: Python 3.11.7 at /bin/python3, nvtx 0.2.12: from 0.2.12 on, nsys up to 2023.4 records none of its ranges → `/bin/python3 -m pip install 'nvtx<0.2.12'`",
    );
    starts(&answers(&machine, "\"0.2.11\"", "null", "null"), "ok: ");
    machine.tool("python3", "echo broken >&2; exit 1");
    starts(&machine.check("python"), "warning: `/bin/python3` does not answer: broken →");
    machine.without("python3");
    starts(&machine.check("python"), "warning: `python3` is not there →");

    // Among the words of the program, by its first line, or not at all.
    machine.tool("python3.12", &python("", "\"0.2.8\"", "null", "null"));
    let program = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    machine.program = program(&["mpirun", "-n", "2", "python3.12", "train.py"]);
    starts(&machine.check("python"), "ok: Python 3.11.7 at /bin/python3.12, nvtx 0.2.8");
    machine.file("bin/torchrun", "#!/usr/bin/env -S python3.12 -u\n");
    fs_err::set_permissions(machine.at("bin/torchrun"), std::fs::Permissions::from_mode(0o755))
        .unwrap();
    machine.program = program(&["torchrun", "train.py"]);
    starts(&machine.check("python"), "ok: Python 3.11.7 at /bin/python3.12");
    machine.program = program(&["ncu", "x"]);
    assert_eq!(machine.check("python"), "ok: the program is not in Python");
}

/// The question itself, put to a real Python with packages that are made up.
#[test]
fn a_real_python_answers() {
    let mut machine = Machine::new();
    let Some(real) = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .map(PathBuf::from)
        .into_iter()
        .chain(std::env::var_os("RANGESCOPE_PYTHON").map(PathBuf::from))
        .find(|path| path.exists())
    else {
        println!("SKIPPED: a real Python, because there is none");
        return;
    };
    let site = machine.at("site");
    for (name, version) in [("nvtx", "0.2.11"), ("torch", "2.5.1")] {
        let info = format!("site/{name}-{version}.dist-info/METADATA");
        machine.file(&info, &format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"));
    }
    // Loading it would fail, so it is not loaded.
    machine.file("site/torch/__init__.py", "raise SystemExit(1)\n");
    machine.file(
        "site/torch/version.py",
        "from typing import Optional\n__version__ = '2.5.1'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n",
    );
    // Files of the working folder are not run either.
    let wrapper = format!(
        "cd '{}' && PYTHONPATH='{}' exec '{}' \"$@\"",
        machine.root.path().display(),
        site.display(),
        real.display()
    );
    machine.file("json.py", "raise SystemExit(2)\n");
    machine.tool("python3", &wrapper);
    let text = machine.check("python");
    assert!(text.ends_with("nvtx 0.2.11, torch 2.5.1 for CUDA 12.4"), "{text}");
    machine
        .file("site/torch/version.py", "__version__ = '2.5.1+cpu'\ncuda: Optional[str] = None\n");
    assert!(machine.check("python").contains("a build without CUDA"));
    machine.program = vec![real.into_os_string()];
    assert!(machine.check("python").contains("Python 3."), "{}", machine.check("python"));
}

/// Every tool hangs, and still there is an answer.
#[test]
fn tools_that_hang_are_given_up() {
    let mut machine = Machine::new();
    for tool in ["ncu", "nsys", "nvidia-smi", "ldconfig", "python3"] {
        machine.tool(tool, "sleep 60");
    }
    machine.shown.patience = Duration::from_millis(200);
    starts(&machine.check("ncu"), "error: `/bin/ncu --version` does not finish →");
    machine.ncu = vec!["/nonexistent/ncu".into()];
    starts(&machine.check("nsys"), "warning: `/bin/nsys` does not answer");
    starts(&machine.check("gpu"), "warning: 1 device file; `nvidia-smi` is not there or does not");
    starts(&machine.check("python"), "warning: `/bin/python3` does not answer");
}

/// Whatever it is.
#[test]
fn this_machine_gets_an_answer_too() {
    let _alone = alone();
    let this = doctor::Machine::this();
    let checks = doctor::doctor(&DoctorRequest {
        ncu: &[],
        nsys: OsStr::new("nsys"),
        program: &[],
        folder: Path::new("tmp/profile-output"),
        machine: &this,
    })
    .checks;
    assert_eq!(checks.len(), 11);
    assert!(checks.iter().all(|check| check.fix.is_some() == (check.status != Status::Ok)));
}
