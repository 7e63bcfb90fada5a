//! NVIDIA's run-time compiler, loaded at run time.

#![expect(unsafe_code, reason = "NVRTC is a C library")]

use std::env;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use super::functions::functions;
use crate::error::ModelError;
use crate::library::Library;

type Program = *mut c_void;

functions! {
    /// NVRTC's functions.
    Functions {
        create = c"nvrtcCreateProgram"(
            *mut Program, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
        );
        destroy = c"nvrtcDestroyProgram"(*mut Program);
        add_name = c"nvrtcAddNameExpression"(Program, *const c_char);
        compile = c"nvrtcCompileProgram"(Program, c_int, *const *const c_char);
        lowered_name = c"nvrtcGetLoweredName"(Program, *const c_char, *mut *const c_char);
        log_size = c"nvrtcGetProgramLogSize"(Program, *mut usize);
        log = c"nvrtcGetProgramLog"(Program, *mut c_char);
        ptx_size = c"nvrtcGetPTXSize"(Program, *mut usize);
        ptx = c"nvrtcGetPTX"(Program, *mut c_char);
        machine_code_size = c"nvrtcGetCUBINSize"(Program, *mut usize);
        machine_code = c"nvrtcGetCUBIN"(Program, *mut c_char);
        architecture_count = c"nvrtcGetNumSupportedArchs"(*mut c_int);
        architectures = c"nvrtcGetSupportedArchs"(*mut c_int);
    }
}

#[derive(Clone, Copy)]
pub(super) struct Compiler(Functions);

/// The output of the compiler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Text that the driver compiles further, ended by a zero byte.
    Ptx,
    /// Code for one architecture.
    MachineCode,
}

impl Compiler {
    /// Loads the compiler from a path, or from where CUDA puts it.
    pub(super) fn load(path: Option<&Path>) -> Result<Self, ModelError> {
        let names = match path {
            Some(path) => vec![path.to_owned()],
            None => places(),
        };
        Ok(Self(Functions::load(Library::open_any(&names)?)?))
    }

    /// The architectures that it compiles for, ascending: 86 is compute capability 8.6.
    pub(super) fn architectures(self) -> Result<Vec<u32>, ModelError> {
        let mut count = 0;
        // SAFETY: the variable is there.
        let code = unsafe { (self.0.architecture_count)(&raw mut count) };
        check("nvrtcGetNumSupportedArchs", code, String::new)?;
        let mut all: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the array has as many places as the compiler said.
        let code = unsafe { (self.0.architectures)(all.as_mut_ptr()) };
        check("nvrtcGetSupportedArchs", code, String::new)?;
        let mut all: Vec<u32> = all.into_iter().filter_map(|a| u32::try_from(a).ok()).collect();
        all.sort_unstable();
        Ok(all)
    }

    /// Compiles a source. Gives the code, and for each of `names` the name that it has there.
    pub(super) fn compile(
        self,
        source: &CStr,
        file: &CStr,
        options: &[CString],
        names: &[CString],
        form: Form,
    ) -> Result<(Vec<u8>, Vec<CString>), ModelError> {
        let mut program = ptr::null_mut();
        // SAFETY: the texts are C strings, there are no headers, and the variable is there.
        let code = unsafe {
            let (source, file) = (source.as_ptr(), file.as_ptr());
            (self.0.create)(&raw mut program, source, file, 0, ptr::null(), ptr::null())
        };
        check("nvrtcCreateProgram", code, String::new)?;
        let outcome = self.compile_program(program, options, names, form);
        // SAFETY: the program was created above and is not used any more.
        unsafe { (self.0.destroy)(&raw mut program) };
        outcome
    }

    fn compile_program(
        self,
        program: Program,
        options: &[CString],
        names: &[CString],
        form: Form,
    ) -> Result<(Vec<u8>, Vec<CString>), ModelError> {
        for name in names {
            // SAFETY: the program exists and the name is a C string.
            let code = unsafe { (self.0.add_name)(program, name.as_ptr()) };
            check("nvrtcAddNameExpression", code, String::new)?;
        }
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: the program exists, and there are so many C strings.
        let code = unsafe { (self.0.compile)(program, count, pointers.as_ptr()) };
        check("nvrtcCompileProgram", code, || self.log(program))?;

        let lowered = |name: &CString| {
            let mut lowered = ptr::null();
            // SAFETY: the program is compiled, the name is one that was added, the variable is there.
            let code = unsafe { (self.0.lowered_name)(program, name.as_ptr(), &raw mut lowered) };
            check("nvrtcGetLoweredName", code, || name.to_string_lossy().into_owned())?;
            // SAFETY: the call succeeded, so this is a C string that lives as long as the program.
            Ok(unsafe { CStr::from_ptr(lowered) }.to_owned())
        };
        let names = names.iter().map(lowered).collect::<Result<_, ModelError>>()?;
        let image = match form {
            Form::Ptx => output("nvrtcGetPTX", program, self.0.ptx_size, self.0.ptx)?,
            Form::MachineCode => {
                let (size, get) = (self.0.machine_code_size, self.0.machine_code);
                output("nvrtcGetCUBIN", program, size, get)?
            }
        };
        Ok((image, names))
    }

    fn log(self, program: Program) -> String {
        let log = output("nvrtcGetProgramLog", program, self.0.log_size, self.0.log);
        let log = log.unwrap_or_default();
        String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_owned()
    }
}

/// Output that the compiler gives as a size and then as bytes.
fn output(
    call: &'static str,
    program: Program,
    size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    get: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
) -> Result<Vec<u8>, ModelError> {
    let mut bytes = 0;
    // SAFETY: the program exists and the variable is there.
    check(call, unsafe { size(program, &raw mut bytes) }, String::new)?;
    let mut output = vec![0u8; bytes];
    // SAFETY: the buffer is as large as the compiler said.
    check(call, unsafe { get(program, output.as_mut_ptr().cast()) }, String::new)?;
    Ok(output)
}

/// The places to look for NVRTC: wherever the loader finds it, and in CUDA's own folder.
fn places() -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> =
        ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"]
            .map(PathBuf::from)
            .into();
    let folders = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(env::var_os).map(PathBuf::from);
    for folder in folders.chain([PathBuf::from("/usr/local/cuda")]) {
        places.push(folder.join("lib64/libnvrtc.so"));
    }
    places
}

fn check(
    call: &'static str,
    code: c_int,
    detail: impl FnOnce() -> String,
) -> Result<(), ModelError> {
    if code == 0 {
        return Ok(());
    }
    let detail = detail();
    let separator = if detail.is_empty() { "" } else { ": " };
    Err(ModelError::Compiler { call, message: format!("NVRTC error {code}{separator}{detail}") })
}
