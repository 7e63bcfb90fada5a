//! The Rust emitter: the macros of the `nvtx` crate.

use std::io::Write;
use std::time::Instant;

/// The monotonic clock, as the kernel tells it; the standard library hides it inside `Instant`.
fn now() -> u128 {
    let text = format!("{:?}", Instant::now());
    let field = |name: &str| -> u128 {
        let digits = text.split(name).nth(1).unwrap_or("");
        digits.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    field("tv_sec") * 1_000_000_000 + field("tv_nsec")
}

fn main() {
    let path = format!("{}.{}", std::env::var("TRUTH").unwrap(), std::process::id());
    let mut truth = std::fs::File::create(path).unwrap();
    let mut tell = |before: u128, action: &str, name: &str, id: i64| {
        let after = now();
        let tid = std::fs::read_link("/proc/thread-self").unwrap();
        let tid = tid.file_name().unwrap().to_str().unwrap();
        let name: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        writeln!(
            truth,
            "{{\"before\":{before},\"after\":{after},\"tid\":{tid},\"action\":\"{action}\",\"domain\":\"<default domain>\",\"id\":{id},\"attributes\":null,\"name\":\"{name}\"}}"
        )
        .unwrap();
    };
    nvtx::name_thread!("rust main");
    let before = now();
    nvtx::range_push!("layer {}", 1);
    tell(before, "push", "layer 1", 0);
    let before = now();
    nvtx::mark!("mark ü");
    tell(before, "mark", "mark ü", 0);
    let before = now();
    let guard = nvtx::range!("guarded");
    let id = i64::from(guard.0);
    tell(before, "start", "guarded", id);
    let before = now();
    nvtx::range_pop!();
    tell(before, "pop", "", 0);
    let before = now();
    drop(guard);
    tell(before, "end", "", id);
}
