//! A large report from a small one: all its blocks again and again, byte for byte, as a long capture would have written them.

use std::io::Write;

use ncu_rep::Report;

use crate::{Done, say};

/// Magic, header length, header.
const FILE_START: usize = 10;

/// How much it is to hold.
pub(crate) enum Until<'t> {
    Kernels(&'t str),
    Megabytes(&'t str),
}

pub(crate) fn run(source: &str, out: &str, until: &Until<'_>) -> Done {
    let held = Report::open(source)?.len();
    if held == 0 {
        return Err(format!("`{source}` holds no results").into());
    }
    let bytes = fs_err::read(source)?;
    let blocks = bytes.get(FILE_START..).unwrap_or_default();
    let mut file = std::io::BufWriter::new(fs_err::File::create(out)?);
    file.write_all(&bytes[..FILE_START.min(bytes.len())])?;
    let times = match until {
        Until::Kernels(kernels) => kernels.parse::<usize>()?.div_ceil(held),
        Until::Megabytes(size) => {
            (size.parse::<usize>()? * 1_000_000).div_ceil(blocks.len().max(1))
        }
    };
    for _ in 0..times {
        file.write_all(blocks)?;
    }
    file.flush()?;
    say(&format!("{} results, {} bytes", held * times, FILE_START + times * blocks.len()));
    Ok(())
}
