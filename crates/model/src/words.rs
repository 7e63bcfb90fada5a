//! Words with a meaning, as types: an enum whose variants know how they are written.

/// A type that is one of a few words.
pub trait Word: Copy + PartialEq + 'static {
    /// Every value with its word, in the order in which documents list them.
    const ALL: &'static [(Self, &'static str)];

    /// The word for this value.
    fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(value, _)| *value == self).map_or("", |(_, word)| word)
    }

    /// The value for a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
    }
}

/// Defines such a type; the variant marked `#[default]` is rangescope's default.
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $name:ident {
        $($(#[$variant_about:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_about])* $variant,)+
        }

        impl $name {
            /// The words, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl $crate::words::Word for $name {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $word)),+];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::words::Word::as_str(*self))
            }
        }
    };
}
