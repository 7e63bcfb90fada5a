//! Programs for tests, written as words: `+A` pushes, `-` pops, `<S` starts, `>S` ends, `k` or `k:NAME` launches, `?TEXT` is a mark with that text.
//! A word may begin with the thread (`2+A`) and before that with a domain (`d@1+A`).

use ncu_rep::{DEFAULT_DOMAIN, NvtxRange};

use super::record::{Action, ProcessRecord, Step};

pub(super) fn process(pid: u32, words: &str) -> ProcessRecord {
    let mut steps = Vec::new();
    for (time_ns, word) in (0..).zip(words.split_whitespace()) {
        let (domain, word) = word.split_once('@').unwrap_or((DEFAULT_DOMAIN, word));
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let thread = word[..digits].parse().unwrap_or(pid);
        let (sign, name) = word[digits..].split_at(1);
        let id = name.bytes().map(u64::from).sum();
        let domain = domain.to_owned();
        let range = NvtxRange { name: name.to_owned().into(), ..NvtxRange::default() };
        let action = match sign {
            "+" => Action::Push { domain, range },
            "-" => Action::Pop { domain },
            "<" => Action::Start { domain, range: NvtxRange { id: Some(id), ..range } },
            ">" => Action::End { id },
            "?" => Action::Announce { message: name.to_owned() },
            _ => Action::Announce { message: launch(name.trim_start_matches(':')) },
        };
        steps.push(Step { thread, time_ns, action });
    }
    ProcessRecord {
        pid,
        parent: 1,
        executable: "/opt/app".to_owned(),
        host: "here".to_owned(),
        rank: None,
        steps,
    }
}

/// `NAME[,device]`.
fn launch(name: &str) -> String {
    let (name, device) = name.split_once(',').unwrap_or((name, "0"));
    let name = if name.is_empty() { "kernel" } else { name };
    format!(
        r#"{{"kernel":"{name}","signature":"int","grid":[{}],"block":[128],"flops":1e9,"read":1e6,"written":2e6,"device":{device}}}"#,
        40 * name.len()
    )
}
