//! Reports that are read where the caller says.

use std::io;

use ncu_rep::{ReadAt, ReadError, Report};

use crate::compressed::compressed;
use crate::support::small_report;

/// Bytes, of which the last ones may be missing although the length counts them.
#[derive(Debug)]
struct Given {
    bytes: Vec<u8>,
    length: u64,
}

impl ReadAt for Given {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()> {
        let start = usize::try_from(start).unwrap();
        let from = self.bytes.get(start..).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

fn given(bytes: Vec<u8>) -> Given {
    Given { length: bytes.len() as u64, bytes }
}

fn names(report: &Report) -> Vec<String> {
    let decoded = report.results().filter_map(|result| result.decode());
    decoded.map(|result| format!("{} {}", result.function, result.metrics.len())).collect()
}

#[test]
fn a_report_that_is_read_at_positions_is_the_same_report() {
    let expected = names(&Report::from_bytes(small_report(50)).unwrap());
    assert!(!expected.is_empty());
    for bytes in [small_report(50), compressed(&small_report(50))] {
        let report = Report::from_positions(given(bytes)).unwrap();
        assert_eq!(names(&report), expected);
    }
}

#[test]
fn what_is_not_there_is_an_error_or_a_damaged_result() {
    let refused = |given: Given| Report::from_positions(given).unwrap_err();
    assert!(matches!(refused(given(Vec::new())), ReadError::Empty));
    let error = refused(Given { length: 100, ..given(Vec::new()) });
    assert!(matches!(error, ReadError::Given { .. }), "{error}");
    assert!(!error.to_string().is_empty() && !error.hint().is_empty());
    // More than there is: what can be read is read.
    let mut bytes = small_report(50);
    let length = bytes.len() as u64;
    bytes.truncate(bytes.len() - bytes.len() / 4);
    let report = Report::from_positions(Given { length, ..given(bytes) }).unwrap();
    assert!((20..50).contains(&names(&report).len()), "{}", names(&report).len());
}
