//! `rangescope completions`: a completion script, made from the same definition as the help.

use clap::CommandFactory;

use crate::args::Cli;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "rangescope", &mut script);
    Ui::print(|out| out.write_all(&script))
}
