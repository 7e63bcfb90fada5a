//! Compiles the injection library that this crate carries as a constant: optimised whatever the profile, with the compiler of this build.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let library = PathBuf::from(env::var("OUT_DIR")?).join("librangescope_recorder.so");
    if env::var("CARGO_CFG_TARGET_OS")? == "linux" {
        compile(Path::new("src/library.rs"), &library)?;
    } else {
        #[expect(
            clippy::disallowed_methods,
            reason = "cargo itself discards what a failed build script wrote"
        )]
        fs::write(&library, [])?;
    }
    Ok(())
}

/// Without the flags of this build: a sanitizer or an instruction set that is right for this program need not be right for others.
#[expect(clippy::disallowed_methods, reason = "a build script has no other way to call a compiler")]
fn compile(root: &Path, library: &Path) -> Result<(), Box<dyn Error>> {
    let mut rustc = Command::new(env::var_os("RUSTC").ok_or("cargo gives no compiler")?);
    rustc.args(["--crate-name", "rangescope_recorder", "--crate-type", "cdylib"]);
    let (own, host) = (env::var("TARGET")?, env::var("HOST")?);
    // The library is loaded into programs of this system, which a static program need not be one of.
    let is_static_build = own == host.replace("-gnu", "-musl");
    let target = if is_static_build { &host } else { &own };
    rustc.args(["--edition", "2024", "--target", target]);
    rustc.args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "codegen-units=1"]);
    rustc.args(["-C", "lto=fat", "-C", "strip=symbols", "-C", "link-arg=-lc"]);
    if target.ends_with("-musl") {
        rustc.args(["-C", "target-feature=-crt-static"]);
    }
    if let Some(linker) = env::var_os("RUSTC_LINKER").filter(|_| *target == own) {
        let mut option = std::ffi::OsString::from("linker=");
        option.push(linker);
        rustc.arg("-C").arg(option);
    }
    rustc.arg("-o").arg(library).arg(root);
    let status = rustc.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the recorder does not compile: {status}").into())
    }
}
