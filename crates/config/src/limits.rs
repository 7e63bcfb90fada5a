//! Bounds on what a configuration may cost.
//!
//! Configuration files come from other people too. Every quantity that an author could inflate (files, nesting, aliases, interpolations that double their text) has a bound here, far above what any sensible tree needs.

pub(crate) const FILE_BYTES: usize = 1 << 20;
/// Of lists and maps, of keys in a path, and of anything that is parsed recursively.
pub(crate) const DEPTH: usize = 64;
/// After composition; packages and interpolations nest what files hold.
pub(crate) const TREE_DEPTH: usize = 192;
/// In one file with its aliases expanded, and in a resolved configuration.
pub(crate) const NODES: usize = 100_000;
/// In one file with its aliases expanded, and in a resolved configuration.
pub(crate) const TEXT_BYTES: usize = 8 << 20;
/// In one composition, counting repetitions.
pub(crate) const LOADS: usize = 4_096;
/// Of interpolations, in one resolution.
pub(crate) const EVALUATIONS: usize = 100_000;
pub(crate) const OVERRIDE_BYTES: usize = 64 << 10;
pub(crate) const SWEEP_RUNS: usize = 10_000;
/// Folders and files that a listing of groups visits.
pub(crate) const LISTED: usize = 10_000;
