//! A run's reports as a folder: one for the whole run, one folder per region.
//!
//! ```text
//! DIR/report.md, report.json
//! DIR/plots/*.svg
//! DIR/ncu/sections_report.txt, raw.csv
//! DIR/ncu/regions/report.md, report.json
//! DIR/ncu/regions/<safe name>/report.md, report.json, kernels.csv, sections.txt
//! ```
//!
//! Nothing is written outside of DIR: folders below it are made here or refused if they are symbolic links, and names are checked again before they become paths.
//! Files of the same name are replaced; whatever else is in DIR stays.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indexmap::IndexSet;
use rangescope_model::document::RegionDocument;

use crate::export::{Exporter, json, kernels_csv, markdown, sections_txt};
use crate::{ExportOptions, ReportError, view, write_atomically};

/// Writes the results as CSV; the caller knows them, this crate does not.
pub type RawWriter<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// What a folder needs besides the document.
#[derive(Default)]
pub struct FolderParts<'a> {
    /// One unique safe name per region, in the order of [`crate::region_identities`].
    pub names: &'a [String],
    /// Writes `ncu/raw.csv`; without it that file is not written.
    pub raw_csv: Option<RawWriter<'a>>,
    /// Drawings, by name without ending and as SVG: they lie in `plots/`, and `report.md` shows them.
    pub plots: Vec<(&'static str, String)>,
    /// Which files are written.
    pub formats: FolderFormats,
    /// How the reports look.
    pub options: ExportOptions,
}

/// Which kinds of files a folder gets; the JSON is always there, because everything else can be made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderFormats {
    /// `report.md`.
    pub markdown: bool,
    /// `kernels.csv`.
    pub csv: bool,
}

impl Default for FolderFormats {
    fn default() -> Self {
        Self { markdown: true, csv: true }
    }
}

/// The reports of the whole run: they lie at the top and again beside the regions' folders, where no folder can have their names.
const RUN_REPORTS: &[&str] = &["report.md", "report.json"];

/// Writes all reports of a run into `dir` and returns the files written, in the order written.
pub fn write_folder(
    dir: &Path,
    document: &RegionDocument,
    parts: FolderParts<'_>,
) -> Result<Vec<PathBuf>, ReportError> {
    let regions = view::regions_in_scopes(document);
    let names = folder_names(parts.names, regions.len())?;
    let (formats, options) = (parts.formats, parts.options);
    let mut folder = Folder { written: Vec::new() };

    make_top_folder(dir)?;
    let ncu = make_folder(dir, "ncu")?;
    let all_regions = make_folder(&ncu, "regions")?;

    if !parts.plots.is_empty() {
        let plots = make_folder(dir, "plots")?;
        for (name, svg) in &parts.plots {
            folder
                .write(&plots.join(format!("{name}.svg")), |out| out.write_all(svg.as_bytes()))?;
        }
    }
    if formats.markdown {
        folder.write(&dir.join("report.md"), |out| {
            markdown::write(document, &options, out)?;
            show_plots(&parts.plots, "plots", out)
        })?;
    }
    folder.export(&dir.join("report.json"), json::write, document, options)?;
    folder.export(&ncu.join("sections_report.txt"), sections_txt::write, document, options)?;
    if let Some(raw_csv) = parts.raw_csv {
        folder.write(&ncu.join("raw.csv"), raw_csv)?;
    }
    if formats.markdown {
        folder.write(&all_regions.join("report.md"), |out| {
            markdown::write(document, &options, out)?;
            show_plots(&parts.plots, "../../plots", out)
        })?;
    }
    folder.copy(&dir.join("report.json"), &all_regions.join("report.json"))?;

    // One region's own report has room for everything.
    let options = ExportOptions { max_metrics: None, ..options };
    for (name, found) in names.iter().zip(regions.values()) {
        let region_folder = make_folder(&all_regions, name)?;
        let region = view::only_region(document, found);
        if formats.markdown {
            folder.export(&region_folder.join("report.md"), markdown::write, &region, options)?;
        }
        folder.export(&region_folder.join("report.json"), json::write, &region, options)?;
        if formats.csv {
            let kernels = region_folder.join("kernels.csv");
            folder.export(&kernels, kernels_csv::write, &region, options)?;
        }
        folder.export(
            &region_folder.join("sections.txt"),
            sections_txt::write,
            &region,
            options,
        )?;
    }
    Ok(folder.written)
}

/// The drawings at the end of a report, by relative path.
fn show_plots(
    plots: &[(&'static str, String)],
    folder: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    if plots.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Plots")?;
    for (name, _) in plots {
        writeln!(out, "\n![{name}]({folder}/{name}.svg)")?;
    }
    Ok(())
}

/// Remembers which files were written.
struct Folder {
    written: Vec<PathBuf>,
}

impl Folder {
    fn write(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ReportError> {
        write_atomically(path, write)?;
        self.written.push(path.to_owned());
        Ok(())
    }

    fn export(
        &mut self,
        path: &Path,
        exporter: Exporter,
        document: &RegionDocument,
        options: ExportOptions,
    ) -> Result<(), ReportError> {
        self.write(path, |out| exporter(document, &options, out))
    }

    /// Copies a file written before, which is much faster than making it again.
    fn copy(&mut self, from: &Path, to: &Path) -> Result<(), ReportError> {
        self.write(to, |out| io::copy(&mut fs_err::File::open(from)?, out).map(drop))
    }
}

/// The names as they are used: checked, unique, and none that a file beside the folders has.
fn folder_names(given: &[String], regions: usize) -> Result<Vec<String>, ReportError> {
    if given.len() != regions {
        return Err(ReportError::FolderNameCount { given: given.len(), regions });
    }
    let mut used: IndexSet<&str> = IndexSet::with_capacity(given.len());
    for name in given {
        let wrong = |reason| ReportError::FolderName { name: name.clone(), reason };
        if name.is_empty() || name == "." || name == ".." {
            return Err(wrong("it names no folder of its own"));
        }
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)) {
            return Err(wrong("only letters, digits and `_.-` are safe"));
        }
        if name.len() > 200 {
            return Err(wrong("it is too long"));
        }
        if !used.insert(name) {
            return Err(wrong("another region has it too"));
        }
    }
    Ok(given.iter().map(|name| beside_files(name, &used)).collect())
}

/// A region may well be called `report.md`: its folder then gets underscores until the name is free.
fn beside_files(name: &str, used: &IndexSet<&str>) -> String {
    if !RUN_REPORTS.iter().any(|report| report.eq_ignore_ascii_case(name)) {
        return name.to_owned();
    }
    let mut free = format!("{name}_");
    while used.contains(free.as_str()) {
        free.push('_');
    }
    free
}

/// Makes the output folder. It may be a symbolic link: that is the user's own choice.
fn make_top_folder(dir: &Path) -> Result<(), ReportError> {
    match fs_err::metadata(dir) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(ReportError::NotAFolder { path: dir.to_owned() }),
        Err(_) => std::fs::create_dir_all(dir)
            .map_err(|cause| ReportError::MakeFolder { path: dir.to_owned(), cause }),
    }
}

/// Makes a folder inside another, or accepts one that is there and is no link.
fn make_folder(parent: &Path, name: &str) -> Result<PathBuf, ReportError> {
    let path = parent.join(name);
    match std::fs::create_dir(&path) {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            match fs_err::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => Ok(path),
                Ok(found) if found.is_symlink() => Err(ReportError::SymbolicLink { path }),
                Ok(_) => Err(ReportError::NotAFolder { path }),
                Err(cause) => Err(ReportError::MakeFolder { path, cause }),
            }
        }
        Err(cause) => Err(ReportError::MakeFolder { path, cause }),
    }
}
