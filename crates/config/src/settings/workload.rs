//! The program to profile.

use super::kind::Kind;
use super::section::section;
use crate::settings::section::words;

words! {
    Stdin {
        #[default]
        Inherit = "inherit",
        Closed = "closed",
    }
}

section! {
    Workload "pipeline.workload." {
        command: Vec<String>, Kind::Command, "The program and its arguments; what follows `--` takes precedence" => or_null();
        cwd: Option<String>, Kind::Text, "Its working directory; null is the current one";
        env: Vec<(String, Option<String>)>, Kind::Environment, "Environment variables to set; null removes one";
        stdin: Stdin, Kind::Choice(Stdin::WORDS), "Its standard input";
        timeout_s: Option<f64>, Kind::Seconds, "End the program after so long; null is never";
    }
}
