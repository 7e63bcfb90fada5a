//! Attribution and aggregation: results in, reports out.

mod aggregation;
mod attribution;
mod common;
mod families;
mod hostile;
mod properties;
mod range_results;
mod scopes;
mod selection;
mod summaries;
