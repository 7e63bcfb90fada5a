//! The files of a configuration: folders of the user, then the tree that is embedded in the binary.
//!
//! This is the only module of the crate that reads files. A configuration is named by its path below the tree without `.yaml`; names that lead out of the tree do not exist.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{ConfigError, Problem};
use crate::limits;
use crate::origin::{BUILTIN, Origin};
use crate::value::{Node, Value};
use crate::yaml;

/// The files of `conf/`, path and text, in the order of their paths.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

const ENDING: &str = ".yaml";

#[derive(Clone, Debug)]
pub struct Tree {
    dirs: Vec<PathBuf>,
    embedded: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// For example `profiling/ncu`; empty for the top.
    pub name: String,
    pub options: Vec<GroupOption>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupOption {
    /// For example `ncu.default`.
    pub name: String,
    /// The text of its key `description`.
    pub description: Option<String>,
    pub file: String,
}

impl Tree {
    pub fn embedded() -> Self {
        Self { dirs: Vec::new(), embedded: true }
    }

    /// Folders of the user, searched in order, then the embedded tree.
    pub fn with_dirs(dirs: &[PathBuf]) -> Result<Self, ConfigError> {
        let tree = Self { dirs: dirs.to_vec(), embedded: true };
        tree.check_dirs()?;
        Ok(tree)
    }

    /// Folders of the user alone.
    pub fn of_dirs(dirs: &[PathBuf]) -> Result<Self, ConfigError> {
        let tree = Self { dirs: dirs.to_vec(), embedded: false };
        tree.check_dirs()?;
        Ok(tree)
    }

    /// Whatever else the folders of a user hold.
    pub(crate) fn built_in(group: &str) -> impl Iterator<Item = &'static str> {
        let inside = move |path: &'static str| path.strip_prefix(group)?.strip_prefix('/');
        EMBEDDED
            .iter()
            .filter_map(move |(path, _)| inside(path)?.strip_suffix(ENDING))
            .filter(|option| !option.contains('/'))
    }

    fn check_dirs(&self) -> Result<(), ConfigError> {
        for dir in &self.dirs {
            let is_dir = fs_err::metadata(dir)
                .map_err(|error| ConfigError::new(Problem::Read(error)))?
                .is_dir();
            if !is_dir {
                return Err(ConfigError::expected("a folder", format!("`{}`", dir.display())));
            }
        }
        Ok(())
    }

    /// The text of a configuration and the origin of its first line.
    pub(crate) fn read(&self, name: &str) -> Result<Option<(String, Origin)>, ConfigError> {
        if !stays_inside(name) {
            return Ok(None);
        }
        let file = file_name(name);
        for dir in &self.dirs {
            let path = dir.join(&file);
            if path.is_file() {
                return read_file(&path).map(Some);
            }
        }
        let embedded = self.embedded_files().find(|(path, _)| *path == file);
        Ok(embedded.map(|(path, text)| (text.to_owned(), builtin(path))))
    }

    /// Groups are folders.
    pub(crate) fn is_group(&self, name: &str) -> bool {
        let is_embedded = || {
            let inside = |(path, _): (&str, &str)| {
                path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
            };
            self.embedded_files().any(inside)
        };
        stays_inside(name) && (self.dirs.iter().any(|dir| dir.join(name).is_dir()) || is_embedded())
    }

    pub(crate) fn options(&self, group: &str) -> Vec<String> {
        let groups = self.listing().unwrap_or_default();
        let options =
            groups.into_iter().filter(|(name, _)| name == group).map(|(_, option)| option);
        options.collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub(crate) fn group_names(&self) -> BTreeSet<String> {
        self.listing()
            .unwrap_or_default()
            .into_iter()
            .map(|(group, _)| group)
            .filter(|group| !group.is_empty())
            .collect()
    }

    pub fn groups(&self) -> Result<Vec<Group>, ConfigError> {
        let mut groups: Vec<Group> = Vec::new();
        for (group, option) in self.listing()? {
            let name = if group.is_empty() { option.clone() } else { format!("{group}/{option}") };
            let Some((text, origin)) = self.read(&name)? else { continue };
            let root = yaml::load(&text, &origin)?;
            let description = match root.get("description").map(|node| &node.value) {
                Some(Value::Text(text)) => Some(text.clone()),
                _ => None,
            };
            let file = match &origin {
                Origin::File { file, .. } => file.to_string(),
                other => other.to_string(),
            };
            let entry = GroupOption { name: option, description, file };
            match groups.last_mut().filter(|last| last.name == group) {
                Some(last) => last.options.push(entry),
                None => groups.push(Group { name: group, options: vec![entry] }),
            }
        }
        Ok(groups)
    }

    /// Every configuration as group and option, once, in order.
    fn listing(&self) -> Result<BTreeSet<(String, String)>, ConfigError> {
        let mut files = BTreeSet::new();
        for dir in &self.dirs {
            let mut budget = limits::LISTED;
            collect(dir, "", 0, &mut budget, &mut files)?;
        }
        files.extend(self.embedded_files().map(|(path, _)| path.to_owned()));
        let split = |file: &String| {
            let name = file.strip_suffix(ENDING).unwrap_or(file);
            let (group, option) = name.rsplit_once('/').unwrap_or(("", name));
            (group.to_owned(), option.to_owned())
        };
        Ok(files.iter().map(split).collect())
    }

    fn embedded_files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        EMBEDDED.iter().copied().filter(|_| self.embedded)
    }
}

/// The ending may be written out.
fn file_name(name: &str) -> String {
    if name.strip_suffix(ENDING).is_some() { name.to_owned() } else { format!("{name}{ENDING}") }
}

/// Whether a name stays below the tree that it is looked up in.
fn stays_inside(name: &str) -> bool {
    let is_ordinary = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    name.split('/').all(is_ordinary)
}

fn builtin(path: &str) -> Origin {
    Origin::File { file: Arc::from(format!("{BUILTIN}{path}")), line: 1 }
}

/// Reads one YAML file as it is, without composing or looking anything up.
pub fn read_yaml(path: &Path) -> Result<Node, ConfigError> {
    let (text, origin) = read_file(path)?;
    yaml::load(&text, &origin)
}

fn read_file(path: &Path) -> Result<(String, Origin), ConfigError> {
    let origin = Origin::File { file: Arc::from(path.to_string_lossy()), line: 1 };
    let fail = |error| ConfigError::new(Problem::Read(error)).at(&origin);
    let mut bytes = Vec::new();
    // The kind is asked before opening, because opening a pipe would wait for its writer.
    let kind = fs_err::metadata(path).map_err(fail)?;
    if !kind.is_file() && !kind.is_dir() {
        let what = "it is a pipe or a device and not a file";
        return Err(fail(std::io::Error::new(ErrorKind::InvalidInput, what)));
    }
    // One byte more than allowed shows that a file is too large, whatever its size claims to be.
    let file = fs_err::File::open(path).map_err(fail)?;
    file.take(limits::FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() > limits::FILE_BYTES {
        return Err(ConfigError::too_much("the size of a file", limits::FILE_BYTES).at(&origin));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        ConfigError::new(Problem::Yaml("the file is not UTF-8".to_owned())).at(&origin)
    })?;
    Ok((text, origin))
}

/// As paths from the top of the tree.
fn collect(
    folder: &Path,
    prefix: &str,
    depth: usize,
    budget: &mut usize,
    files: &mut BTreeSet<String>,
) -> Result<(), ConfigError> {
    let fail = |error: std::io::Error| ConfigError::new(Problem::Read(error));
    for entry in fs_err::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        *budget = budget.saturating_sub(1);
        if *budget == 0 {
            return Err(ConfigError::too_much("the number of files in a tree", limits::LISTED));
        }
        let path = entry.path();
        let is_dir = match fs_err::metadata(&path) {
            Ok(metadata) => metadata.is_dir(),
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(fail(error)),
        };
        // Links may form a cycle, which the depth ends.
        if is_dir && depth < 16 && !name.starts_with('.') {
            collect(&path, &format!("{prefix}{name}/"), depth + 1, budget, files)?;
        } else if !is_dir && name.strip_suffix(ENDING).is_some() {
            files.insert(format!("{prefix}{name}"));
        }
    }
    Ok(())
}
