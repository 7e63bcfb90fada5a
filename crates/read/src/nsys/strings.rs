//! Strings that an export keeps once and refers to by number.

use rustc_hash::FxHashMap;

use crate::nsys::database::Database;
use crate::nsys::error::NsysError;
use crate::nsys::names::{NameId, Names};

/// A text: in a row itself, or the number of a string.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    Inline(NameId),
    Registered(i64),
}

/// The strings of an export that are needed.
#[derive(Debug, Default)]
pub(crate) struct Strings(FxHashMap<i64, Option<NameId>>);

impl Strings {
    /// Reads the strings with these numbers. An export has many others, which are passed over.
    pub(crate) fn read(
        database: &Database,
        wanted: impl Iterator<Item = i64>,
        names: &mut Names,
    ) -> Result<Self, NsysError> {
        let mut strings: FxHashMap<i64, Option<NameId>> = wanted.map(|id| (id, None)).collect();
        database.rows("StringIds", &["id", "value"], 2, |cells| {
            if let (Some(id), Some(value)) = (cells.integer(0), cells.text(1))
                && let Some(name) = strings.get_mut(&id)
            {
                *name = Some(names.id(&value));
            }
        })?;
        Ok(Self(strings))
    }

    /// The text; a stand-in where the string is lost.
    pub(crate) fn name(&self, message: Message, names: &mut Names) -> NameId {
        match message {
            Message::Inline(name) => name,
            Message::Registered(id) => match self.0.get(&id) {
                Some(&Some(name)) => name,
                _ => names.id(&format!("(string {id})")),
            },
        }
    }
}
