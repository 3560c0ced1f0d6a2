//! A folder of files that the program makes anew each time, such as a project to practice on. Must not know its
//! content. Blocking.

use std::fs;
use std::io;
use std::path::Path;

/// Removes what is in a folder of the program, and writes these files into it. A link in place of the folder is
/// replaced: what it leads to is not ours.
pub fn renew<'a>(folder: &Path, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_folder_is_renewed_and_a_link_replaced() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("scratch");
        renew(&folder, [("a/b.txt", "one"), ("c.txt", "two")]).unwrap();
        fs::write(folder.join("other.txt"), "x").unwrap();
        renew(&folder, [("a/b.txt", "new")]).unwrap();
        assert_eq!(fs::read_to_string(folder.join("a/b.txt")).unwrap(), "new");
        assert!(!folder.join("other.txt").exists() && !folder.join("c.txt").exists());

        let link = root.path().join("link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        renew(&link, [("x", "")]).unwrap();
        assert!(folder.join("a/b.txt").exists() && !folder.join("x").exists());
        assert!(link.join("x").exists() && !link.is_symlink());
    }
}
