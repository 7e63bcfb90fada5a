//! Folder names for regions: safe on every file system, unique, and the same in every run where that is possible.

use rangescope_model::region::RegionRef;
use rustc_hash::FxHashMap;

/// Longest folder name in bytes.
const LONGEST: usize = 80;
/// Hexadecimal digits of the hash that tells regions apart; more are used in the rare case that these are not enough.
const HASH_DIGITS: [usize; 3] = [8, 16, 32];

/// A region's identity, and the name for people after which its folder is called.
pub(crate) type NamedRegion<'r> = (RegionRef<'r>, &'r str);

/// A folder name for each region, in the same order. The same region twice gets the same name twice; different regions get different names, also where
/// upper and lower case are not told apart.
///
/// Regions whose names clash all carry a hash of what identifies them, so that the name of one does not depend on which of them came first.
pub(crate) fn safe_names(regions: &[NamedRegion<'_>]) -> Vec<String> {
    let mut digits: Vec<usize> =
        regions.iter().map(|region| if is_safe(region.1) { 0 } else { HASH_DIGITS[0] }).collect();
    let mut names: Vec<String> =
        regions.iter().zip(&digits).map(|(region, digits)| folder_name(region, *digits)).collect();
    for longer in HASH_DIGITS {
        let mut owners: FxHashMap<String, Owner<'_>> = FxHashMap::default();
        for (name, region) in names.iter().zip(regions) {
            owners
                .entry(name.to_lowercase())
                .and_modify(|owner| owner.see(region))
                .or_insert(Owner { region: *region, is_shared: false });
        }
        let mut has_clash = false;
        for ((name, region), digits) in names.iter_mut().zip(regions).zip(&mut digits) {
            let is_shared = owners.get(&name.to_lowercase()).is_some_and(|owner| owner.is_shared);
            if is_shared && *digits < longer {
                has_clash = true;
                *digits = longer;
                *name = folder_name(region, longer);
            }
        }
        if !has_clash {
            break;
        }
    }
    names
}

struct Owner<'r> {
    region: NamedRegion<'r>,
    is_shared: bool,
}

impl Owner<'_> {
    fn see(&mut self, other: &NamedRegion<'_>) {
        self.is_shared |= self.region.0 != other.0;
    }
}

/// Whether a name can be a folder's name with nothing but unsafe characters replaced.
fn is_safe(name: &str) -> bool {
    let replaced = replace_unsafe(name);
    let says_something = replaced.bytes().any(|byte| byte.is_ascii_alphanumeric());
    says_something && replaced.len() <= LONGEST && !replaced.starts_with(['.', '-'])
}

fn folder_name(region: &NamedRegion<'_>, digits: usize) -> String {
    let mut name = replace_unsafe(region.1);
    if digits == 0 {
        return name;
    }
    // A leading dot hides a folder, a leading dash looks like an option.
    let visible = name.trim_start_matches(['.', '-']).to_owned();
    name = if visible.len() < name.len() { format!("_{visible}") } else { visible };
    name.truncate(LONGEST - 1 - digits);
    if name.is_empty() {
        name.push('_');
    }
    let hash = hash(region).to_hex();
    format!("{name}-{}", hash.get(..digits).unwrap_or(&hash))
}

/// Runs of characters that are not letters, digits, `_`, `.` or `-` become one `_`. The outcome is ASCII.
fn replace_unsafe(name: &str) -> String {
    // A folder name needs no more than its first characters, and range names may be arbitrarily long.
    let mut safe = String::new();
    let mut in_run = false;
    for character in name.chars() {
        let is_safe = character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
        if is_safe {
            safe.push(character);
        } else if !in_run {
            safe.push('_');
        }
        in_run = !is_safe;
        if safe.len() > LONGEST {
            break;
        }
    }
    safe
}

fn hash(region: &NamedRegion<'_>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let RegionRef { domain, kind, path } = region.0;
    for text in [domain, kind.as_str()].into_iter().chain(path.iter().map(String::as_str)) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::safe_names;
    use rangescope_model::region::{RangeKind, RegionRef};

    fn names(regions: &[(&str, &[&str])]) -> Vec<String> {
        let paths: Vec<Vec<String>> = regions
            .iter()
            .map(|(_, path)| path.iter().map(|name| (*name).to_owned()).collect())
            .collect();
        let keys =
            paths.iter().map(|path| RegionRef { domain: "d", kind: RangeKind::PushPop, path });
        let names = regions.iter().map(|(name, _)| *name);
        safe_names(&keys.zip(names).collect::<Vec<_>>())
    }

    #[test]
    fn ordinary_names_stay_readable() {
        assert_eq!(
            names(&[
                ("prefill", &["prefill"]),
                ("A::A1", &["A", "A1"]),
                ("layers.3", &["layers.3"])
            ]),
            ["prefill", "A_A1", "layers.3"]
        );
    }

    #[test]
    fn odd_names_get_a_hash() {
        for odd in ["", ".", "..", "-rf", ".hidden", "日本", "::"] {
            let name = &names(&[(odd, &[odd])])[0];
            assert!(name.starts_with('_') && name.len() >= 10, "{odd:?} became {name}");
        }
        let long = "x".repeat(10_000);
        let name = &names(&[(&long, &[&long])])[0];
        assert_eq!(name.len(), 80);
    }

    #[test]
    fn clashing_names_all_get_a_hash_whatever_their_order() {
        let one = names(&[("a b", &["a b"]), ("a+b", &["a+b"]), ("A_B", &["A_B"]), ("c", &["c"])]);
        let other =
            names(&[("c", &["c"]), ("A_B", &["A_B"]), ("a+b", &["a+b"]), ("a b", &["a b"])]);
        assert_eq!(one.iter().rev().collect::<Vec<_>>(), other.iter().collect::<Vec<_>>());
        assert!(one[..3].iter().all(|name| name.len() == 12), "{one:?}");
        assert_eq!(one[3], "c");
    }

    #[test]
    fn the_same_region_keeps_one_name() {
        let twice = names(&[("x", &["x"]), ("x", &["x"])]);
        assert_eq!(twice, ["x", "x"]);
    }

    #[test]
    fn equal_display_names_of_different_paths_differ() {
        let both = names(&[("A::B::C", &["A", "B::C"]), ("A::B::C", &["A::B", "C"])]);
        assert_ne!(both[0], both[1]);
    }

    #[test]
    fn a_name_that_looks_like_a_hashed_one_is_told_apart() {
        let hashed = names(&[("a b", &["a b"]), ("a+b", &["a+b"])]);
        let all = names(&[("a b", &["a b"]), ("a+b", &["a+b"]), (&hashed[0], &[&hashed[0]])]);
        let mut unique = all.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), 3, "{all:?}");
    }
}
