//! Locations of bowline's files, and display and resolution of paths.
//!
//! Must not know the content of the files. XDG folders, or all four under `BOWLINE_HOME`.

use std::path::{Component, Path, PathBuf};

use super::names;

/// The four folders of bowline's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// Settings, models, key maps, themes.
    pub config: PathBuf,
    /// Sessions, credentials.
    pub data: PathBuf,
    /// Log, journals, trust.
    pub state: PathBuf,
    /// Data that can be recreated.
    pub cache: PathBuf,
    /// The user's home folder, for `~`.
    pub user: PathBuf,
}

impl Home {
    /// Returns the default folder of sessions.
    pub fn sessions(&self) -> PathBuf {
        self.data.join("sessions")
    }

    /// Returns the system's trash: beside our data folder, as in XDG.
    #[doc(hidden)]
    pub fn trash(&self) -> PathBuf {
        self.data.parent().unwrap_or(&self.data).join("Trash")
    }

    /// Returns the folder of checkpoints.
    #[doc(hidden)]
    pub fn checkpoints(&self) -> PathBuf {
        self.data.join("checkpoints")
    }

    /// Puts all four below one folder, for a user with this home folder. Nothing is created.
    pub fn below(root: &Path, user: PathBuf) -> Self {
        let under = |name: &str| root.join(name);
        Self {
            config: under("config"),
            data: under("data"),
            state: under("state"),
            cache: under("cache"),
            user,
        }
    }

    /// Finds the folders from the variables of `get`: `BOWLINE_HOME`, else XDG's, else the defaults below
    /// `HOME`. Nothing is created. `None` when there is no home.
    pub fn find(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &str| get(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let user = set("HOME").or_else(|| etcetera::home_dir().ok())?;
        if let Some(root) = set("BOWLINE_HOME") {
            return Some(Self::below(&root, user));
        }
        let xdg = |name: &str, fallback: &str| {
            // The XDG standard requires relative paths to be ignored.
            set(name).filter(|p| p.is_absolute()).unwrap_or_else(|| user.join(fallback)).join("bowline")
        };
        Some(Self {
            config: xdg("XDG_CONFIG_HOME", ".config"),
            data: xdg("XDG_DATA_HOME", ".local/share"),
            state: xdg("XDG_STATE_HOME", ".local/state"),
            cache: xdg("XDG_CACHE_HOME", ".cache"),
            user,
        })
    }
}

/// Joins paths and removes `.` and `..` lexically, without file system access, so that it works for paths
/// that do not exist.
#[doc(hidden)]
pub fn absolute(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in base.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Replaces a leading `~` or `~/` by the user's home.
#[doc(hidden)]
pub fn expand_home(path: &str, user: &Path) -> PathBuf {
    match path.strip_prefix('~') {
        Some("") => user.to_path_buf(),
        Some(rest) if rest.starts_with('/') => user.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

/// Replaces the user's home at the beginning of a path by `~`, to show it.
#[doc(hidden)]
pub fn shorten_home(path: &Path, user: &Path) -> String {
    match path.strip_prefix(user) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_string(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

/// Returns the absolute path of the user's input: `~` is the home folder, and names that are not UTF-8 are in
/// their escaped form.
#[doc(hidden)]
pub fn parse_typed(base: &Path, text: &str, user: &Path) -> PathBuf {
    let path = expand_home(text.trim(), user);
    let path = path.to_str().map_or_else(|| path.clone(), |text| names::parse(text).into_owned());
    absolute(base, &path)
}

/// Splits `name:12:3` into name, line and column, both from 1.
#[doc(hidden)]
pub fn split_position(argument: &str) -> (&str, Option<(usize, usize)>) {
    let number = |text: &str| text.parse::<usize>().ok().filter(|n| *n > 0);
    let Some((rest, last)) = argument.rsplit_once(':') else { return (argument, None) };
    // `path:12:` is a common copy of compiler output.
    let Some(last) = number(last) else {
        return if last.is_empty() { split_position(rest) } else { (argument, None) };
    };
    match rest.rsplit_once(':') {
        Some((name, line)) if number(line).is_some() && !name.is_empty() => {
            (name, Some((number(line).unwrap_or(1), last)))
        }
        _ if rest.is_empty() => (argument, None),
        _ => (rest, Some((last, 1))),
    }
}

/// Returns where a path is after `from`, a file or folder, was moved to `to`; `None` if it is not part of it.
pub fn moved(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(from).ok()?;
    Some(if below.as_os_str().is_empty() { to.to_path_buf() } else { to.join(below) })
}

/// Whether a path names something below a folder, without a look at the disk: a path that climbs does not.
pub fn is_inside(path: &Path, folder: &Path) -> bool {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    !climbs && path.starts_with(folder)
}

/// Returns the path for display: relative to `root` when it is below it.
#[doc(hidden)]
pub fn display(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_that_climbs_is_not_inside() {
        let folder = Path::new("/w");
        assert!(is_inside(Path::new("/w/a/b"), folder));
        assert!(!is_inside(Path::new("/w/../x"), folder) && !is_inside(Path::new("/ww/a"), folder));
    }

    #[test]
    fn paths_bowline_home_wins_over_xdg() {
        let get = |vars: &'static [(&str, &str)]| {
            move |name: &str| vars.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_string())
        };
        let home =
            Home::find(get(&[("HOME", "/u"), ("BOWLINE_HOME", "/b"), ("XDG_DATA_HOME", "/x")])).unwrap();
        assert_eq!(
            (home.data.as_path(), home.trash().as_path()),
            (Path::new("/b/data"), Path::new("/b/Trash"))
        );
        let home =
            Home::find(get(&[("HOME", "/u"), ("XDG_DATA_HOME", "/x"), ("XDG_STATE_HOME", "relative")]))
                .unwrap();
        assert_eq!(
            (home.data.as_path(), home.state.as_path()),
            (Path::new("/x/bowline"), Path::new("/u/.local/state/bowline"))
        );
    }

    #[test]
    fn paths_resolve_without_file_system() {
        assert_eq!(absolute(Path::new("/a/b"), Path::new("../c/./d")), Path::new("/a/c/d"));
        assert_eq!(absolute(Path::new("/a"), Path::new("/../../x")), Path::new("/x"));
        assert_eq!(expand_home("~/x", Path::new("/u")), Path::new("/u/x"));
        assert_eq!(expand_home("~x", Path::new("/u")), Path::new("~x"));
    }
}
