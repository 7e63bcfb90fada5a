//! Whether a file is one of ncu's CSV pages, told from its beginning.

use super::columns::Header;
use super::text;

/// Lines that the tool and the program may print before the table.
const MOST_LINES: usize = 10_000;

/// The bytes, which are the first of a file, hold the header of a raw or details page. Lines of the tool and of the program may stand before it; if more of them do than are given here, the
/// answer is no. A header that is cut off at the end of the bytes is recognised by its first two columns.
pub fn looks_like_csv(head: &[u8]) -> bool {
    // Reports begin with zero bytes, and no text of ncu's holds any.
    let text = text::decode(head);
    text::lines(&text).take(MOST_LINES).take_while(|line| !line.text.contains('\0')).any(|line| {
        let begins = ["\"ID\",\"Process ID\",", "ID,Process ID,"]
            .iter()
            .any(|start| line.text.starts_with(start));
        begins || matches!(Header::of(line.text), Header::Table(_))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_recognised() {
        assert!(looks_like_csv(b"\"ID\",\"Process ID\",\"Process Name\",\"Host"));
        assert!(looks_like_csv(
            b"==PROF== Connected to process 1\nhello\n\"ID\",\"Process ID\",\"Kernel Name\"\n"
        ));
        assert!(looks_like_csv(b"\xEF\xBB\xBFID,Process ID,Kernel Name\r\n"));
        assert!(looks_like_csv(b",ID,Kernel Name,gpu__time_duration.sum\n"));
    }

    #[test]
    fn other_files_are_not() {
        assert!(!looks_like_csv(b""));
        assert!(!looks_like_csv(b"NVR\0\x02\0\0\0\x08\x07"));
        assert!(!looks_like_csv(b"SQLite format 3\0"));
        assert!(!looks_like_csv(b"Name,ID\nx,1\n"));
        assert!(!looks_like_csv(b"\"Domain\",\"Kernel Name\",\"Invocations\",\"Metric Name\"\n"));
    }
}
