//! Language detection: by the file's name, then by its first line. Must not read files.

use crate::syntax::languages::table::{LANGUAGES, Language};

/// Maximum bytes of a first line that are checked.
const FIRST_LINE_MAX: usize = 200;

/// Returns the language of a file with this name (without folders) and first line.
pub fn detect(name: &str, first_line: &str) -> Option<&'static Language> {
    by_file_name(name).or_else(|| by_first_line(first_line))
}

fn by_file_name(name: &str) -> Option<&'static Language> {
    let exact = LANGUAGES.iter().find(|row| row.files.contains(&name));
    let extension = || {
        let (stem, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        let by_end = |row: &&Language| row.extensions.contains(&extension.as_str());
        // `Dockerfile.dev` and similar: the part before the dot decides.
        let by_start = |row: &&Language| row.files.contains(&stem) && !stem.starts_with('.');
        LANGUAGES.iter().find(by_end).or_else(|| LANGUAGES.iter().find(by_start))
    };
    exact.or_else(extension)
}

/// `#!/usr/bin/env -S python3 -u` is python.
fn by_first_line(line: &str) -> Option<&'static Language> {
    let end = line.char_indices().map(|(at, _)| at).take_while(|at| *at <= FIRST_LINE_MAX).last()?;
    let line = &line[..end + line[end..].chars().next().map_or(0, char::len_utf8)];
    if line.starts_with("<?xml") {
        return by_name("xml");
    }
    let (program, bare) = interpreter(line)?;
    LANGUAGES.iter().find(|row| row.interpreters.contains(&program) || row.interpreters.contains(&bare))
}

/// Returns the interpreter that the first line names, with and without its version.
pub(in crate::syntax) fn interpreter(line: &str) -> Option<(&str, &str)> {
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        program = program.rsplit('/').next()?;
    }
    Some((program, program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')))
}

/// Returns the language with this name, as it is written on a code fence.
pub fn by_name(name: &str) -> Option<&'static Language> {
    let name = name.trim().to_ascii_lowercase();
    let known = |row: &&Language| row.name == name || row.aliases.contains(&name.as_str());
    LANGUAGES.iter().find(known).or_else(|| {
        let by_extension = |row: &&Language| row.extensions.contains(&name.as_str());
        LANGUAGES.iter().find(by_extension)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(file: &str, line: &str) -> &'static str {
        detect(file, line).map_or("-", |row| row.name)
    }

    #[test]
    fn detect_language_by_file_name() {
        assert_eq!(name("main.rs", ""), "rust");
        assert_eq!(name("A.TSX", ""), "tsx");
        assert_eq!(name("Dockerfile", ""), "dockerfile");
        assert_eq!(name("Dockerfile.dev", ""), "dockerfile");
        assert_eq!(name("Makefile", ""), "make");
        assert_eq!(name("COMMIT_EDITMSG", ""), "diff");
        assert_eq!(name("Cargo.lock", ""), "toml");
        assert_eq!(name("notes.txt", ""), "-");
        assert_eq!(name("", ""), "-");
    }

    #[test]
    fn detect_language_by_first_line() {
        assert_eq!(name("run", "#!/bin/sh -e"), "bash");
        assert_eq!(name("run", "#!/usr/bin/env -S python3.12 -u"), "python");
        assert_eq!(name("run", "#! /usr/bin/env FOO=1 node"), "javascript");
        assert_eq!(name("run", "<?xml version='1.0'?>"), "xml");
        assert_eq!(name("run", "#!"), "-");
        assert_eq!(name("run", "é"), "-");
        assert_eq!(name("run.py", "#!/bin/sh"), "python");
        assert_eq!(name("run", &format!("#!/{}é", "x".repeat(300))), "-");
    }

    #[test]
    fn detect_language_by_fence_name() {
        let by = |text: &str| by_name(text).map(|row| row.name);
        assert_eq!(by("Rust"), Some("rust"));
        assert_eq!(by("sh"), Some("bash"));
        assert_eq!(by("c++"), Some("cpp"));
        assert_eq!(by("yml"), Some("yaml"));
        assert_eq!(by("klingon"), None);
        assert_eq!(by(""), None);
    }

    #[test]
    fn detect_language_names_are_unique() {
        let mut seen = std::collections::BTreeSet::new();
        for row in LANGUAGES {
            assert!(seen.insert(row.name), "{} twice", row.name);
            for extension in row.extensions {
                assert!(seen.insert(extension) || row.name == *extension, "{extension} twice");
            }
        }
        assert!(LANGUAGES.len() >= 28);
    }
}
