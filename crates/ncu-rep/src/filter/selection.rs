//! Includes and excludes together: which results a filter takes.

use super::{Expression, FilterError};
use crate::NvtxState;

/// The `--nvtx-include` and `--nvtx-exclude` expressions of one command line. The default takes everything.
#[derive(Clone, Debug, Default)]
pub struct NvtxFilter {
    /// At least one of these must match, if there are any.
    pub include: Vec<Expression>,
    /// None of these may match.
    pub exclude: Vec<Expression>,
}

impl NvtxFilter {
    pub fn parse(
        include: &[impl AsRef<str>],
        exclude: &[impl AsRef<str>],
    ) -> Result<Self, FilterError> {
        Ok(Self { include: parse_all(include)?, exclude: parse_all(exclude)? })
    }

    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// A result without NVTX state never passes a filter, not even one of excludes only: so does ncu.
    pub fn selects(&self, state: Option<&NvtxState<'_>>) -> bool {
        if self.is_empty() {
            return true;
        }
        let Some(state) = state else { return false };
        let any = |expressions: &[Expression]| {
            expressions.iter().any(|expression| expression.matches(state))
        };
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

fn parse_all(texts: &[impl AsRef<str>]) -> Result<Vec<Expression>, FilterError> {
    texts.iter().map(|text| Expression::parse(text.as_ref())).collect()
}
