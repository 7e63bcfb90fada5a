//! What rangescope writes into the session of a report that it makes itself, because the format has no field for it.

/// The version entry by which a simulated device names itself; a report that has it is no measurement.
pub const SIMULATOR_PROVIDER: &str = "rangescope simulator";

/// The version entry that lists the ranks of processes, as `pid:rank` with blanks between them.
pub const RANKS: &str = "rangescope ranks";
