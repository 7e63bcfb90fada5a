//! Whose run folder it is: going on with a run starts its program, so a folder that came from somebody else is not resumed without a word.
//!
//! What would be run is sealed with a key of the user's own, which never leaves the machine. A seal that does not fit means another user, another machine, or a change since then;
//! which of them, nobody can tell, and it need not be told.

use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rangescope_capture::files::make_private_folder;

const KEY_BYTES: usize = 32;
type Key = [u8; KEY_BYTES];

/// What holds the key, below the folder for what programs keep.
const KEY_FILE: &str = "rangescope/run.key";

/// A seal over texts; `None` where the user has no place for a key.
pub(crate) fn seal(texts: &[&str]) -> Option<String> {
    let path = key_file()?;
    let key = read_key(&path).or_else(|| {
        // Somebody else may have been faster, and then theirs is the key.
        let _ = make_key(&path);
        read_key(&path)
    })?;
    Some(sealed(&key, texts).to_hex().to_string())
}

/// Whether a seal is the one that this user gives to these texts.
pub(crate) fn fits(seal: &str, texts: &[&str]) -> bool {
    let key = key_file().and_then(|path| read_key(&path));
    key.is_some_and(|key| {
        // Hashes compare without telling by their time where they differ.
        blake3::Hash::from_hex(seal).is_ok_and(|given| given == sealed(&key, texts))
    })
}

fn sealed(key: &Key, texts: &[&str]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize()
}

fn key_file() -> Option<PathBuf> {
    let absolute =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state =
        absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join(KEY_FILE))
}

/// A key that others can read is none.
fn read_key(path: &Path) -> Option<Key> {
    let mut file = fs_err::File::open(path).ok()?;
    let found = file.metadata().ok()?;
    let others = found.permissions().mode() & 0o077;
    let is_private = found.is_file() && others == 0;
    let mut key = [0; KEY_BYTES];
    file.read_exact(&mut key).ok().filter(|()| is_private)?;
    Some(key)
}

fn make_key(path: &Path) -> io::Result<()> {
    let mut key = [0; KEY_BYTES];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut key)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    make_private_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&key)?;
    file.persist_noclobber(path).map(drop).map_err(|failed| failed.error)
}

#[cfg(test)]
mod tests {
    use super::{make_key, read_key, sealed};

    #[test]
    fn a_key_is_made_once_and_kept_from_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/rangescope/run.key");
        assert_eq!(read_key(&path), None);
        make_key(&path).unwrap();
        let key = read_key(&path).unwrap();
        assert!(make_key(&path).is_err(), "a key that is there stays");
        assert_eq!(read_key(&path), Some(key));
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(read_key(&path), None);
    }

    #[test]
    fn a_seal_is_about_each_text_and_the_key() {
        let seal = sealed(&[1; 32], &["ab", "c"]);
        assert_eq!(seal, sealed(&[1; 32], &["ab", "c"]));
        assert_ne!(seal, sealed(&[1; 32], &["a", "bc"]));
        assert_ne!(seal, sealed(&[2; 32], &["ab", "c"]));
    }
}
