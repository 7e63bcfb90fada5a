//! A run's reports as a folder: one for the whole run, one folder per region.
//!
//! ```text
//! DIR/report.md, report.json, report.html
//! DIR/plots/*.svg
//! DIR/ncu/sections_report.txt, raw.csv
//! DIR/ncu/regions/report.md, report.json
//! DIR/ncu/regions/<safe name>/report.md, report.json, kernels.csv, sections.txt
//! ```
//!
//! Which format lies where is in [`FORMATS`]. Nothing is written outside of DIR: folders below it are made here or refused if they are symbolic links.
//! Files of the same name are replaced; whatever else is in DIR stays.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};
use rangescope_model::document::RegionDocument;
use rangescope_model::region::RegionRef;

use crate::formats::{ExportOptions, FORMATS, FolderFiles, Format, ReportWriter, Written};
use crate::regions::{self, Found};
use crate::safe_names::safe_names;
use crate::{ReportError, sweep, write_atomically};

/// Writes the results as CSV; the caller knows them, this crate does not.
pub type RawWriter<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// Everything a folder needs besides the document.
pub struct FolderParts<'a> {
    /// Writes `ncu/raw.csv`; without it that file is not written.
    pub raw_csv: Option<RawWriter<'a>>,
    /// Drawings, by name without ending and as SVG; they lie in `plots/`.
    pub plots: Vec<(&'static str, String)>,
    /// The formats that are asked for; those that every folder has need not be among them.
    pub formats: &'a [&'static Format],
    /// Limits of the reports; the report of a single region shows all of its metrics.
    pub options: ExportOptions,
}

/// The folders of regions share this folder with reports of the whole run, so names can clash.
const REGIONS: &str = "ncu/regions/";

/// Writes all reports of a run into `dir` and returns the files written, in the order written.
pub fn write_folder(
    dir: &Path,
    document: &RegionDocument,
    parts: FolderParts<'_>,
) -> Result<Vec<PathBuf>, ReportError> {
    // Members of a family have no folders of their own: what they hold is in the document of the run.
    let seen = parts.options.view.of(document);
    let found = regions::in_all_scopes(&seen);
    let names = folder_names(&found);
    let formats = written_formats(parts.formats);
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
    for &(writer, files) in &formats {
        for (copy, path) in files.run.iter().enumerate() {
            if copy > 0 && !files.with_drawings {
                folder.copy(&dir.join(files.run[0]), &dir.join(path))?;
            } else {
                let to_top = "../".repeat(path.matches('/').count());
                let drawings =
                    parts.plots.iter().map(|(name, _)| format!("{to_top}plots/{name}.svg"));
                let options =
                    ExportOptions { drawings: drawings.collect(), ..parts.options.clone() };
                folder.write(&dir.join(path), |out| writer(document, &options, out))?;
            }
        }
    }
    if let Some(raw_csv) = parts.raw_csv {
        folder.write(&ncu.join("raw.csv"), raw_csv)?;
    }

    // One region's own report has room for everything.
    let options = ExportOptions { max_metrics: None, ..parts.options };
    for (name, found) in names.iter().zip(found.values()) {
        let region_folder = make_folder(&all_regions, name)?;
        let region = regions::only(document, found);
        for (writer, files) in &formats {
            if let Some(file) = files.region {
                folder.write(&region_folder.join(file), |out| writer(&region, &options, out))?;
            }
        }
    }
    Ok(folder.written)
}

/// The formats that are asked for or always written, in the order of the table.
fn written_formats(asked: &[&'static Format]) -> Vec<(ReportWriter, &'static FolderFiles)> {
    let is_asked = |format: &Format| asked.iter().any(|asked| asked.name == format.name);
    FORMATS
        .iter()
        .filter_map(|format| {
            let (writer, files) = format.report.zip(format.folder.as_ref())?;
            (files.written == Written::Always || is_asked(format)).then_some((writer, files))
        })
        .collect()
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

    /// Gives a file written before a second name, which takes no room; a copy where the file system has no such names.
    fn copy(&mut self, from: &Path, to: &Path) -> Result<(), ReportError> {
        // What is no file stays, and is refused below.
        let _ = fs_err::remove_file(to);
        if fs_err::hard_link(from, to).is_ok() {
            self.written.push(to.to_owned());
            return Ok(());
        }
        self.write(to, |out| io::copy(&mut fs_err::File::open(from)?, out).map(drop))
    }
}

/// The names of the regions' folders: safe, unique, and none that a file beside the folders has.
fn folder_names(found: &IndexMap<RegionRef<'_>, Vec<Found<'_>>>) -> Vec<String> {
    let named =
        found.iter().filter_map(|(key, found)| Some((*key, found.first()?.1.name.as_str())));
    let safe = safe_names(&named.collect::<Vec<_>>());
    let used: IndexSet<&str> = safe.iter().map(String::as_str).collect();
    safe.iter().map(|name| beside_files(name, &used)).collect()
}

/// A region may well be called `report.md`: its folder then gets underscores until the name is free.
fn beside_files(name: &str, used: &IndexSet<&str>) -> String {
    let files = FORMATS.iter().filter_map(|format| format.folder.as_ref());
    let mut beside =
        files.flat_map(|files| files.run).filter_map(|path| path.strip_prefix(REGIONS));
    if !beside.any(|file| file.eq_ignore_ascii_case(name)) {
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
        Ok(found) if found.is_dir() => {
            sweep(dir);
            Ok(())
        }
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
                Ok(found) if found.is_dir() => {
                    sweep(&path);
                    Ok(path)
                }
                Ok(found) if found.is_symlink() => Err(ReportError::SymbolicLink { path }),
                Ok(_) => Err(ReportError::NotAFolder { path }),
                Err(cause) => Err(ReportError::MakeFolder { path, cause }),
            }
        }
        Err(cause) => Err(ReportError::MakeFolder { path, cause }),
    }
}
