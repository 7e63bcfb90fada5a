//! Who runs the children: the system, or a test.

use crate::child::{self, ChildError, ChildEvent, ChildSpec, Outcome};

/// Tests put a runner of their own in place of real processes.
pub trait Runner {
    fn run(
        &mut self,
        spec: &ChildSpec,
        tell: &mut dyn FnMut(ChildEvent<'_>),
    ) -> Result<Outcome, ChildError>;
}

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
