//! Why a gate cannot be understood.

/// A gate that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("gate `{}`{}, position {position}: {problem}", rangescope_model::text::visible(gate), in_line(*line))]
pub struct GateError {
    /// The gate as it was written.
    pub gate: String,
    /// Its line, from 1, if it comes from a file.
    pub line: Option<usize>,
    /// Position in it, in characters from 0.
    pub position: usize,
    pub problem: Box<GateProblem>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateProblem {
    /// Nothing was written.
    #[error("it is empty")]
    Empty,
    /// No comparison.
    #[error("no `>` or `<`")]
    NoComparison,
    /// Nothing stands before the comparison.
    #[error("no quantity before `{operator}`")]
    NoQuantity {
        /// The operator.
        operator: &'static str,
    },
    /// A quantity that is neither a short name nor a metric.
    #[error("`{name}` is neither a short name nor a metric of ncu")]
    Quantity {
        /// The word.
        name: String,
        /// A short name that is nearly the same.
        meant: Option<String>,
    },
    /// Something stands before the quantity that is not a region with a colon.
    #[error("`:` is missing between the region and `{quantity}`")]
    NoColon {
        /// The region as it was written.
        region: String,
        /// The quantity.
        quantity: String,
    },
    /// The region selector is malformed.
    #[error("{0}")]
    Region(rangescope_model::select::SelectError),
    /// The limit is no number.
    #[error("`{text}` is not a limit")]
    Limit {
        /// The text.
        text: String,
    },
    /// A unit that does not exist, or not for this quantity.
    #[error("`{unit}` is not a unit of {quantity}")]
    Unit {
        /// The unit.
        unit: String,
        /// The quantity.
        quantity: String,
        /// Units that it has.
        possible: &'static str,
    },
}

impl GateError {
    pub fn hint(&self) -> String {
        match &*self.problem {
            GateProblem::Empty | GateProblem::NoComparison | GateProblem::NoQuantity { .. } => {
                "write `[REGION:] QUANTITY > LIMIT`, for example `decode: time > 5%`".to_owned()
            }
            GateProblem::Quantity { meant: Some(meant), .. } => format!("did you mean `{meant}`?"),
            GateProblem::Quantity { meant: None, .. } => format!(
                "short names are {}; a metric is written in full, for example `dram__bytes.sum`",
                crate::compare::gate::short_names().join(", ")
            ),
            GateProblem::NoColon { region, quantity } => format!("write `{region}: {quantity} …`"),
            GateProblem::Region(error) => error.hint(),
            GateProblem::Limit { .. } => {
                "write a number with `%`, a unit, or nothing after it: `5%`, `0.5ms`, `-3`"
                    .to_owned()
            }
            GateProblem::Unit { possible, .. } => format!("use {possible}"),
        }
    }
}

fn in_line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(" (line {line})"))
}
