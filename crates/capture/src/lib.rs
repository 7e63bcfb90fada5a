//! Plans and runs Nsight Compute captures by NVTX region.
//!
//! In order: [`ncu::NcuInfo::probe`] asks the ncu at hand what it can do; [`plan::Plan::new`] turns options into captures with their command lines, where [`selector`] translates
//! region selectors into ncu's own language; [`execute::execute`] runs them through [`child`] and keeps what they leave; [`diagnose::diagnose`] says why one came out empty.
//! [`doctor::doctor`] looks at the machine, [`environment::Environment`] writes down where a run took place.
//!
//! Only [`child`] starts processes. Plans and diagnoses are pure.

mod applied;
pub mod child;
pub mod diagnose;
pub mod doctor;
pub mod environment;
pub mod execute;
pub mod files;
mod glob;
pub mod launch;
pub mod ncu;
pub mod nsys;
pub mod plan;
pub mod rank;
pub mod recorder;
pub mod selector;
mod shell;

pub use applied::{AppliedFilter, AppliedFilters, FilterKind};
