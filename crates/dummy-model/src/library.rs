//! Shared libraries loaded at run time. They are never unloaded: what was taken from them stays valid.

use std::error::Error;
use std::ffi::{CStr, OsStr};

use crate::error::ModelError;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Library(&'static libloading::Library);

#[expect(unsafe_code, reason = "loading a library is the point of this module")]
impl Library {
    /// Loads a library by a path, or by a name that the system's loader finds.
    pub(crate) fn open(name: &OsStr) -> Result<Self, ModelError> {
        // SAFETY: the library's initialisers run; that is what loading it means.
        match unsafe { libloading::Library::new(name) } {
            Ok(library) => Ok(Self(Box::leak(Box::new(library)))),
            Err(error) => {
                let library = name.display().to_string();
                let message = reason(&error);
                // The loader's message begins with the name, as ours does.
                let reason = message.strip_prefix(&format!("{library}: ")).unwrap_or(&message);
                Err(ModelError::Library { reason: reason.to_owned(), library })
            }
        }
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
        // SAFETY: the caller vouches for the type.
        let found = unsafe { self.0.get::<F>(name) };
        found.map(|function| *function).map_err(|_| ModelError::Library {
            library: format!("the function {}", name.to_string_lossy()),
            reason: "the library does not have it".to_owned(),
        })
    }
}

/// The loader's own message if there is one, because that of `libloading` only names the call.
fn reason(error: &libloading::Error) -> String {
    match error {
        libloading::Error::InteriorZeroElements => "its name holds a zero byte".to_owned(),
        error => error.source().map_or_else(|| error.to_string(), ToString::to_string),
    }
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
