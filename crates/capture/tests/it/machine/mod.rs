//! Machines that are made up: trees with what a system shows of itself, and scripts that stand in for tools.

#![allow(unreachable_pub, reason = "the test takes this in as a module of its own")]

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rangescope_capture::doctor::{self, Check, DoctorRequest, Status};
use tempfile::TempDir;

/// An ncu that answers what it is asked.
pub const NCU: &str = r#"case "$1" in
--version) echo 'NVIDIA (R) Nsight Compute'; echo 'Version VERSION (build 1)';;
--help) printf 'Options:\n  --nvtx   NVTX\n  --export arg   Report\n';;
--list-sets) printf 'Identifier Sections\nbasic X\n';;
--list-sections) printf 'Identifier Name\nSpeedOfLight X\n';;
esac
"#;
pub const PARAMETERS: &str = "EnableGpuFirmware: 18\nRmProfilingAdminOnly: 1\n";

/// While one thread starts a program, no other may be writing one: the system refuses to run a file that somebody has open for writing, be it for an instant.
static ALONE: Mutex<()> = Mutex::new(());

pub fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A machine that is made up; as it comes, all is well with it.
pub struct Machine {
    _alone: MutexGuard<'static, ()>,
    pub root: TempDir,
    pub shown: doctor::Machine,
    pub program: Vec<OsString>,
    pub folder: PathBuf,
    pub ncu: Vec<OsString>,
}

impl Machine {
    pub fn new() -> Self {
        let alone = alone();
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        let shown = doctor::Machine {
            proc: at("proc"),
            dev: at("dev"),
            temporary: at("tmp"),
            path: at("bin").into_os_string(),
            library_path: OsString::new(),
            visible_devices: None,
            install_folders: vec![at("opt")],
            free_bytes: |_| Ok(1 << 40),
            may_write: |_| true,
            patience: Duration::from_secs(20),
        };
        let folder = at("runs/not/yet");
        let machine =
            Self { _alone: alone, shown, program: Vec::new(), folder, ncu: Vec::new(), root };
        for folder in ["proc/self", "dev", "tmp", "bin", "lib", "runs"] {
            fs_err::create_dir_all(machine.at(folder)).unwrap();
        }
        machine.tool("ncu", &NCU.replace("VERSION", "2024.1.1.0"));
        machine.nsys("2024.5.1");
        machine.file("host/host-linux-x64/QdstrmImporter", "");
        machine.file("host/target-linux-x64/x", "");
        machine.tool("nvidia-smi", "echo 'GPU 0: NVIDIA H100 (UUID: GPU-1)'");
        machine.tool("python3", &python("nvtx", "\"0.2.11\"", "\"2.3.0\"", "\"12.1\""));
        machine.file(
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\n",
        );
        machine.file("proc/driver/nvidia/params", PARAMETERS);
        machine.file("proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
        machine.file("dev/nvidia0", "");
        machine.file("dev/nvidiactl", "");
        machine.library("lib/libcuda.so.535.104.05", 4 << 20);
        symlink("libcuda.so.535.104.05", machine.at("lib/libcuda.so.1")).unwrap();
        let cache = format!(
            "\tlibcuda.so.1 (libc6,x86-64) => {}\n",
            machine.at("lib/libcuda.so.1").display()
        );
        machine.tool("ldconfig", &format!("printf '%s' '{cache}'"));
        machine
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub fn file(&self, path: &str, text: &str) {
        fs_err::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs_err::write(self.at(path), text).unwrap();
    }

    pub fn script(&self, path: &str, script: &str) {
        self.file(path, &format!("#!/bin/sh\n{script}\n"));
        fs_err::set_permissions(self.at(path), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn tool(&self, name: &str, script: &str) {
        self.without(name);
        self.script(&format!("bin/{name}"), script);
    }

    pub fn without(&self, name: &str) {
        let _ = fs_err::remove_file(self.at("bin").join(name));
    }

    /// nsys as it is installed: a link to the real one, beside which the importer has to be.
    pub fn nsys(&self, version: &str) {
        let said = format!("echo 'NVIDIA Nsight Systems version {version}.54-234433681190v0'");
        self.script("host/target-linux-x64/nsys", &said);
        self.without("nsys");
        symlink(self.at("host/target-linux-x64/nsys"), self.at("bin/nsys")).unwrap();
    }

    pub fn library(&self, path: &str, bytes: u64) {
        self.file(path, "");
        fs_err::OpenOptions::new().write(true).open(self.at(path)).unwrap().set_len(bytes).unwrap();
    }

    pub fn checks(&self) -> Vec<Check> {
        self.verdict().checks
    }

    pub fn verdict(&self) -> doctor::Verdict {
        doctor::doctor(&DoctorRequest {
            ncu: &self.ncu,
            nsys: OsStr::new("nsys"),
            program: &self.program,
            folder: &self.folder,
            machine: &self.shown,
        })
    }

    /// One check as `status: detail → fix`, with the machine's own folder left out.
    pub fn check(&self, name: &str) -> String {
        let checks = self.checks();
        let Some(check) = checks.iter().find(|check| check.name == name) else {
            panic!("no check `{name}`")
        };
        assert_eq!(check.fix.is_some(), check.status != Status::Ok, "{check:?}");
        let fix = check.fix.as_ref().map(|fix| format!(" → {fix}")).unwrap_or_default();
        let text = format!("{}: {}{fix}", check.status.as_str(), check.detail);
        text.replace(&self.root.path().display().to_string(), "")
    }
}

/// A Python that answers what it is asked.
pub fn python(before: &str, nvtx: &str, torch: &str, cuda: &str) -> String {
    format!(
        "echo '{before}'; echo '{{\"python\": \"3.11.7\", \"nvtx\": {nvtx}, \"torch\": {torch}, \"cuda\": {cuda}}}'"
    )
}
