//! Command lines that are refused, in the words of real ncu.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Said first.
    pub(super) warnings: Vec<String>,
    /// Each is an error of its own.
    pub(super) lines: Vec<String>,
}

impl Refusal {
    pub(super) fn new(line: impl Into<String>) -> Self {
        Self { warnings: Vec::new(), lines: vec![line.into()] }
    }

    /// A refusal by the parser of options.
    pub(super) fn usage(line: impl Into<String>) -> Self {
        Self::new(format!("{}. Use --help for further details.", line.into()))
    }

    pub(super) fn and(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    pub(super) fn after(mut self, warning: &str) -> Self {
        self.warnings.push(warning.to_owned());
        self
    }

    #[cfg(test)]
    pub(super) fn first(&self) -> String {
        self.lines.first().cloned().unwrap_or_default()
    }
}
