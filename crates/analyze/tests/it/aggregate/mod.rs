//! Attribution and aggregation: results in, reports out.

mod aggregation;
mod attribution;
mod common;
mod exact;
mod families;
mod hostile;
mod properties;
mod range_results;
mod ranks;
mod rows;
mod scopes;
mod selection;
mod summaries;
