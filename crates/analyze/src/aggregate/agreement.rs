//! Whether a set of results agrees on something.

/// Nothing seen, one value seen, or several different ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Agreement<T> {
    #[default]
    Nothing,
    One(T),
    Several,
}

impl<T: PartialEq> Agreement<T> {
    /// Takes one more value into account.
    pub(crate) fn see(&mut self, value: T) {
        match self {
            Self::Nothing => *self = Self::One(value),
            Self::One(seen) if *seen == value => {}
            _ => *self = Self::Several,
        }
    }

    /// Takes everything that another set has seen into account.
    pub(crate) fn merge(&mut self, other: Self) {
        match other {
            Self::Nothing => {}
            Self::One(value) => self.see(value),
            Self::Several => *self = Self::Several,
        }
    }

    /// The value, if all agree on one.
    pub(crate) fn value(self) -> Option<T> {
        match self {
            Self::One(value) => Some(value),
            _ => None,
        }
    }
}
