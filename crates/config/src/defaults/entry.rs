//! One entry of a defaults list, and the names that follow from where it stands.
//!
//! An entry is relative to the configuration that lists it: its group to the folder of that file, its package to the package of that file. A leading slash makes the group absolute, `_global_` the package.

use crate::origin::Origin;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A file: `- db/mysql`. The path `_self_` is the file that has the list.
    Config { path: String },
    /// An option of a group: `- db: mysql`.
    Group {
        group: String,
        choice: Choice,
        /// `override db: mysql` changes an entry elsewhere instead of being one.
        overrides: bool,
        /// It was added on the command line.
        appended: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// `null`: nothing is loaded.
    Nothing,
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(super) what: What,
    pub(super) package: Option<String>,
    pub(super) optional: bool,
    pub(super) origin: Origin,
    pub(super) primary: bool,
    /// From the header of the file that is loaded.
    pub(super) header: Option<String>,
    pub(super) parent_group: String,
    pub(super) parent_package: String,
}

const SELF: &str = "_self_";
const GLOBAL: &str = "_global_";
const GROUP: &str = "_group_";

impl Entry {
    pub(crate) fn new(what: What, package: Option<String>, origin: Origin) -> Self {
        // `_here_` is the package of the configuration that has the list.
        let package =
            package.map(|package| if package == "_here_" { String::new() } else { package });
        let (parent_group, parent_package) = (String::new(), String::new());
        Self {
            what,
            package,
            optional: false,
            origin,
            primary: false,
            header: None,
            parent_group,
            parent_package,
        }
    }

    pub(super) fn config(path: impl Into<String>, package: Option<String>, origin: Origin) -> Self {
        Self::new(What::Config { path: path.into() }, package, origin)
    }

    pub(super) fn this(origin: Origin) -> Self {
        Self::config(SELF, None, origin)
    }

    /// Tells the entry where it is listed.
    pub(super) fn locate(&mut self, group: &str, package: &str) {
        group.clone_into(&mut self.parent_group);
        package.clone_into(&mut self.parent_package);
        if let Some(own) = self.package.as_ref().filter(|own| own.contains(GROUP)) {
            self.package =
                Some(format!("{GLOBAL}.{}", own.replace(GROUP, &self.default_package())));
        }
    }

    pub(super) fn is_self(&self) -> bool {
        match &self.what {
            What::Config { path } => path == SELF,
            What::Group { choice, .. } => *choice == Choice::One(SELF.to_owned()),
        }
    }

    pub(super) fn is_override(&self) -> bool {
        matches!(self.what, What::Group { overrides: true, .. })
    }

    pub(super) fn is_appended(&self) -> bool {
        matches!(self.what, What::Group { appended: true, .. })
    }

    /// The option or the last part of the path; `None` for `null`.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.what {
            What::Config { path } => Some(path.rsplit_once('/').map_or(path, |(_, name)| name)),
            What::Group { choice: Choice::One(option), .. } => Some(option),
            What::Group { .. } => None,
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        self.name() == Some("???")
    }

    pub(super) fn is_interpolation(&self) -> bool {
        match &self.what {
            What::Config { .. } => self.config_path().contains("${"),
            What::Group { choice: Choice::One(option), .. } => option.contains("${"),
            What::Group { .. } => false,
        }
    }

    /// Without the slash of an absolute group, and whether there was one.
    fn written_group(&self) -> (&str, bool) {
        let (written, is_absolute) = match &self.what {
            What::Config { path } => {
                let bare = path.strip_prefix('/').unwrap_or(path);
                (bare.rsplit_once('/').map_or("", |(group, _)| group), path.starts_with('/'))
            }
            What::Group { group, .. } => {
                (group.strip_prefix('/').unwrap_or(group), group.starts_with('/'))
            }
        };
        (written, is_absolute)
    }

    /// From the top of the tree.
    pub(super) fn group(&self) -> String {
        match self.written_group() {
            (group, true) => group.to_owned(),
            (group, false) => join(&self.parent_group, group),
        }
    }

    pub(super) fn config_path(&self) -> String {
        match &self.what {
            What::Config { path } => match path.strip_prefix('/') {
                Some(absolute) => absolute.to_owned(),
                None if self.parent_group.is_empty() => path.clone(),
                None => format!("{}/{path}", self.parent_group),
            },
            What::Group { .. } => format!("{}/{}", self.group(), self.name().unwrap_or("null")),
        }
    }

    /// The package that follows from the group alone.
    fn default_package(&self) -> String {
        self.group().replace('/', ".")
    }

    /// Where the content is put, with the header of the file considered.
    pub(super) fn final_package(&self) -> String {
        self.package_or(self.package.as_deref().or(self.header.as_deref()))
    }

    fn package_or(&self, package: Option<&str>) -> String {
        let package =
            package.map_or_else(|| self.written_group().0.replace('/', "."), str::to_owned);
        let full = match (self.parent_package.as_str(), package.as_str()) {
            ("", package) => package.to_owned(),
            (parent, "") => parent.to_owned(),
            (parent, package) => format!("{parent}.{package}"),
        };
        // Everything up to the last `_global_` and the dot after it counts for nothing.
        match full.rfind(GLOBAL) {
            None => full,
            Some(start) => full[start + GLOBAL.len()..].chars().skip(1).collect(),
        }
    }

    /// The name by which overrides know this entry: the group, and the package where that does not follow from the group.
    pub(super) fn override_key(&self) -> String {
        let package = self.package_or(self.package.as_deref());
        let group = self.group();
        match package.as_str() {
            package if package == self.default_package() => group,
            "" => format!("{group}@{GLOBAL}"),
            package => format!("{group}@{package}"),
        }
    }

    /// A header is always absolute.
    pub(super) fn set_header(&mut self, header: Option<&str>) {
        self.header = match header {
            None | Some(GROUP) => None,
            Some(header) => {
                let header = header.replace(GROUP, &self.default_package());
                let is_global = header == GLOBAL || header.starts_with("_global_.");
                Some(if is_global { header } else { format!("{GLOBAL}.{header}") })
            }
        };
    }

    /// Hydra's own configuration, which rangescope does not have.
    pub(super) fn is_about_hydra(&self) -> bool {
        let group = self.group();
        group == "hydra" || group.starts_with("hydra/")
    }
}

fn join(parent: &str, child: &str) -> String {
    match (parent, child) {
        ("", child) => child.to_owned(),
        (parent, "") => parent.to_owned(),
        (parent, child) => format!("{parent}/{child}"),
    }
}
