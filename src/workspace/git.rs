//! Where a repository begins.
//!
//! Must not know what is in it.

use std::path::{Path, PathBuf};

/// The nearest folder upwards that has a `.git`: a folder, or a file in a linked work tree.
pub fn root_of(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_repository_counts() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("sub/inner");
        fs::create_dir_all(inner.join("deep")).unwrap();
        fs::create_dir(outer.path().join(".git")).unwrap();
        assert_eq!(root_of(&inner.join("deep")), Some(outer.path().to_path_buf()));
        fs::write(inner.join(".git"), "gitdir: elsewhere").unwrap();
        assert_eq!(root_of(&inner.join("deep")), Some(inner));
    }
}
