//! Addresses of files, as servers write them. Must not access files.

use std::path::{Path, PathBuf};

use url::Url;

/// Returns the address of a file or folder; `None` for a relative path.
pub fn of_path(path: &Path) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}

/// Returns the path of an address; `None` if it is not that of a file on this machine, such as `untitled:` or `https:`.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok()?;
    (url.scheme() == "file").then(|| url.to_file_path().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uri_of_path_is_read_back_with_blanks_and_non_ascii_letters() {
        for path in ["/a/b.rs", "/with blank/ü#?%41.rs", "/日本/x"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert!(uri.is_ascii() && uri.starts_with("file:///"), "{uri}");
            assert_eq!(to_path(&uri), Some(PathBuf::from(path)));
        }
    }

    #[test]
    fn uri_with_other_escapes_is_the_same_path() {
        // As servers of VS Code write them.
        assert_eq!(to_path("file:///a%20b/%2Bx%3A1.ts"), Some(PathBuf::from("/a b/+x:1.ts")));
    }

    #[test]
    fn uri_that_is_no_file_has_no_path() {
        for uri in
            ["untitled:Untitled-1", "https://example.org/a.rs", "a.rs", "", "file://host/a.rs", "jdt://x"]
        {
            assert_eq!(to_path(uri), None, "{uri}");
        }
        assert_eq!(of_path(Path::new("a.rs")), None);
    }
}
