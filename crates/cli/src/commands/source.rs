//! `rangescope source`: the hottest lines and instructions, by region and kernel.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rangescope_model::nearest::nearest;
use rangescope_model::source::SourceDocument;
use rangescope_model::text::visible;
use rangescope_report::source::{self as writers, Listing, SourceView};
use rangescope_run::source::{Disassembler, SourceDirs, SourceRequest, source};

use rangescope_run::RunError;

use crate::failure::Failure;
use crate::selection::{NameArgs, ResultArgs};
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// Reports of ncu, or a run folder.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Regions to take, as in `report`.
    #[arg(long = "region", value_name = "PATTERN")]
    regions: Vec<String>,
    #[command(flatten)]
    results: ResultArgs,
    #[command(flatten)]
    names: NameArgs,
    /// List this file with its heat; the end of its path is enough.
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// List the kernels instruction by instruction, under the lines that they come from.
    #[arg(long, conflicts_with = "file")]
    instructions: bool,
    /// How many lines to show, of all and of each region; and how many kernels to list.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
    /// Look for source files whose path begins with OLD under NEW; may be repeated.
    #[arg(long = "source-dir", value_name = "OLD=NEW", value_parser = source_dir)]
    source_dirs: Vec<(String, PathBuf)>,
    /// The disassembler, which is part of every CUDA toolkit.
    #[arg(long, value_name = "PATH")]
    nvdisasm: Option<PathBuf>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = SourceFormat::Terminal)]
    format: SourceFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SourceFormat {
    /// Tables for the screen.
    Terminal,
    Markdown,
    /// Everything, instruction by instruction.
    Json,
    /// One row a line, or an instruction with --instructions.
    Csv,
}

fn source_dir(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((old, new)) if !new.is_empty() => Ok((old.to_owned(), new.into())),
        _ => Err("write OLD=NEW, two folders".to_owned()),
    }
}

pub(crate) fn run(args: &SourceArgs, ui: &Ui) -> Result<(), Failure> {
    let adjust = |stored| args.results.adjust(&args.regions, &args.names, stored);
    let dirs = SourceDirs(args.source_dirs.clone());
    let disassembler = disassembler(args, ui)?;
    let progress = ui.progress("reading");
    let top = args.top as usize;
    let request = SourceRequest {
        adjust: &adjust,
        top,
        dirs: Some(&dirs),
        whole_texts: false,
        disassembler: disassembler.as_ref(),
        progress: &|done, total| progress.update(done, total),
    };
    let document = source(&args.paths, &request)?;
    drop(progress);
    if document.totals.launches == 0 {
        // What was asked for and is not there is known to the report.
        for path in &args.paths {
            ui.document(path, &adjust)?;
        }
    }
    let listing = match &args.file {
        Some(file) => Listing::File(find(&document, file)?),
        None if args.instructions => Listing::Instructions,
        None => Listing::Summary,
    };
    let view = SourceView { top, width: Ui::width().unwrap_or(100).max(50), listing };
    match args.format {
        SourceFormat::Json => Ui::print_json(&document),
        SourceFormat::Csv => Ui::print(|out| writers::csv::write(&document, &view, out)),
        SourceFormat::Markdown => Ui::print(|out| writers::markdown::write(&document, &view, out)),
        SourceFormat::Terminal => {
            Ui::print_styled(|out| writers::terminal::write(&document, &view, out))
        }
    }
}

/// The disassembler where instructions are shown. One that was not asked for by name may be missing.
fn disassembler(args: &SourceArgs, ui: &Ui) -> Result<Option<Disassembler>, Failure> {
    match &args.nvdisasm {
        Some(path) => Ok(Some(Disassembler::find(path.as_os_str()).map_err(|cause| {
            let hint = "give the path of an nvdisasm, part of every CUDA toolkit and of PyPI's nvidia-cuda-nvdisasm";
            Failure::Hinted { cause: Box::new(RunError::Ncu(cause).into()), hint: hint.to_owned() }
        })?)),
        None if args.instructions => {
            let found = Disassembler::find(OsStr::new("nvdisasm")).ok();
            if found.is_none() {
                ui.say("no nvdisasm here: instructions are shown as PTX where the report holds it; a CUDA toolkit or `pip install nvidia-cuda-nvdisasm` has it (--nvdisasm PATH)");
            }
            Ok(found)
        }
        None => Ok(None),
    }
}

fn find<'d>(
    document: &'d SourceDocument,
    wanted: &str,
) -> Result<&'d rangescope_model::source::SourceFile, Failure> {
    match writers::find_files(document, wanted).as_slice() {
        [file] => Ok(file),
        [] => {
            let names = document.files.iter().map(|file| file.path.as_str());
            let ends = names.clone().map(|path| path.rsplit('/').next().unwrap_or(path));
            let near = nearest(wanted, ends.chain(names));
            Err(Failure::Usage {
                message: format!("no file `{wanted}` has code in these kernels"),
                hint: match near {
                    Some(near) => format!("did you mean `{}`?", visible(&near)),
                    None => {
                        "without --file, the hottest lines name the files that there are".to_owned()
                    }
                },
            })
        }
        several => Err(Failure::Usage {
            message: format!("`{wanted}` is the end of {} paths", several.len()),
            hint: format!(
                "give more of the path: {}",
                several
                    .iter()
                    .take(3)
                    .map(|file| visible(&file.path))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        }),
    }
}
