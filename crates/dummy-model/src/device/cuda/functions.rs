//! Tables of functions from a library, declared once with their types.

/// Declares a structure of function pointers that all give a C `int`, and loads it.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident { $($field:ident = $symbol:literal($($argument:ty),*);)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name {
            $($field: unsafe extern "C" fn($($argument),*) -> std::ffi::c_int,)*
        }

        impl $name {
            #[expect(unsafe_code, reason = "addresses of C functions become functions")]
            fn load(library: $crate::library::Library) -> Result<Self, $crate::error::ModelError> {
                Ok(Self {
                    // SAFETY: the types are those that the library's documentation states.
                    $($field: unsafe { library.function($symbol) }?,)*
                })
            }
        }
    };
}

pub(super) use functions;
