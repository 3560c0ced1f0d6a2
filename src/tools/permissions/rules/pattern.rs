//! Parses the conditions of rules: the words of a command, patterns of paths.
//!
//! Must not know the verdict.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::tools::command;

/// Returns the words of a rule's command, which must be one plain command.
pub(super) fn words_of(text: &str) -> Option<Vec<String>> {
    let script = command::parse(text);
    let part = script.commands.first()?;
    // Wrappers add parts of their own; the first one is what was written.
    let plain =
        part.sets.is_empty() && script.writes.is_empty() && part.words.iter().all(|word| word.is_exact);
    let lone =
        text.split_whitespace().count() >= part.words.len() && !text.contains([';', '|', '&', '\n', '#']);
    let words = part.words.iter().map(|word| word.text.clone());
    (plain && lone && !part.words.is_empty()).then(|| words.collect())
}

/// Returns a path pattern, made absolute and compiled.
pub(super) fn glob(pattern: &str, root: &Path, home: &Path) -> Result<(String, Gitignore), String> {
    let (base, below) = match pattern.strip_prefix("~/") {
        Some(below) => (home, below),
        None if pattern.starts_with('/') => (Path::new("/"), pattern.trim_start_matches('/')),
        None => (root, pattern.trim_start_matches("./")),
    };
    if below.is_empty() || below.starts_with(['!', '#']) {
        return Err("the pattern names nothing".to_string());
    }
    // A pattern without a folder fits in every folder below.
    let below = if below.trim_end_matches('/').contains('/') || base != root {
        below.to_string()
    } else {
        format!("**/{below}")
    };
    base.to_str().ok_or("the folder's name is no UTF-8")?;
    let mut line = literal(base);
    if line.len() > 1 {
        line.push('/');
    }
    line.push_str(&below);
    let mut builder = GitignoreBuilder::new("/");
    builder.add_line(None, &line).map_err(|error| error.to_string())?;
    let glob = builder.build().map_err(|error| error.to_string())?;
    Ok((line, glob))
}

/// A pattern for this path alone, from the root of the file system.
pub(in crate::tools) fn literal(path: &Path) -> String {
    let mut line = String::from("/");
    for c in path.to_string_lossy().trim_matches('/').chars() {
        if "*?[]{}\\ ".contains(c) {
            line.push('\\');
        }
        line.push(c);
    }
    line
}
