//! Bounds on what a configuration may cost.
//!
//! Configuration files come from other people too. Every quantity that an author could inflate (files, nesting, aliases, interpolations that double their text) has a bound here, far above what any sensible tree needs.

/// Largest configuration file, in bytes.
pub(crate) const FILE_BYTES: usize = 1 << 20;
/// Deepest nesting of lists and maps, of keys in a path, and of anything that is parsed recursively.
pub(crate) const DEPTH: usize = 64;
/// Deepest tree after composition; packages and interpolations nest what files hold.
pub(crate) const TREE_DEPTH: usize = 192;
/// Most nodes in one file with its aliases expanded, and in a resolved configuration.
pub(crate) const NODES: usize = 100_000;
/// Most bytes of text in one file with its aliases expanded, and in a resolved configuration.
pub(crate) const TEXT_BYTES: usize = 8 << 20;
/// Most configuration files in one composition, counting repetitions.
pub(crate) const LOADS: usize = 4_096;
/// Most interpolations evaluated in one resolution.
pub(crate) const EVALUATIONS: usize = 100_000;
/// Longest override, in bytes.
pub(crate) const OVERRIDE_BYTES: usize = 64 << 10;
/// Most runs of one sweep.
pub(crate) const SWEEP_RUNS: usize = 10_000;
/// Most folders and files that a listing of groups visits.
pub(crate) const LISTED: usize = 10_000;
