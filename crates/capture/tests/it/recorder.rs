//! The embedded library: what it is, and where it is put.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use rangescope_capture::recorder::RecorderError;
use rangescope_capture::recorder::{self, environment};
use rangescope_recorder::LIBRARY;

fn holds(name: &str) -> bool {
    let wanted = [b"\0", name.as_bytes(), b"\0"].concat();
    LIBRARY.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn the_library_exports_what_nvtx_looks_for_and_cannot_panic() {
    assert!(holds("InitializeInjectionNvtx2") && holds("InitializeInjectionNvtxExtension"));
    // Its panic handler would need this function; it is only linked in if something can reach the handler.
    assert!(!holds("abort"));
    // Hooks run in signal handlers, too: the library has nothing to allocate or lock with, and no call at which a thread can be cancelled.
    for name in
        ["malloc", "calloc", "free", "pthread_setspecific", "pthread_mutex_lock", "open", "write"]
    {
        assert!(!holds(name), "{name}");
    }
    // Nor does it need anything to unwind with.
    assert!(!LIBRARY.windows(8).any(|window| window == b"_Unwind_"));
}

#[test]
fn it_is_unpacked_once_and_replaced_when_it_is_not_what_it_should_be() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("deep/cache");
    let path = recorder::unpack_into(&folder).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), LIBRARY);
    assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o022, 0);

    let before = std::fs::metadata(&path).unwrap().ino();
    assert_eq!(recorder::unpack_into(&folder).unwrap(), path);
    assert_eq!(std::fs::metadata(&path).unwrap().ino(), before);

    let mut changed = LIBRARY.to_vec();
    changed[1000] ^= 1;
    std::fs::write(&path, changed).unwrap();
    assert_eq!(recorder::unpack_into(&folder).unwrap(), path);
    assert_eq!(std::fs::read(&path).unwrap(), LIBRARY);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn others_are_locked_out() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("cache");
    let path = recorder::unpack_into(&folder).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
    recorder::unpack_into(&folder).unwrap();
    assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o022, 0);
}

#[test]
fn links_are_not_followed() {
    let place = tempfile::tempdir().unwrap();
    let real = place.path().join("real");
    std::fs::create_dir(&real).unwrap();
    symlink(&real, place.path().join("link")).unwrap();
    let refused = recorder::unpack_into(&place.path().join("link")).unwrap_err();
    assert!(matches!(refused, RecorderError::NotPrivate { .. }), "{refused}");

    let folder = place.path().join("cache");
    let path = recorder::unpack_into(&folder).unwrap();
    let copy = place.path().join("copy.so");
    std::fs::rename(&path, &copy).unwrap();
    symlink(&copy, &path).unwrap();
    recorder::unpack_into(&folder).unwrap();
    assert!(std::fs::symlink_metadata(&path).unwrap().is_file());
}

#[test]
fn folders_of_other_users_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("cache");
    std::fs::create_dir(&folder).unwrap();
    if std::os::unix::fs::chown(&folder, Some(65534), None).is_err() {
        // Only the superuser can give folders away; the folder of the system is another user's then.
        assert!(recorder::unpack_into(Path::new("/usr")).is_err());
        return;
    }
    let refused = recorder::unpack_into(&folder).unwrap_err();
    assert!(matches!(refused, RecorderError::NotPrivate { .. }), "{refused}");
    assert!(refused.hint().is_some());
}

#[test]
fn the_environment_has_absolute_paths() {
    let variables = environment(Path::new("out"), Path::new("/lib.so"));
    let names: Vec<_> = variables.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    assert_eq!(names, ["NVTX_INJECTION64_PATH", "RANGESCOPE_RECORDING"]);
    assert!(variables.iter().all(|(_, value)| Path::new(value).is_absolute()));
}
