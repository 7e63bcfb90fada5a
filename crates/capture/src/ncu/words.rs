//! Sets of words, as the values of many options are: an enum whose variants know how they are written.

/// Defines an enum with the word of each variant, for reading, writing and listing. The first variant is the default.
macro_rules! words {
    (
        $(#[$about:meta])* $name:ident {
            $(#[$first_about:meta])* $first:ident = $first_word:literal,
            $($(#[$variant_about:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        pub enum $name {
            $(#[$first_about])*
            #[default]
            #[serde(rename = $first_word)]
            $first,
            $($(#[$variant_about])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[Self::$first, $(Self::$variant,)+];

            /// The word, as it is written on ncu's command line.
            pub fn as_str(self) -> &'static str {
                match self {
                    Self::$first => $first_word,
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    let words: Vec<&str> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    format!("`{text}` is none of {}", words.join(", "))
                })
            }
        }
    };
}

pub(crate) use words;
