//! A diagnostic as one line for a model. Pure.

use std::path::Path;

use crate::base::paths;
use crate::tools::interaction::language_servers::FileDiagnostic;

/// Maximum characters of a message.
const MESSAGE_MAX: usize = 300;

/// Returns the line: path below the workspace, line, column, message, origin.
pub fn line(root: &Path, path: &Path, found: &FileDiagnostic) -> String {
    let words = found.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message: String = words.chars().take(MESSAGE_MAX).collect();
    let cut = if message.len() < words.len() { "…" } else { "" };
    let origin = if found.origin.is_empty() { String::new() } else { format!(" ({})", found.origin) };
    let shown = paths::display(path, root);
    format!("{shown}:{}:{}: {message}{cut}{origin}", found.line, found.column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostic_line_has_place_message_and_origin() {
        let found = FileDiagnostic::error(3, "first\n  second");
        assert_eq!(line(Path::new("/w"), Path::new("/w/a.rs"), &found), "a.rs:3:2: first second (toy E1)");
        let bare = FileDiagnostic { origin: String::new(), message: "x".repeat(400), ..found };
        assert_eq!(line(Path::new("/w"), Path::new("/b"), &bare).chars().count(), "/b:3:2: ".len() + 301);
    }
}
