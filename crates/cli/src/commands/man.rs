//! `rangescope man`: a man page a command, made from the same definition as the help.

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::Cli;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(folder: &Path, ui: &Ui) -> Result<(), Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let pages = write_pages(command, folder)?;
    ui.say(&format!("{pages} man pages written to {}", folder.display()));
    Ok(())
}

/// The page of a command and of every command below it; how many there were.
fn write_pages(command: clap::Command, folder: &Path) -> Result<usize, Failure> {
    let mut pages = 1;
    for child in command.get_subcommands().filter(|child| !child.is_hide_set()) {
        pages += write_pages(child.clone(), folder)?;
    }
    let page = Man::new(command);
    rangescope_report::write_atomically(&folder.join(page.get_filename()), |out| {
        page.render(&mut &mut *out)
    })?;
    Ok(pages)
}
