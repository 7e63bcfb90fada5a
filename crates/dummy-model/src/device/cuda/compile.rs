//! From the source of the kernels to code for a device.

use std::ffi::CString;
use std::path::Path;

use super::nvrtc::{Compiler, Form};
use crate::args::Dtype;
use crate::error::ModelError;
use crate::kernel::Kernel;
use crate::source::{FILE, TEXT};

/// Code for a device.
pub(super) struct Code {
    /// In the form that the driver loads.
    pub(super) image: Vec<u8>,
    /// The name of each kernel in it.
    pub(super) entries: Vec<(Kernel, CString)>,
}

/// Compiles for a device of a compute capability (86 for 8.6).
///
/// Machine code, if the compiler knows the device: it runs also where the driver is older than the compiler. For a newer device PTX, which the driver compiles further.
pub(super) fn for_device(
    nvrtc: Option<&Path>,
    capability: u32,
    dtype: Dtype,
) -> Result<Code, ModelError> {
    let compiler = Compiler::load(nvrtc)?;
    let known = compiler.architectures()?;
    let (architecture, form) = target(&known, capability).ok_or_else(|| ModelError::Compiler {
        call: "nvrtcGetSupportedArchs",
        message: format!("the oldest architecture is newer than the device's {capability}"),
    })?;
    compile(compiler, &architecture, dtype, form)
}

/// The kernels as PTX for an architecture such as `compute_80`.
pub(crate) fn ptx(
    nvrtc: Option<&Path>,
    architecture: &str,
    dtype: Dtype,
) -> Result<String, ModelError> {
    let code = compile(Compiler::load(nvrtc)?, architecture, dtype, Form::Ptx)?;
    Ok(String::from_utf8_lossy(&code.image).trim_end_matches('\0').to_owned())
}

/// The architecture to compile for: the device's own, else the newest before it.
fn target(known: &[u32], capability: u32) -> Option<(String, Form)> {
    let newest = *known.iter().filter(|&&architecture| architecture <= capability).max()?;
    Some(if newest == capability {
        (format!("sm_{newest}"), Form::MachineCode)
    } else {
        (format!("compute_{newest}"), Form::Ptx)
    })
}

fn compile(
    compiler: Compiler,
    architecture: &str,
    dtype: Dtype,
    form: Form,
) -> Result<Code, ModelError> {
    let mut options = vec![
        text(&format!("--gpu-architecture={architecture}")),
        text("--std=c++14"),
        text("--generate-line-info"),
    ];
    if dtype == Dtype::Float16 {
        options.push(text("-DSCALAR_IS_HALF"));
    }
    let kernels = Kernel::all();
    let names: Vec<CString> = kernels.iter().map(|kernel| text(kernel.name())).collect();
    let (image, lowered) = compiler.compile(&text(TEXT), &text(FILE), &options, &names, form)?;
    Ok(Code { image, entries: kernels.into_iter().zip(lowered).collect() })
}

/// A C string. Only the user could have typed a zero byte; without it the compiler refuses the rest.
fn text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_architecture_that_the_device_understands() {
        let of = |capability| target(&[70, 80, 86], capability).map(|(name, _)| name);
        assert_eq!(of(86).as_deref(), Some("sm_86"));
        assert_eq!(of(70).as_deref(), Some("sm_70"));
        assert_eq!(of(75).as_deref(), Some("compute_70"));
        assert_eq!(of(120).as_deref(), Some("compute_86"));
        assert_eq!(of(61), None);
    }
}
