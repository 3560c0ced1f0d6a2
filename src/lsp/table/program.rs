//! Where the program of a server may be. Must not touch the disk, nor know what is installed.

use std::path::Path;

use crate::base::paths;

/// Where projects have their own tools, below a folder.
pub const PROJECT_TOOLS: &[&str] =
    &["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", ".bundle/bin", "lua_modules/bin"];

/// Returns what a program may be, the preferred one first: its name, to be looked up in the search path, then paths of the
/// project's tools, from the root of the server up to the workspace. A command with a slash is a path below the root.
/// Paths that are no UTF-8 are left out.
pub fn candidates(command: &str, root: &Path, workspace: &Path) -> Vec<String> {
    if command.is_empty() || command.contains('\0') {
        return Vec::new();
    }
    let text = |path: &Path| path.to_str().map(String::from);
    if command.contains('/') {
        return text(&paths::absolute(root, Path::new(command))).into_iter().collect();
    }
    let above = root.ancestors().skip(1).take_while(|folder| folder.starts_with(workspace));
    let of_project = std::iter::once(root)
        .chain(above)
        .flat_map(|folder| PROJECT_TOOLS.iter().map(move |tools| folder.join(tools).join(command)));
    let of_project = of_project.filter_map(|path| text(&path));
    std::iter::once(command.to_string()).chain(of_project).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(command: &str, root: &str) -> Vec<String> {
        candidates(command, Path::new(root), Path::new("/w"))
    }

    #[test]
    fn program_on_the_path_goes_before_tools_of_the_project() {
        let found = found("ls", "/w/a/b");
        assert_eq!(found[0], "ls");
        let at = |path: &str| found.iter().position(|known| known == path);
        let (near, middle, far) =
            (at("/w/a/b/.venv/bin/ls"), at("/w/a/node_modules/.bin/ls"), at("/w/node_modules/.bin/ls"));
        assert!(near.is_some() && near < middle && middle < far, "{found:?}");
        assert_eq!(found.len(), 1 + 3 * PROJECT_TOOLS.len(), "nothing above the workspace");
    }

    #[test]
    fn program_outside_of_workspace_has_tools_of_its_root_only() {
        let found = found("py", "/o/a");
        assert_eq!(found[..2], ["py", "/o/a/node_modules/.bin/py"]);
        assert_eq!(found.len(), 1 + PROJECT_TOOLS.len());
    }

    #[test]
    fn program_with_a_slash_is_a_path_below_root() {
        assert_eq!(found("./t/x", "/w/a"), ["/w/a/t/x"]);
        assert_eq!(found("../../x", "/w/a"), ["/x"]);
        assert_eq!(found("/opt/x", "/w/a"), ["/opt/x"]);
        assert_eq!(found("t/x", "/w/a"), ["/w/a/t/x"], "not looked up in the search path");
    }

    #[test]
    fn program_without_a_name_is_nowhere() {
        assert_eq!([found("", "/w"), found("a\0", "/w")].concat(), [""; 0]);
    }
}
