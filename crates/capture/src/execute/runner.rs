//! Who runs the children: the system, or a test.

use crate::child::{self, ChildError, ChildEvent, ChildSpec, Outcome};

/// Runs one child to its end.
pub trait Runner {
    /// Runs the child and tells about it meanwhile.
    fn run(
        &mut self,
        spec: &ChildSpec,
        tell: &mut dyn FnMut(ChildEvent<'_>),
    ) -> Result<Outcome, ChildError>;
}

/// Runs real processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealRunner;

impl Runner for RealRunner {
    fn run(
        &mut self,
        spec: &ChildSpec,
        tell: &mut dyn FnMut(ChildEvent<'_>),
    ) -> Result<Outcome, ChildError> {
        child::run(spec, tell)
    }
}
