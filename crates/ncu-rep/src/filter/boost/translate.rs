//! The walk over a regular expression: repetition, groups and escapes.

use super::class::{class_escape, push_literal};
use crate::filter::error::FilterProblem;
use crate::filter::syntax::Fault;

/// Rewrites a regular expression for the `regex` crate. Positions of faults are offsets into it.
pub(super) fn translate(text: &str) -> Result<String, Fault> {
    let mut this = Translation {
        text: text.as_bytes(),
        at: 0,
        out: String::with_capacity(text.len() + 8),
        open: Vec::new(),
        atom: false,
    };
    loop {
        let position = this.at;
        let Some(byte) = this.next() else { break };
        this.translate(byte).map_err(|problem| Fault { position, problem })?;
    }
    match this.open.last() {
        Some(&position) => Err(Fault { position, problem: bad("the group is not closed") }),
        None => Ok(this.out),
    }
}

const LOOK_AROUND: FilterProblem =
    FilterProblem::UnsupportedRegex("look-around (`(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`) is");
const BACK_REFERENCE: FilterProblem =
    FilterProblem::UnsupportedRegex("back-references (`\\1`, `\\g1`, `\\k<name>`) are");
const NO_BACKTRACKING: FilterProblem = FilterProblem::UnsupportedRegex(
    "atomic groups (`(?>…)`) and possessive repetition (`a*+`) are",
);
const OTHER_GROUP: FilterProblem = FilterProblem::UnsupportedRegex("this kind of `(?…)` group is");
pub(super) const OTHER_ESCAPE: FilterProblem = FilterProblem::UnsupportedRegex("this escape is");

pub(super) fn bad(what: &str) -> FilterProblem {
    FilterProblem::BadRegex(what.to_owned())
}

/// A walk over one regular expression, byte by byte.
pub(super) struct Translation<'t> {
    text: &'t [u8],
    pub(super) at: usize,
    pub(super) out: String,
    /// Offsets of the groups that are open.
    open: Vec<usize>,
    /// A repetition may follow.
    atom: bool,
}

pub(super) type Step = Result<(), FilterProblem>;

impl<'t> Translation<'t> {
    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek(0)?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn translate(&mut self, byte: u8) -> Step {
        match byte {
            b'\\' => return self.escape(),
            b'[' => return self.class(),
            b'(' => return self.group(),
            b')' => {
                self.open.pop().ok_or_else(|| bad("a `)` closes no group"))?;
                self.emit(")", true);
            }
            b'*' => return self.repeat("*"),
            b'+' => return self.repeat("+"),
            b'?' => return self.repeat("?"),
            b'{' => match count_length(self.rest()) {
                Some(length) => {
                    let count: String =
                        self.rest().iter().take(length).copied().map(char::from).collect();
                    self.at += length;
                    return self.repeat(&format!("{{{count}"));
                }
                None => self.literal(b'{'),
            },
            b'^' | b'$' | b'|' => {
                self.out.push(char::from(byte));
                self.atom = false;
            }
            b'.' => self.emit(".", true),
            // White space and `#` stay as they are, because `(?x)` gives them a meaning.
            b'#' | b' ' | b'\t' | b'\n' => {
                self.out.push(char::from(byte));
                self.atom = true;
            }
            _ => self.literal(byte),
        }
        Ok(())
    }

    pub(super) fn emit(&mut self, text: &str, atom: bool) {
        self.out.push_str(text);
        self.atom = atom;
    }

    /// A byte that stands for itself. Only letters and digits are safe to write down as they are.
    fn literal(&mut self, byte: u8) {
        push_literal(&mut self.out, byte);
        self.atom = true;
    }

    fn repeat(&mut self, sign: &str) -> Step {
        if !self.atom {
            return Err(bad("the repetition has nothing to repeat"));
        }
        self.emit(sign, false);
        match self.peek(0) {
            Some(b'?') => {
                self.at += 1;
                self.out.push('?');
            }
            Some(b'+') => return Err(NO_BACKTRACKING),
            _ => {}
        }
        Ok(())
    }

    fn group(&mut self) -> Step {
        let start = self.at - 1;
        if self.peek(0) != Some(b'?') {
            self.open.push(start);
            self.emit("(", false);
            return Ok(());
        }
        match (self.peek(1), self.peek(2)) {
            (Some(b'=' | b'!'), _) | (Some(b'<'), Some(b'=' | b'!')) => return Err(LOOK_AROUND),
            (Some(b'>'), _) => return Err(NO_BACKTRACKING),
            (Some(b'#'), _) => {
                let length = self
                    .rest()
                    .iter()
                    .position(|&byte| byte == b')')
                    .ok_or_else(|| bad("the comment is not closed"))?;
                self.at += length + 1;
                return Ok(());
            }
            _ => {}
        }
        let rest = self.rest();
        let head = match self.peek(1) {
            Some(b'<') => rest.iter().position(|&byte| byte == b'>'),
            _ => rest.iter().position(|&byte| byte == b':' || byte == b')').filter(|&end| {
                rest.get(1..end)
                    .is_some_and(|flags| flags.iter().all(|flag| b"imsx-".contains(flag)))
            }),
        };
        let Some(end) = head else { return Err(OTHER_GROUP) };
        self.out.push('(');
        self.out.extend(rest.iter().take(end + 1).copied().map(char::from));
        self.at += end + 1;
        self.atom = false;
        if rest.get(end) != Some(&b')') {
            self.open.push(start);
        }
        Ok(())
    }

    fn escape(&mut self) -> Step {
        let Some(byte) = self.next() else {
            return Err(bad("the backslash at the end escapes nothing"));
        };
        match byte {
            b'b' | b'B' | b'A' | b'z' | b'<' | b'>' => {
                self.out.push('\\');
                self.out.push(char::from(byte));
                self.atom = false;
            }
            b'`' => self.emit(r"\A", false),
            b'\'' => self.emit(r"\z", false),
            // Before the end or before line ends that end the text: without look-ahead only as the last thing.
            b'Z' if self.rest().is_empty() => self.emit(r"\n*\z", false),
            b'1'..=b'9' | b'g' | b'k' => return Err(BACK_REFERENCE),
            b'0' | b'p' | b'P' | b'Z' | b'G' | b'K' | b'N' | b'R' | b'X' | b'E' => {
                return Err(OTHER_ESCAPE);
            }
            b'C' => self.emit(".", true),
            b'Q' => {
                let rest = self.rest();
                let length = rest.windows(2).position(|pair| pair == br"\E").unwrap_or(rest.len());
                rest.iter().take(length).for_each(|&byte| self.literal(byte));
                self.at = (self.at + length + 2).min(self.text.len());
            }
            _ => match class_escape(byte) {
                Some(class) => self.emit(&format!("[{class}]"), true),
                None => {
                    let byte = self.character(byte)?;
                    self.literal(byte);
                }
            },
        }
        Ok(())
    }

    /// The byte that an escape stands for, after its letter has been read.
    pub(super) fn character(&mut self, byte: u8) -> Result<u8, FilterProblem> {
        Ok(match byte {
            b'a' => 0x07,
            b'e' => 0x1B,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'c' => self.next().ok_or_else(|| bad("`\\c` lacks its letter"))? % 32,
            b'x' => self.hexadecimal()?,
            // Any other character stands for itself.
            other => other,
        })
    }

    fn hexadecimal(&mut self) -> Result<u8, FilterProblem> {
        let rest = self.rest();
        let (digits, length) = if rest.first() == Some(&b'{') {
            let end = rest
                .iter()
                .position(|&byte| byte == b'}')
                .ok_or_else(|| bad("`\\x{` is not closed"))?;
            (rest.get(1..end).unwrap_or_default(), end + 1)
        } else {
            let length = rest.iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
            (rest.get(..length).unwrap_or_default(), length)
        };
        self.at += length;
        let text = String::from_utf8_lossy(digits);
        u8::from_str_radix(&text, 16)
            .map_err(|_| bad("`\\x` needs a hexadecimal number of one byte"))
    }
}

/// The length of `2}`, `2,}` or `2,3}` at the start; a `{` before anything else stands for itself.
fn count_length(rest: &[u8]) -> Option<usize> {
    let digits =
        |from: usize| rest.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if end == 0 {
        return None;
    }
    if rest.get(end) == Some(&b',') {
        end += 1;
        end += digits(end);
    }
    (rest.get(end) == Some(&b'}')).then_some(end + 1)
}
