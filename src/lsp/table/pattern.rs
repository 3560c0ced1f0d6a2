//! Names of files in rows: exact ones, and globs such as `*.csproj`. Must not know which files there are.

use std::path::{Component, Path};

use globset::{GlobBuilder, GlobMatcher};

/// Bytes of a pattern.
const LENGTH_MAX: usize = 256;

/// A name of a file, or a glob. With a slash it is the end of a path, without one the file's name.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Exact,
    /// What follows a single star: `*.cabal` and most others, for which no expression is compiled.
    Suffix(String),
    Glob(GlobMatcher),
}

impl Pattern {
    /// Parses a pattern. Fails when it is empty or too long, has control characters, leads out of its folder or
    /// is no valid glob.
    pub fn new(text: &str) -> Result<Self, String> {
        let is_below = Path::new(text).components().all(|part| matches!(part, Component::Normal(_)));
        if text.is_empty() || text.len() > LENGTH_MAX || text.contains(char::is_control) || !is_below {
            return Err(format!("{text:?} is no name of a file below a folder"));
        }
        let is_special = |c: char| "*?[]{}\\".contains(c);
        let kind = match text.strip_prefix('*') {
            Some(suffix) if !suffix.contains(is_special) && !suffix.contains('/') => {
                Kind::Suffix(suffix.to_string())
            }
            _ if !text.contains(is_special) => Kind::Exact,
            _ => Kind::Glob(compile(text).map_err(|error| format!("{text:?}: {error}"))?),
        };
        Ok(Self { text: text.to_string(), kind })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is one name, which needs no list of a folder to be found.
    pub fn is_exact(&self) -> bool {
        matches!(self.kind, Kind::Exact)
    }

    /// Whether a path is meant.
    pub fn is_match(&self, path: &Path) -> bool {
        match &self.kind {
            Kind::Exact => path.ends_with(&self.text),
            Kind::Suffix(suffix) => {
                path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(suffix.as_bytes()))
            }
            Kind::Glob(glob) => glob.is_match(path),
        }
    }
}

fn compile(text: &str) -> Result<GlobMatcher, globset::Error> {
    let glob = GlobBuilder::new(&format!("**/{text}")).literal_separator(true).build()?;
    Ok(glob.compile_matcher())
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.text.fmt(f)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::new(pattern).unwrap().is_match(Path::new(path))
    }

    #[test]
    fn pattern_without_slash_matches_file_name() {
        assert!(matches("Makefile", "/a/Makefile") && !matches("Makefile", "/a/Makefile.am"));
        assert!(matches("*.csproj", "/a/b.csproj") && !matches("*.csproj", "/a.csproj/b"));
        assert!(matches("Dockerfile.*", "/Dockerfile.dev") && !matches("Dockerfile.*", "/Dockerfile"));
        assert!(matches("{app,lib}.[ch]", "lib.h") && !matches("{app,lib}.[ch]", "lib.o"));
    }

    #[test]
    fn pattern_with_slash_matches_end_of_path() {
        assert!(matches("sway/config", "/home/sway/config") && !matches("sway/config", "/home/asway/config"));
        assert!(matches("templates/*.yaml", "/c/templates/a.yaml"));
        assert!(!matches("templates/*.yaml", "/c/templates/a/b.yaml"), "a star stays within its folder");
    }

    #[test]
    fn pattern_outside_of_folder_is_refused() {
        for text in [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "./a",
            "a\0",
            "\u{1b}[2J",
            "[",
            &"a".repeat(LENGTH_MAX + 1),
        ] {
            assert!(Pattern::new(text).is_err(), "{text:?}");
        }
    }
}
