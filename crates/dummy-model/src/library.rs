//! Shared libraries loaded at run time. They are never unloaded: what was taken from them stays valid.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;

use crate::error::ModelError;

/// A loaded library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Library {
    handle: *mut c_void,
}

#[expect(unsafe_code, reason = "loading a library is the point of this module")]
impl Library {
    /// Loads a library by a path, or by a name that the system's loader finds.
    pub(crate) fn open(name: &OsStr) -> Result<Self, ModelError> {
        let failed = |reason| ModelError::Library { library: name.display().to_string(), reason };
        let path = CString::new(name.as_bytes())
            .map_err(|_| failed("its name holds a zero byte".to_owned()))?;
        // SAFETY: the name is a C string. The library's initialisers run; that is what loading it means.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        if handle.is_null() {
            let message = last_error();
            // The loader's message begins with the name, as ours does.
            let prefix = format!("{}: ", name.display());
            return Err(failed(message.strip_prefix(&prefix).unwrap_or(&message).to_owned()));
        }
        Ok(Self { handle })
    }

    /// Loads the first of several names that can be loaded.
    pub(crate) fn open_any<S: AsRef<OsStr>>(names: &[S]) -> Result<Self, ModelError> {
        let mut first = None;
        for name in names {
            match Self::open(name.as_ref()) {
                Ok(library) => return Ok(library),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| ModelError::Library {
            library: "a library".to_owned(),
            reason: "it has no name".to_owned(),
        }))
    }

    /// A function of the library, as the type `F` of a function pointer.
    ///
    /// # Safety
    /// `F` must be a function pointer whose type is that of the function.
    pub(crate) unsafe fn function<F: Copy>(self, name: &CStr) -> Result<F, ModelError> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the handle is that of a library that was loaded and never unloaded.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        if address.is_null() {
            return Err(ModelError::Library {
                library: format!("the function {}", name.to_string_lossy()),
                reason: "the library does not have it".to_owned(),
            });
        }
        // SAFETY: a function pointer has the size of an address, and the caller vouches for its type.
        Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
    }
}

#[expect(unsafe_code, reason = "the loader's message is a C string")]
fn last_error() -> String {
    // SAFETY: the text belongs to the loader and is valid until the next call of it on this thread.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "unknown reason".to_owned();
    }
    // SAFETY: it is not null, so it is a C string.
    unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_names_the_library() {
        let error = Library::open(OsStr::new("libno_such_thing.so.9")).unwrap_err().to_string();
        assert!(error.starts_with("cannot load libno_such_thing.so.9: "), "{error}");
        let error = Library::open(OsStr::new("a\0b")).unwrap_err().to_string();
        assert!(error.ends_with("its name holds a zero byte"), "{error}");
    }

    #[test]
    #[expect(unsafe_code, reason = "a function of the C library")]
    fn functions_are_found() {
        let library = Library::open_any(&["libno_such_thing.so", "libc.so.6"]).unwrap();
        // SAFETY: this is the type of `abs`.
        let abs: extern "C" fn(i32) -> i32 = unsafe { library.function(c"abs") }.unwrap();
        assert_eq!(abs(-3), 3);
        // SAFETY: there is no such function.
        let none = unsafe { library.function::<extern "C" fn()>(c"no_such_function") };
        assert!(none.is_err());
    }
}
