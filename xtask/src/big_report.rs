//! A large report from a small one: all its blocks again and again, byte for byte, as a long capture would have written them.

use std::io::Write;

use ncu_rep::Report;

use crate::{Done, say};

/// Magic, header length, header.
const FILE_START: usize = 10;

pub(crate) fn run(source: &str, out: &str, kernels: &str) -> Done {
    let kernels: usize = kernels.parse()?;
    let held = Report::open(source)?.len();
    if held == 0 {
        return Err(format!("`{source}` holds no results").into());
    }
    let bytes = fs_err::read(source)?;
    let blocks = bytes.get(FILE_START..).unwrap_or_default();
    let mut file = std::io::BufWriter::new(fs_err::File::create(out)?);
    file.write_all(&bytes[..FILE_START.min(bytes.len())])?;
    let times = kernels.div_ceil(held);
    for _ in 0..times {
        file.write_all(blocks)?;
    }
    file.flush()?;
    say(&format!("{} results, {} bytes", held * times, FILE_START + times * blocks.len()));
    Ok(())
}
