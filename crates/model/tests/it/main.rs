//! Names and numbers as people see them.

mod number;
mod text;
