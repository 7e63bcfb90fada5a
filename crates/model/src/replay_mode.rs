//! The replay mode.

use serde::{Serialize, Serializer};

use crate::words::Word;

crate::words! {
    ReplayMode {
        /// Each kernel is run several times.
        #[default]
        Kernel = "kernel",
        /// The program is run several times.
        Application = "application",
        /// Each range is run several times, and is one result.
        Range = "range",
        /// The program is run several times; each range is one result.
        AppRange = "app-range",
    }
}

impl ReplayMode {
    pub fn is_range(self) -> bool {
        matches!(self, Self::Range | Self::AppRange)
    }
}

impl Serialize for ReplayMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
