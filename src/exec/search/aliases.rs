//! Other names of denied files: a hard link must not reveal what a pattern hides.
//!
//! Must not know the file system: the walker supplies the entries.

use std::path::{Path, PathBuf};

/// Maximum number of entries checked for denied files with several names.
pub(super) const ENTRIES_MAX: usize = 20_000;

/// Returns where files that match these patterns may be: for each pattern the file that it names, or the
/// folder before its first wildcard; for a pattern that matches anywhere, the searched folder.
pub(super) fn roots(patterns: &[String], searched: &Path) -> Vec<PathBuf> {
    let root = |pattern: &String| {
        let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
        let literal = match pattern.find(['*', '?', '[', '{', '\\']) {
            Some(wildcard) => &pattern[..pattern[..wildcard].rfind('/')?],
            None => pattern,
        };
        match literal {
            "" | "/" if pattern.starts_with('/') => Some(searched.to_path_buf()),
            _ => literal.starts_with('/').then(|| PathBuf::from(literal)),
        }
    };
    let mut all: Vec<PathBuf> = patterns.iter().filter_map(root).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_path_roots_end_before_wildcards() {
        let patterns =
            ["/w/**/.env", "/w/**/*.key", "/h/auth.json", "/w/secret/", "!/w/x", ".env", "/*", "/w/a\\*b"];
        let roots: Vec<String> = roots(&patterns.map(String::from), Path::new("/s"))
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        assert_eq!(roots, ["/h/auth.json", "/s", "/w", "/w/secret"]);
    }
}
