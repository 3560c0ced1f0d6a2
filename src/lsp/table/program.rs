//! Where the program of a server is, and whether it belongs to the project, which must be trusted before it runs. Must
//! not touch the disk, nor know what is installed.

use std::path::{Path, PathBuf};

use crate::base::paths;

/// Where projects have their own tools, below a folder.
pub const PROJECT_TOOLS: &[&str] =
    &["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", ".bundle/bin", "lua_modules/bin"];

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a file of the project.
    pub is_of_project: bool,
}

/// Finds a program: in the folders of the search path, then in the tools of the project, from the root of the server
/// up to the workspace. A command with a slash is a path below the root. `is_program` says whether a path can be
/// run. All folders are absolute; others in the search path do not count, because what they are depends on the
/// folder in which bowline was started.
pub fn find_program(
    command: &str,
    search_path: &[PathBuf],
    root: &Path,
    workspace: &Path,
    is_program: &dyn Fn(&Path) -> bool,
) -> Option<Program> {
    candidates(command, search_path, root, workspace).find(|path| is_program(path)).map(|path| {
        let is_of_project = path.starts_with(workspace) || path.starts_with(root);
        Program { path, is_of_project }
    })
}

/// Returns all paths at which the program may be, the preferred one first.
fn candidates<'a>(
    command: &'a str,
    search_path: &'a [PathBuf],
    root: &'a Path,
    workspace: &'a Path,
) -> Box<dyn Iterator<Item = PathBuf> + 'a> {
    if command.is_empty() || command.contains('\0') {
        return Box::new(std::iter::empty());
    }
    if command.contains('/') {
        return Box::new(std::iter::once(paths::absolute(root, Path::new(command))));
    }
    let of_path = search_path
        .iter()
        .filter(|folder| folder.is_absolute())
        .map(move |folder| paths::absolute(folder, Path::new(command)));
    let above = root.ancestors().skip(1).take_while(move |folder| folder.starts_with(workspace));
    let of_project = std::iter::once(root)
        .chain(above)
        .flat_map(move |folder| PROJECT_TOOLS.iter().map(move |tools| folder.join(tools).join(command)));
    Box::new(of_path.chain(of_project))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(command: &str, root: &str, files: &[&str]) -> Option<(String, bool)> {
        let search = ["/usr/bin", "", ".", "tools", "/w/bin"].map(PathBuf::from);
        let is_program = |path: &Path| files.iter().any(|file| Path::new(file) == path);
        let found = find_program(command, &search, Path::new(root), Path::new("/w"), &is_program)?;
        Some((found.path.display().to_string(), found.is_of_project))
    }

    #[test]
    fn program_on_the_path_goes_before_tools_of_the_project() {
        let own = "/w/a/node_modules/.bin/ls";
        assert_eq!(find("ls", "/w/a", &[own, "/usr/bin/ls"]), Some(("/usr/bin/ls".into(), false)));
        assert_eq!(find("ls", "/w/a", &[own]), Some((own.into(), true)));
        assert_eq!(find("ls", "/w/a", &[]), None);
    }

    #[test]
    fn program_of_the_project_is_found_from_root_up_to_workspace() {
        let (near, far) = ("/w/a/.venv/bin/py", "/w/node_modules/.bin/py");
        assert_eq!(find("py", "/w/a/b", &[near, far]), Some((near.into(), true)));
        assert_eq!(find("py", "/w/a/b", &[far]), Some((far.into(), true)));
        assert_eq!(find("py", "/w", &["/node_modules/.bin/py"]), None, "nothing above the workspace");
    }

    #[test]
    fn program_outside_of_workspace_has_tools_of_its_root_only() {
        let own = "/o/a/venv/bin/py";
        assert_eq!(find("py", "/o/a", &[own]), Some((own.into(), true)));
        assert_eq!(find("py", "/o/a", &["/o/venv/bin/py", "/w/venv/bin/py"]), None);
    }

    #[test]
    fn program_on_the_path_within_the_project_belongs_to_it() {
        assert_eq!(find("x", "/w", &["/w/bin/x"]), Some(("/w/bin/x".into(), true)));
        assert_eq!(find("x", "/w", &["x", "./x", "tools/x"]), None, "relative folders do not count");
    }

    #[test]
    fn program_with_a_slash_is_a_path_below_root() {
        assert_eq!(find("./t/x", "/w/a", &["/w/a/t/x"]), Some(("/w/a/t/x".into(), true)));
        assert_eq!(
            find("../../x", "/w/a", &["/x"]),
            Some(("/x".into(), false)),
            "it leads out of the project"
        );
        assert_eq!(find("/opt/x", "/w/a", &["/opt/x"]), Some(("/opt/x".into(), false)));
        assert_eq!(find("/w/x", "/w/a", &["/w/x"]), Some(("/w/x".into(), true)));
        assert_eq!(find("t/x", "/w/a", &["/usr/bin/t/x"]), None);
        assert_eq!(find("", "/w", &["/usr/bin/"]), None);
        assert_eq!(find("a\0", "/w", &["/usr/bin/a\0"]), None);
    }
}
