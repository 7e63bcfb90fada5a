//! How programs announce kernels, in any language: an NVTX mark in the reserved domain whose text is a JSON object.
//!
//! ```json
//! {"kernel": "conv3x3", "signature": "const float *, float *, int", "grid": [64, 8, 1], "block": [16, 16, 1], "registers": 40, "shared": 4096,
//!  "flops": 1.2e9, "read": 6e6, "written": 2e6, "l2_hit": 0.6, "tensor": false, "precision": "fp32", "stream": 7, "device": 0,
//!  "source": {"file": "kernels.cu", "lines": [44, 62], "function": "convolve", "called_at": 72}}
//! ```
//!
//! Only `kernel` is required and further keys are ignored. `shared` is in bytes a block, `read` and `written` are the bytes that reach DRAM, `l2_hit` is from
//! 0 to 1, `precision` is fp64, fp32, tf32, fp16, bf16 or int8. The launch is in the ranges that are open on the marking thread.
//! `source` says which lines the kernel is made from; if these are of a function that was inlined into it, which one and where it is called. One of
//! the launches may carry the whole `text` of the file; otherwise it is read from the disk.
//! A mark with an impossible number is refused as a whole, so that no report is based on it.

use serde::Deserialize;

use crate::code::announced::Origin;
use crate::kernel::KernelName;
use crate::machine::{Precision, Work};

pub(super) use rangescope_recorder::format::SIMULATOR_DOMAIN as DOMAIN;

/// Larger amounts are mistakes, and would leave the range in which numbers are exact.
const LARGEST: f64 = 1e18;

/// Longer paths are no paths.
const LONGEST_PATH: usize = 4096;

/// A launch as the program announced it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Announcement {
    pub kernel: String,
    pub signature: Option<String>,
    pub work: Work,
    pub stream: u32,
    pub device: u32,
    pub origin: Option<Origin>,
    /// Of the file that it is in.
    pub text: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    kernel: String,
    signature: Option<String>,
    grid: Option<Vec<u64>>,
    block: Option<Vec<u64>>,
    registers: Option<u64>,
    shared: Option<u64>,
    flops: Option<f64>,
    read: Option<f64>,
    written: Option<f64>,
    l2_hit: Option<f64>,
    tensor: Option<bool>,
    precision: Option<String>,
    stream: Option<u32>,
    device: Option<u32>,
    source: Option<Place>,
}

#[derive(Deserialize)]
struct Place {
    file: String,
    lines: [u32; 2],
    function: Option<String>,
    called_at: Option<u32>,
    text: Option<String>,
}

/// The number that CUDA gives to the default stream.
const DEFAULT_STREAM: u32 = 7;

impl Announcement {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut message: Message = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if message.kernel.is_empty() {
            return Err("`kernel` is empty".to_owned());
        }
        let usual = Work::default();
        let work = Work {
            grid: size("grid", message.grid.as_deref(), u64::from(u32::MAX))?.unwrap_or(usual.grid),
            block: size("block", message.block.as_deref(), 1024)?.unwrap_or(usual.block),
            registers: count("registers", message.registers, 255)?.unwrap_or(usual.registers),
            shared: count("shared", message.shared, 1 << 20)?.unwrap_or(usual.shared),
            flops: amount("flops", message.flops, LARGEST)?.unwrap_or(usual.flops),
            precision: precision(message.precision.as_deref())?,
            tensor: message.tensor.unwrap_or(usual.tensor),
            bytes_read: amount("read", message.read, LARGEST)?.unwrap_or(usual.bytes_read),
            bytes_written: amount("written", message.written, LARGEST)?
                .unwrap_or(usual.bytes_written),
            l2_hit_rate: amount("l2_hit", message.l2_hit, 1.0)?.unwrap_or(usual.l2_hit_rate),
        };
        let threads: u64 = work.block.iter().product();
        if threads > 1024 {
            return Err(format!("`block` has {threads} threads, more than 1024"));
        }
        Ok(Self {
            kernel: message.kernel,
            signature: message.signature,
            work,
            stream: message.stream.unwrap_or(DEFAULT_STREAM),
            device: message.device.unwrap_or(0),
            text: message.source.as_mut().and_then(|place| place.text.take()),
            origin: message.source.map(origin).transpose()?,
        })
    }

    pub(super) fn name(&self) -> KernelName {
        KernelName::new(&self.kernel, self.signature.as_deref())
    }
}

fn origin(place: Place) -> Result<Origin, String> {
    let file = &place.file;
    // A zero byte would end the path in a line table.
    if file.is_empty() || file.len() > LONGEST_PATH || file.contains('\0') {
        return Err("`file` of `source` is not a path".to_owned());
    }
    let [first, last] = place.lines;
    if first == 0 || last < first {
        return Err("`lines` of `source` are not a first and a last line, from 1 on".to_owned());
    }
    let inlined = place.function.zip(place.called_at);
    Ok(Origin { file: place.file, lines: (first, last), inlined })
}

/// One to three sizes; missing ones are 1.
fn size(name: &str, sizes: Option<&[u64]>, most: u64) -> Result<Option<[u64; 3]>, String> {
    let Some(sizes) = sizes else { return Ok(None) };
    let fits = |size: &u64| (1..=most).contains(size);
    if sizes.is_empty() || sizes.len() > 3 || !sizes.iter().all(fits) {
        return Err(format!("`{name}` is not one to three sizes from 1 to {most}"));
    }
    let mut all = [1; 3];
    for (place, size) in all.iter_mut().zip(sizes) {
        *place = *size;
    }
    Ok(Some(all))
}

fn count(name: &str, value: Option<u64>, most: u64) -> Result<Option<u64>, String> {
    match value {
        Some(value) if value > most => Err(format!("`{name}` is more than {most}")),
        value => Ok(value),
    }
}

fn amount(name: &str, value: Option<f64>, most: f64) -> Result<Option<f64>, String> {
    match value {
        Some(value) if !(0.0..=most).contains(&value) => {
            Err(format!("`{name}` is not a number from 0 to {most}"))
        }
        value => Ok(value),
    }
}

fn precision(word: Option<&str>) -> Result<Precision, String> {
    Ok(match word {
        None | Some("fp32") => Precision::Fp32,
        Some("fp64") => Precision::Fp64,
        Some("tf32") => Precision::Tf32,
        Some("fp16") => Precision::Fp16,
        Some("bf16") => Precision::Bf16,
        Some("int8") => Precision::Int8,
        Some(other) => {
            return Err(format!(
                "`precision` is `{other}` and not fp64, fp32, tf32, fp16, bf16 or int8"
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_enough() {
        let launch = Announcement::parse(r#"{"kernel": "k"}"#).unwrap();
        assert_eq!((launch.kernel.as_str(), launch.device, launch.stream), ("k", 0, 7));
        assert_eq!(launch.work, Work::default());
    }

    #[test]
    fn everything_can_be_said() {
        let launch = Announcement::parse(
            r#"{"kernel":"conv","signature":"float *","grid":[2,3],"block":[16,16,1],"registers":40,"shared":1024,"flops":1.2e9,"read":5,
                "written":6,"l2_hit":0.6,"tensor":true,"precision":"fp16","stream":9,"device":1,"api":"cuLaunchKernel","later":{},
                "source":{"file":"a.cu","lines":[3,9],"function":"inner","called_at":20,"text":"x\ny","later":1}}"#,
        )
        .unwrap();
        assert_eq!(launch.work.grid, [2, 3, 1]);
        assert!(launch.work.tensor && launch.work.precision == Precision::Fp16);
        assert_eq!((launch.device, launch.stream, launch.work.shared), (1, 9, 1024));
        let origin = launch.origin.unwrap();
        assert_eq!((origin.file.as_str(), origin.lines), ("a.cu", (3, 9)));
        assert_eq!(origin.inlined, Some(("inner".to_owned(), 20)));
        assert_eq!(launch.text.as_deref(), Some("x\ny"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"kernel":""}"#,
            r#"{"kernel":"k","grid":[]}"#,
            r#"{"kernel":"k","grid":[0,1,1]}"#,
            r#"{"kernel":"k","block":[1024,2,1]}"#,
            r#"{"kernel":"k","flops":-1}"#,
            r#"{"kernel":"k","read":1e300}"#,
            r#"{"kernel":"k","l2_hit":1.5}"#,
            r#"{"kernel":"k","precision":"fp8"}"#,
            r#"{"kernel":"k","source":{"file":"a.cu"}}"#,
            r#"{"kernel":"k","source":{"file":"","lines":[1,2]}}"#,
            r#"{"kernel":"k","source":{"file":"a\u0000","lines":[1,2]}}"#,
            r#"{"kernel":"k","source":{"file":"a.cu","lines":[0,2]}}"#,
            r#"{"kernel":"k","source":{"file":"a.cu","lines":[3,2]}}"#,
            r#"{"kernel":"k","source":{"file":"a.cu","lines":[1,4294967296]}}"#,
        ] {
            assert!(Announcement::parse(text).is_err(), "{text}");
        }
    }
}
