//! What is taken of the program's environment, and when.

use std::ffi::c_int;

use rangescope_recorder::format::{DEVICES_VARIABLE, Header, RANK_VARIABLES, key};

use crate::nvtx::{
    CORE, InitializeInjectionNvtx2, child, folder, get_table, hook, is_child, recorded, records,
};

/// Attaches the library and forks a child that changes its environment before its first event and after it, as a program does that forks its workers. It is a
/// test only so that the same program can be started again.
#[test]
fn changes_its_environment() {
    if !is_child() {
        return;
    }
    // SAFETY: the functions have the types that NVTX gives them; this thread alone looks at the environment.
    unsafe {
        let folder = std::env::var("RANGESCOPE_RECORDING").unwrap();
        assert_eq!(InitializeInjectionNvtx2(get_table), 1);
        let pop: unsafe extern "C" fn() -> c_int = hook(CORE, 11);
        std::env::set_var("SLURM_PROCID", "7");
        std::env::set_var("RANGESCOPE_RECORDING", "/nowhere");
        std::env::set_var("PATH", "x".repeat(100_000));
        let forked = libc::fork();
        if forked == 0 {
            std::env::set_var("RANK", "6");
            std::env::remove_var("SLURM_LOCALID");
            pop();
            std::env::set_var("RANK", "8");
            pop();
            libc::_exit(0);
        }
        let mut status = -1;
        assert_eq!(libc::waitpid(forked, &raw mut status, 0), forked);
        assert_eq!(status, 0);
        // The test reads one file: that of the child.
        let own = format!("{}-0.nvtx", std::process::id());
        std::fs::remove_file(std::path::Path::new(&folder).join(own)).unwrap();
    }
}

#[test]
fn a_forked_child_has_the_variables_of_its_first_event() {
    let folder = folder("environment");
    let mut command = child("environment::changes_its_environment", &folder);
    for name in RANK_VARIABLES {
        command.env_remove(name);
    }
    command.env("RANK", "5").env("LOCAL_RANK", "").env("SLURM_LOCALID", "4").env("SECRET", "xyzzy");
    // One byte less than is left out, and one more.
    command.env(DEVICES_VARIABLE, "d".repeat(1024)).env("WORLD_SIZE", "1".repeat(1025));
    let (_, file) = recorded(&mut command, &folder);
    let header = Header::decode(&file).unwrap();
    assert!(header.forked);
    let devices = "d".repeat(1024);
    let variables: Vec<(&[u8], &[u8])> = header
        .entries()
        .filter(|(name, _)| {
            ![key::HOST, key::COMMAND, key::PARENT_FILE].map(str::as_bytes).contains(name)
        })
        .collect();
    let expected: [(&str, &str); 4] =
        [("SLURM_PROCID", "7"), ("RANK", "6"), ("LOCAL_RANK", ""), (DEVICES_VARIABLE, &devices)];
    assert_eq!(variables, expected.map(|(name, value)| (name.as_bytes(), value.as_bytes())));
    assert_eq!(records(&file).len(), 2);
}
