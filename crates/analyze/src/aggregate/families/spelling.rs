//! Names as text with numbers and identifiers in it, and what each number can be by the place where it stands.

/// A name in parts; numbers and identifiers are its slots.
#[derive(Debug)]
pub(super) struct Spelled<'n> {
    parts: Vec<(&'n str, Option<Slot>)>,
}

/// What stands in a name where another name may have something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Number(i64, Label),
    /// A UUID, an address, other hexadecimals, a date, what is called an id, and whatever has too many digits to count.
    Identifier,
    /// A number with a fraction or an exponent.
    Fraction,
}

/// What the place of a number tells about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Nothing,
    /// It follows a word for a size or a kind: `N=1024`, `fp8`.
    SizeWord,
    /// It is part of a shape or has a unit: `128x256`, `[32, 128]`, `2d`, `7b`.
    Shape,
}

/// Words before numbers that say how much or which kind, and not which one.
const SIZE_WORDS: [&str; 61] = [
    "angle",
    "b",
    "batch",
    "batchsize",
    "bf",
    "bits",
    "blocks",
    "bs",
    "bsz",
    "channels",
    "cols",
    "context",
    "ctx",
    "degree",
    "degrees",
    "dim",
    "dims",
    "dp",
    "ep",
    "float",
    "fp",
    "group",
    "groups",
    "heads",
    "height",
    "hidden",
    "int",
    "k",
    "len",
    "length",
    "m",
    "mb",
    "n",
    "percent",
    "pp",
    "rate",
    "rot",
    "rotate",
    "rotation",
    "rows",
    "seqlen",
    "size",
    "sm",
    "sp",
    "sparsity",
    "stages",
    "tf",
    "threads",
    "tile",
    "tokens",
    "topk",
    "tp",
    "u",
    "uint",
    "v",
    "ver",
    "version",
    "w",
    "warps",
    "width",
    "world",
];

const ID_WORDS: [&str; 8] = ["gid", "guid", "id", "opid", "pid", "rid", "tid", "uid"];

/// More digits are no count.
const MOST_DIGITS: usize = 18;

/// Fewer hexadecimal digits may be a word with a number.
const FEWEST_HEX: usize = 6;

impl<'n> Spelled<'n> {
    pub(super) fn new(name: &'n str) -> Self {
        let mut spelled = Self { parts: Vec::new() };
        let mut rest = name;
        let mut before = None;
        while let Some(next) = rest.chars().next() {
            let found = match before {
                Some(before) if is_word(before) => None,
                _ => identifier(rest, before),
            };
            let (length, slot) = found.or_else(|| number(rest, before)).unzip();
            let length = length.unwrap_or(next.len_utf8());
            let Some((part, after)) = rest.split_at_checked(length) else { break };
            match (slot, spelled.parts.last_mut()) {
                (None, Some((text, None))) => {
                    // Both lie beside each other in the name.
                    let start = name.len() - rest.len() - text.len();
                    *text = name.get(start..start + text.len() + length).unwrap_or(text);
                }
                _ => spelled.parts.push((part, slot)),
            }
            before = part.chars().next_back();
            rest = after;
        }
        spelled.label();
        spelled
    }

    /// The name without what stands in its slots.
    pub(super) fn template(&self) -> Vec<Option<&'n str>> {
        self.parts.iter().map(|(text, slot)| slot.is_none().then_some(*text)).collect()
    }

    /// What stands in the slots, as it is written.
    pub(super) fn slots(&self) -> impl Iterator<Item = (&'n str, Slot)> {
        self.parts.iter().filter_map(|(text, slot)| Some((*text, (*slot)?)))
    }

    /// The name with `*` in the slots that are marked.
    pub(super) fn with_stars(&self, starred: &[bool]) -> String {
        let mut starred = starred.iter();
        let shown = |(text, slot): &(&'n str, Option<Slot>)| match slot {
            Some(_) if starred.next() == Some(&true) => "*",
            _ => *text,
        };
        self.parts.iter().map(shown).collect()
    }

    /// Finds out what the places of numbers tell.
    fn label(&mut self) {
        for at in 0..self.parts.len() {
            let text = |at: Option<usize>| match at.and_then(|at| self.parts.get(at)) {
                Some((text, None)) => *text,
                _ => "",
            };
            let is_number = |at: Option<usize>| {
                let part = at.and_then(|at| self.parts.get(at));
                matches!(part, Some((_, Some(Slot::Number(..)))))
            };
            let (before, after) = (text(at.checked_sub(1)), text(Some(at + 1)));
            let in_shape = (is_number(at.checked_sub(2)) && is_by(before))
                || (is_number(Some(at + 2)) && is_by(after));
            let word = word_before(before);
            let found = if in_shape || has_unit(after) {
                Slot::Number(0, Label::Shape)
            } else if ID_WORDS.contains(&word.as_str()) {
                Slot::Identifier
            } else if SIZE_WORDS.contains(&word.as_str()) {
                Slot::Number(0, Label::SizeWord)
            } else {
                continue;
            };
            if let Some((_, Some(slot @ Slot::Number(..)))) = self.parts.get_mut(at) {
                *slot = match (*slot, found) {
                    (Slot::Number(value, _), Slot::Number(_, label)) => Slot::Number(value, label),
                    (_, found) => found,
                };
            }
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
}

/// Whether text between two numbers makes a shape of them: `x`, `,`, `], [`.
fn is_by(text: &str) -> bool {
    let by = |character: char| matches!(character, ',' | 'x' | 'X' | '*' | '×');
    text.chars().any(by)
        && text.chars().all(|one| by(one) || matches!(one, ' ' | '[' | ']' | '(' | ')'))
}

/// Whether text after a number is its unit. A capital with a small letter after it begins a new word, as in `layer3Attention`.
fn has_unit(after: &str) -> bool {
    let mut letters = after.chars();
    let (first, second) = (letters.next(), letters.next());
    let begins_word = first.is_some_and(|one| one.is_ascii_uppercase())
        && second.is_some_and(|one| one.is_ascii_lowercase());
    first.is_some_and(|one| one.is_ascii_alphabetic() || one == '%') && !begins_word
}

/// The word to which a number belongs, in small letters.
fn word_before(before: &str) -> String {
    let joints =
        |one: char| matches!(one, ' ' | '_' | '-' | '=' | ':' | '#' | '(' | '[' | '"' | '\'');
    let mut words = before.trim_end_matches(joints).rsplit(|one: char| !one.is_ascii_alphabetic());
    words.next().unwrap_or_default().to_ascii_lowercase()
}

/// Bytes of an identifier at the start of the text, where a word begins.
fn identifier(text: &str, before: Option<char>) -> Option<(usize, Slot)> {
    let uuid = matched(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh");
    if let Some(length) = uuid.or_else(|| date(text)).or_else(|| matched(text, "dd:dd:dd")) {
        return Some((length, Slot::Identifier));
    }
    if let Some(length) = fraction(text).filter(|_| before != Some('.')) {
        return Some((length, Slot::Fraction));
    }
    let word = text.find(|one| !is_word(one)).map_or(text, |end| text.get(..end).unwrap_or(text));
    let is_identifier = address(word) || is_hex(word);
    is_identifier.then_some((word.len(), Slot::Identifier))
}

fn address(word: &str) -> bool {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|one| one.is_ascii_hexdigit())
    })
}

/// Digits and letters of one case in turns; a word with a number behind it is none.
fn is_hex(word: &str) -> bool {
    let is_of = |test: fn(&u8) -> bool| word.bytes().all(|one| test(&one));
    let in_case = is_of(|one| matches!(one, b'0'..=b'9' | b'a'..=b'f'))
        || is_of(|one| matches!(one, b'0'..=b'9' | b'A'..=b'F'));
    let digits = word.trim_start_matches(|one: char| one.is_ascii_alphabetic());
    let has_both = word.bytes().any(|one| one.is_ascii_alphabetic()) && !digits.is_empty();
    word.len() >= FEWEST_HEX
        && in_case
        && has_both
        && !digits.bytes().all(|one| one.is_ascii_digit())
}

/// Days as they are written, with where month and day stand in them.
const DAYS: [(&str, [usize; 2]); 4] =
    [("dddd-dd-dd", [5, 8]), ("dddd_dd_dd", [5, 8]), ("dddd/dd/dd", [5, 8]), ("dddddddd", [4, 6])];

/// Times behind a day, the longest first.
const TIMES: [&str; 9] = [
    "Tdd:dd:dd",
    " dd:dd:dd",
    "_dd:dd:dd",
    "-dd-dd-dd",
    "_dd-dd-dd",
    "Tdddddd",
    "_dddddd",
    "-dddddd",
    "",
];

/// Bytes of `2024-01-15` or `20240115`, with a time behind it or not.
fn date(text: &str) -> Option<usize> {
    if !text.starts_with("19") && !text.starts_with("20") {
        return None;
    }
    let two = |at: usize| text.get(at..at + 2)?.parse::<u32>().ok();
    let (day, [month, of_month]) = DAYS.iter().find(|(day, _)| begins(text, day))?;
    let is_date = (1..=12).contains(&two(*month)?) && (1..=31).contains(&two(*of_month)?);
    let with = |time: &&str| matched(text, &format!("{day}{time}"));
    TIMES.iter().filter(|_| is_date).find_map(with)
}

/// The length of a pattern if the text begins with it as a whole word.
fn matched(text: &str, pattern: &str) -> Option<usize> {
    let ends = text.as_bytes().get(pattern.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (ends && begins(text, pattern)).then_some(pattern.len())
}

/// In a pattern, `d` is a digit, `h` one of base 16, and everything else itself.
fn begins(text: &str, pattern: &str) -> bool {
    let fits = |(byte, wanted): (&u8, u8)| match wanted {
        b'd' => byte.is_ascii_digit(),
        b'h' => byte.is_ascii_hexdigit(),
        wanted => *byte == wanted,
    };
    let head = text.as_bytes().get(..pattern.len());
    head.is_some_and(|head| head.iter().zip(pattern.bytes()).all(fits))
}

/// Bytes of `0.1`, `-2.5e-3` or `1e-4`. `1.2.3` is none, as it counts in three places.
fn fraction(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let from = |at: usize| text.get(at..).unwrap_or_default();
    let sign = usize::from(text.starts_with(['-', '+']));
    let whole = sign + digits(from(sign));
    let mut end = whole;
    if whole > sign && from(end).starts_with('.') {
        let after = digits(from(end + 1));
        end += if after > 0 { 1 + after } else { 0 };
    }
    if whole > sign && from(end).starts_with(['e', 'E']) {
        let sign = usize::from(from(end + 1).starts_with(['-', '+']));
        let power = digits(from(end + 1 + sign));
        end += if power > 0 { 1 + sign + power } else { 0 };
    }
    let goes_on = from(end).starts_with(|next: char| next == '.' || is_word(next));
    (end > whole && !goes_on).then_some(end)
}

/// Bytes of a whole number at the start of the text, with its sign where it can only be one.
fn number(text: &str, before: Option<char>) -> Option<(usize, Slot)> {
    let may_sign = before.is_none_or(|one| matches!(one, ' ' | '=' | '(' | '[' | '{' | ':' | ','));
    let unsigned = text.strip_prefix('-').filter(|_| may_sign).unwrap_or(text);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    let length = text.len() - unsigned.len() + digits;
    let counted = text.get(..length).filter(|_| digits <= MOST_DIGITS);
    let value = counted.and_then(|counted| counted.parse().ok());
    Some((length, value.map_or(Slot::Identifier, |value| Slot::Number(value, Label::Nothing))))
}
