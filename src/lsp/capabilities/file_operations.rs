//! Which files and folders a server wants to hear of when they are created, renamed or deleted. Pure.

use std::path::Path;

use globset::GlobBuilder;
use serde_json::Value;

/// Bytes of a glob.
const GLOB_MAX: usize = 1 << 10;

/// Whether a file or folder is meant by a `FileOperationPattern` (LSP 3.18). A pattern that cannot be read means nothing.
pub(super) fn matches(pattern: &Value, path: &Path, is_folder: bool) -> bool {
    let is_kind = match pattern["matches"].as_str() {
        Some("file") => !is_folder,
        Some("folder") => is_folder,
        _ => true,
    };
    let Some(glob) = pattern["glob"].as_str().filter(|glob| is_kind && glob.len() <= GLOB_MAX) else {
        return false;
    };
    let ignores_case = pattern["options"]["ignoreCase"] == Value::Bool(true);
    let built = GlobBuilder::new(glob).literal_separator(true).case_insensitive(ignores_case).build();
    match built {
        Ok(glob) => glob.compile_matcher().is_match(path),
        Err(error) => {
            tracing::debug!(%error, "a language server has an invalid glob");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn file_operation_pattern_names_files_or_folders_by_glob() {
        let is_match = |pattern: Value, path: &str, is_folder| matches(&pattern, Path::new(path), is_folder);
        assert!(is_match(json!({ "glob": "**/*.{ts,js}" }), "/a/b.ts", false));
        assert!(!is_match(json!({ "glob": "**/*.{ts,js}" }), "/a/b.rs", false));
        assert!(is_match(json!({ "glob": "**", "matches": "folder" }), "/a/b", true));
        assert!(!is_match(json!({ "glob": "**", "matches": "folder" }), "/a/b", false));
        assert!(!is_match(json!({ "glob": "**", "matches": "file" }), "/a/b", true));
        assert!(is_match(json!({ "glob": "**/*.TS", "options": { "ignoreCase": true } }), "/a.ts", false));
        for odd in [json!({ "glob": "[" }), json!({}), json!(4), json!({ "glob": "*".repeat(2000) })] {
            assert!(!is_match(odd, "/a", false));
        }
    }
}
