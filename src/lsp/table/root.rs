//! The folder for which a server is started. Must not touch the disk: `Folders` answers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::lsp::table::pattern::Pattern;
use crate::lsp::table::row::{Language, Server};

/// What there is in folders.
pub trait Folders {
    /// Whether there is a file or folder with this path.
    fn exists(&self, path: &Path) -> bool;

    /// Returns the names in a folder. It is asked for globs only.
    fn names(&self, folder: &Path) -> Vec<OsString>;
}

/// Returns the root of a file's project: the topmost folder from the workspace to the file's that has a marker, else
/// the workspace. For a file outside of the workspace, the nearest folder above it that has one, else its own. Paths
/// are absolute and without `..`.
pub fn root_of(file: &Path, workspace: &Path, markers: &[Pattern], folders: &dyn Folders) -> PathBuf {
    marked(file, workspace, markers, folders).unwrap_or_else(|| {
        let own = file.parent().unwrap_or(file);
        if own.starts_with(workspace) { workspace } else { own }.to_path_buf()
    })
}

/// Returns the folder for which a server is started for a file: where it requires files, the topmost folder with one
/// of them, else the root of the language. `None` if nothing of what it requires is there, so that it must not start.
pub fn server_root(
    file: &Path,
    workspace: &Path,
    language: &Language,
    server: &Server,
    folders: &dyn Folders,
) -> Option<PathBuf> {
    if server.required_root_patterns.is_empty() {
        return Some(root_of(file, workspace, &language.roots, folders));
    }
    marked(file, workspace, &server.required_root_patterns, folders)
}

fn marked(file: &Path, workspace: &Path, markers: &[Pattern], folders: &dyn Folders) -> Option<PathBuf> {
    let own = file.parent()?;
    let is_marked = |folder: &&Path| markers.iter().any(|marker| has(folder, marker, folders));
    if !own.starts_with(workspace) {
        return own.ancestors().find(is_marked).map(Path::to_path_buf);
    }
    let inside: Vec<&Path> = own.ancestors().take_while(|folder| folder.starts_with(workspace)).collect();
    inside.into_iter().rev().find(is_marked).map(Path::to_path_buf)
}

fn has(folder: &Path, marker: &Pattern, folders: &dyn Folders) -> bool {
    if marker.is_exact() {
        return folders.exists(&folder.join(marker.text()));
    }
    folders.names(folder).iter().any(|name| marker.is_match(Path::new(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::table::layer::Layer;
    use crate::lsp::table::merge::Table;
    use crate::lsp::table::row::Origin;

    /// Files, by their paths.
    struct Disk(&'static [&'static str]);

    impl Folders for Disk {
        fn exists(&self, path: &Path) -> bool {
            self.0.iter().any(|file| Path::new(file).starts_with(path))
        }

        fn names(&self, folder: &Path) -> Vec<OsString> {
            let below = self.0.iter().filter_map(|file| Path::new(file).strip_prefix(folder).ok());
            below.filter_map(|rest| Some(rest.components().next()?.as_os_str().to_owned())).collect()
        }
    }

    fn root(file: &str, markers: &[&str], files: &'static [&'static str]) -> PathBuf {
        let markers: Vec<_> = markers.iter().map(|marker| Pattern::new(marker).unwrap()).collect();
        root_of(Path::new(file), Path::new("/home/w"), &markers, &Disk(files))
    }

    #[test]
    fn root_is_topmost_folder_with_a_marker() {
        let files = &["/home/w/a/Cargo.toml", "/home/w/a/b/Cargo.toml", "/home/Cargo.toml"];
        assert_eq!(root("/home/w/a/b/src/x.rs", &["Cargo.toml"], files), Path::new("/home/w/a"));
        assert_eq!(
            root("/home/w/c/x.rs", &["Cargo.toml"], files),
            Path::new("/home/w"),
            "none: the workspace"
        );
        assert_eq!(root("/home/w/x.rs", &["Cargo.toml"], files), Path::new("/home/w"));
        assert_eq!(root("/home/w/a/b/x.rs", &[], files), Path::new("/home/w"));
    }

    #[test]
    fn root_of_workspace_with_a_marker_is_the_workspace() {
        let files = &["/home/w/go.work", "/home/w/a/go.mod"];
        assert_eq!(root("/home/w/a/x.go", &["go.mod", "go.work"], files), Path::new("/home/w"));
    }

    #[test]
    fn root_marker_may_be_a_glob_or_a_path() {
        let files = &["/home/w/a/b/x.csproj", "/home/w/p/prisma/schema.prisma"];
        assert_eq!(root("/home/w/a/b/c/x.cs", &["*.sln", "*.csproj"], files), Path::new("/home/w/a/b"));
        assert_eq!(root("/home/w/p/q/x.ts", &["prisma/schema.prisma"], files), Path::new("/home/w/p"));
    }

    #[test]
    fn root_outside_of_workspace_is_nearest_folder_with_a_marker() {
        let files = &["/usr/src/Cargo.toml", "/usr/src/a/Cargo.toml", "/home/wide/x.rs"];
        assert_eq!(root("/usr/src/a/b/x.rs", &["Cargo.toml"], files), Path::new("/usr/src/a"));
        assert_eq!(root("/var/tmp/x.rs", &["Cargo.toml"], files), Path::new("/var/tmp"));
        assert_eq!(root("/home/wide/x.rs", &[], files), Path::new("/home/wide"), "a name that begins so");
    }

    #[test]
    fn server_that_requires_files_starts_only_where_they_are() {
        let text = r#"
            [language-server.deno]
            command = "deno"
            required-root-patterns = ["deno.*"]
            [language-server.ts]
            command = "ts"
            [[language]]
            name = "ts"
            roots = ["package.json"]
            language-servers = [["deno", "ts"]]
        "#;
        let (layer, _) = Layer::parse(Origin::User, "s.toml", text);
        let (table, _) = Table::merge(vec![layer]);
        let disk = Disk(&["/w/package.json", "/w/tools/deno.json", "/w/tools/a/x.ts", "/w/web/x.ts"]);
        let root = |file: &str, server: &str| {
            let (language, server) = (table.language("ts").unwrap(), table.server(server).unwrap());
            server_root(Path::new(file), Path::new("/w"), language, server, &disk)
        };
        assert_eq!(root("/w/tools/a/x.ts", "deno"), Some(PathBuf::from("/w/tools")));
        assert_eq!(root("/w/tools/a/x.ts", "ts"), Some(PathBuf::from("/w")));
        assert_eq!(root("/w/web/x.ts", "deno"), None);
        assert_eq!(root("/elsewhere/x.ts", "deno"), None);
        assert_eq!(root("/elsewhere/x.ts", "ts"), Some(PathBuf::from("/elsewhere")));
    }
}
