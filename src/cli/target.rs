//! Interpretation of an argument of the interactive program: a folder, a position in a file, a prompt, an
//! attachment.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::paths;
use crate::ide::core::options::OpenTarget;

/// An interpreted argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A folder to open as workspace.
    Folder(PathBuf),
    /// A file to open.
    File(OpenTarget),
    /// A prompt for the agent.
    Prompt(String),
    /// A file to attach to the first prompt.
    Attachment(PathBuf),
}

/// Interprets an argument. An existing file or folder is one, whatever its name; then comes
/// `path:line[:column]`; a single word is a new file; anything with white space is a prompt.
pub fn classify(argument: &OsStr, cwd: &Path, exists: impl Fn(&Path) -> Option<bool>) -> Target {
    let path = paths::absolute(cwd, Path::new(argument));
    match exists(&path) {
        Some(true) => return Target::Folder(path),
        Some(false) => return Target::File(OpenTarget { path, at: None }),
        None => {}
    }
    if let Some(attached) = argument.as_bytes().strip_prefix(b"@").filter(|rest| !rest.is_empty()) {
        return Target::Attachment(paths::absolute(cwd, Path::new(OsStr::from_bytes(attached))));
    }
    if argument.to_string_lossy().contains(char::is_whitespace) {
        return Target::Prompt(argument.to_string_lossy().into_owned());
    }
    // Line and column are ASCII, so the path keeps its bytes.
    let bytes = argument.as_bytes();
    let ascii: String =
        bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { 'x' }).collect();
    let (name, at) = paths::split_position(&ascii);
    let name = Path::new(OsStr::from_bytes(&bytes[..name.len()]));
    Target::File(OpenTarget { path: paths::absolute(cwd, name), at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_target_is_file_folder_prompt_or_attachment() {
        let exists = |path: &Path| match path.to_str().unwrap() {
            "/w/src" => Some(true),
            "/w/a b.txt" | "/w/odd:7" => Some(false),
            _ => None,
        };
        let file = |path: &str, at| Target::File(OpenTarget { path: path.into(), at });
        let cases = [
            ("src", Target::Folder("/w/src".into())),
            ("a b.txt", file("/w/a b.txt", None)),
            ("fix the bug", Target::Prompt("fix the bug".into())),
            ("new.rs", file("/w/new.rs", None)),
            ("x.rs:10", file("/w/x.rs", Some((10, 1)))),
            ("x.rs:10:4", file("/w/x.rs", Some((10, 4)))),
            ("x.rs:10:4:", file("/w/x.rs", Some((10, 4)))),
            ("x.rs:0", file("/w/x.rs:0", None)),
            ("odd:7", file("/w/odd:7", None)),
            ("../y", file("/y", None)),
            ("@notes.md", Target::Attachment("/w/notes.md".into())),
        ];
        for (argument, meaning) in cases {
            assert_eq!(classify(OsStr::new(argument), Path::new("/w"), exists), meaning, "{argument}");
        }
    }
}
