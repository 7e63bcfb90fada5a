//! The calls of CUDA's driver that the model needs, each behind a function that is safe to call.
//!
//! `libcuda.so.1` is part of the display driver and loaded at run time. The addresses and handles that it gives are private to this module and its parent, which only pass them back.

#![expect(unsafe_code, reason = "the driver is a C library")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

use super::functions::functions;
use crate::error::ModelError;
use crate::library::Library;

functions! {
    /// The driver's functions, in the versions that their current declarations stand for.
    Functions {
        init = c"cuInit"(c_uint);
        error_name = c"cuGetErrorName"(c_int, *mut *const c_char);
        device_count = c"cuDeviceGetCount"(*mut c_int);
        device = c"cuDeviceGet"(*mut c_int, c_int);
        device_name = c"cuDeviceGetName"(*mut c_char, c_int, c_int);
        attribute = c"cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
        context = c"cuDevicePrimaryCtxRetain"(*mut *mut c_void, c_int);
        make_current = c"cuCtxSetCurrent"(*mut c_void);
        synchronise = c"cuCtxSynchronize"();
        create_stream = c"cuStreamCreate"(*mut *mut c_void, c_uint);
        load_module = c"cuModuleLoadData"(*mut *mut c_void, *const c_void);
        function = c"cuModuleGetFunction"(*mut *mut c_void, *mut c_void, *const c_char);
        allocate = c"cuMemAlloc_v2"(*mut u64, usize);
        copy_to_device = c"cuMemcpyHtoD_v2"(u64, *const c_void, usize);
        copy_from_device = c"cuMemcpyDtoH_v2"(*mut c_void, u64, usize);
        launch = c"cuLaunchKernel"(
            *mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint,
            *mut c_void, *mut *mut c_void, *mut *mut c_void
        );
    }
}

const NO_DEVICE: c_int = 100;
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;
/// A stream that does not wait for the default stream.
const NON_BLOCKING: c_uint = 1;

#[derive(Clone, Copy)]
pub(super) struct Driver(Functions);

#[derive(Clone, Copy)]
pub(super) struct Ordinal(c_int);
/// Threads share it.
#[derive(Clone, Copy)]
pub(super) struct Context(*mut c_void);
/// Code on a device.
#[derive(Clone, Copy)]
pub(super) struct Module(*mut c_void);
/// A kernel on a device.
#[derive(Clone, Copy)]
pub(super) struct Function(*mut c_void);
#[derive(Clone, Copy)]
pub(super) struct Stream(*mut c_void);
/// Memory on a device.
#[derive(Clone, Copy)]
pub(super) struct Address(u64);

// SAFETY: the driver's handles may be used from any thread whose current context is the one they belong to.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}
// SAFETY: as above.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Stream {
    pub(super) const DEFAULT: Self = Self(ptr::null_mut());
}

#[derive(Clone, Copy)]
pub(super) enum Parameter {
    Address(Address),
    Int(u32),
    Float(f32),
}

impl Driver {
    /// Loads the driver and starts it.
    pub(super) fn load() -> Result<Self, ModelError> {
        let driver = Self(Functions::load(Library::open_any(&["libcuda.so.1", "libcuda.so"])?)?);
        // SAFETY: the argument must be 0 and is.
        match unsafe { (driver.0.init)(0) } {
            NO_DEVICE => Err(ModelError::NoDevice),
            code => driver.check("cuInit", code).map(|()| driver),
        }
    }

    pub(super) fn device_count(self) -> Result<u32, ModelError> {
        let mut count = 0;
        // SAFETY: the variable is there.
        self.check("cuDeviceGetCount", unsafe { (self.0.device_count)(&raw mut count) })?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    pub(super) fn device(self, number: u32) -> Result<Ordinal, ModelError> {
        let mut device = 0;
        let number = c_int::try_from(number).unwrap_or(c_int::MAX);
        // SAFETY: the variable is there.
        self.check("cuDeviceGet", unsafe { (self.0.device)(&raw mut device, number) })?;
        Ok(Ordinal(device))
    }

    pub(super) fn device_name(self, Ordinal(device): Ordinal) -> Result<String, ModelError> {
        let mut name = [0u8; 256];
        // SAFETY: the buffer has more bytes than are stated, so that a zero stays at its end.
        let code = unsafe { (self.0.device_name)(name.as_mut_ptr().cast(), 255, device) };
        self.check("cuDeviceGetName", code)?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// The compute capability as NVRTC counts it: 86 for 8.6.
    pub(super) fn capability(self, Ordinal(device): Ordinal) -> Result<u32, ModelError> {
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: the variable is there.
            let code = unsafe { (self.0.attribute)(&raw mut value, which, device) };
            self.check("cuDeviceGetAttribute", code)?;
            Ok::<_, ModelError>(u32::try_from(value).unwrap_or(0))
        };
        Ok(attribute(CAPABILITY_MAJOR)? * 10 + attribute(CAPABILITY_MINOR)?)
    }

    pub(super) fn context(self, Ordinal(device): Ordinal) -> Result<Context, ModelError> {
        let mut context = ptr::null_mut();
        // SAFETY: the variable is there.
        let code = unsafe { (self.0.context)(&raw mut context, device) };
        self.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(Context(context))
    }

    pub(super) fn make_current(self, Context(context): Context) -> Result<(), ModelError> {
        // SAFETY: the context was retained and is never released.
        self.check("cuCtxSetCurrent", unsafe { (self.0.make_current)(context) })
    }

    pub(super) fn synchronise(self) -> Result<(), ModelError> {
        // SAFETY: there is nothing to give.
        self.check("cuCtxSynchronize", unsafe { (self.0.synchronise)() })
    }

    pub(super) fn create_stream(self) -> Result<Stream, ModelError> {
        let mut stream = ptr::null_mut();
        // SAFETY: the variable is there.
        let code = unsafe { (self.0.create_stream)(&raw mut stream, NON_BLOCKING) };
        self.check("cuStreamCreate", code)?;
        Ok(Stream(stream))
    }

    /// Loads code: PTX, which ends with a zero byte, or machine code, which states its own length.
    pub(super) fn load_module(self, image: &[u8]) -> Result<Module, ModelError> {
        let mut module = ptr::null_mut();
        // SAFETY: the image is what NVRTC made for the driver, and lives during the call.
        let code = unsafe { (self.0.load_module)(&raw mut module, image.as_ptr().cast()) };
        self.check("cuModuleLoadData", code)?;
        Ok(Module(module))
    }

    pub(super) fn function(
        self,
        Module(module): Module,
        name: &CStr,
    ) -> Result<Function, ModelError> {
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name is a C string, the variable is there.
        let code = unsafe { (self.0.function)(&raw mut function, module, name.as_ptr()) };
        self.check("cuModuleGetFunction", code)?;
        Ok(Function(function))
    }

    pub(super) fn allocate(self, bytes: usize) -> Result<Address, ModelError> {
        let mut address = 0;
        // SAFETY: the variable is there.
        self.check("cuMemAlloc", unsafe { (self.0.allocate)(&raw mut address, bytes) })?;
        Ok(Address(address))
    }

    pub(super) fn copy_to_device(
        self,
        Address(to): Address,
        bytes: &[u8],
    ) -> Result<(), ModelError> {
        // SAFETY: the driver reads so many bytes and checks the address.
        let code = unsafe { (self.0.copy_to_device)(to, bytes.as_ptr().cast(), bytes.len()) };
        self.check("cuMemcpyHtoD", code)
    }

    pub(super) fn copy_from_device(
        self,
        bytes: &mut [u8],
        Address(from): Address,
    ) -> Result<(), ModelError> {
        // SAFETY: the driver writes so many bytes, to where there are as many, and checks the address.
        let code =
            unsafe { (self.0.copy_from_device)(bytes.as_mut_ptr().cast(), from, bytes.len()) };
        self.check("cuMemcpyDtoH", code)
    }

    pub(super) fn launch(
        self,
        Function(function): Function,
        grid: [u32; 3],
        block: [u32; 3],
        Stream(stream): Stream,
        parameters: &[Parameter],
    ) -> Result<(), ModelError> {
        // The driver takes an array of pointers to values, and reads as many bytes of each as the kernel's parameter has.
        let mut values: Vec<u64> = parameters
            .iter()
            .map(|parameter| match *parameter {
                Parameter::Address(Address(address)) => address,
                Parameter::Int(size) => low_bytes(size.to_ne_bytes()),
                Parameter::Float(value) => low_bytes(value.to_ne_bytes()),
            })
            .collect();
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|value| ptr::from_mut(value).cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        // SAFETY: the driver copies the values before it returns. The kernel's parameters are those of the launch list, which a test compiles and runs against the source.
        let code = unsafe {
            (self.0.launch)(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                0,
                stream,
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.check("cuLaunchKernel", code)
    }

    fn check(self, call: &'static str, code: c_int) -> Result<(), ModelError> {
        if code == 0 {
            return Ok(());
        }
        let mut name = ptr::null();
        // SAFETY: the variable is there; the text is the driver's own and lives for ever.
        let known = unsafe { (self.0.error_name)(code, &raw mut name) } == 0 && !name.is_null();
        let name = if known {
            // SAFETY: it is not null, so it is a C string.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        } else {
            "an unknown error".to_owned()
        };
        Err(ModelError::Driver { call, code, name })
    }
}

/// Four bytes at the beginning of eight.
fn low_bytes(bytes: [u8; 4]) -> u64 {
    let mut all = [0; 8];
    all[..4].copy_from_slice(&bytes);
    u64::from_ne_bytes(all)
}
