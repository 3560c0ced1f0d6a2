//! Reads the program's own source for the law tests: files, code without comments and strings,
//! crate paths, functions. A small scanner, not a parser: it knows Rust's comments, strings and
//! braces, which is all that the laws need.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One file under `src/`.
pub struct Source {
    /// Relative to the package, such as `src/text/rope.rs`.
    pub path: String,
    /// As it stands.
    pub raw: String,
    /// Comments and the content of strings blanked, test modules removed; same line numbers.
    pub code: String,
    /// `text::rope`; empty for `lib.rs` and `main.rs`.
    pub module: String,
    /// Whether the whole file is tests.
    pub is_test: bool,
}

impl Source {
    /// The top-level module, such as `text`.
    pub fn top(&self) -> &str {
        self.module.split("::").next().unwrap_or("")
    }

    pub fn is_mod_file(&self) -> bool {
        self.path.ends_with("/mod.rs")
    }
}

/// The package's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every `.rs` file below a folder of the package, in order.
pub fn files(folder: &str) -> Vec<PathBuf> {
    fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            // What others have written for tests is not ours.
            if path.ends_with("node_modules") {
                continue;
            }
            if path.is_dir() {
                collect(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    collect(&root().join(folder), &mut out);
    out
}

/// All of `src/`.
pub fn sources() -> Vec<Source> {
    files("src").into_iter().map(|path| read(&path)).collect()
}

fn read(path: &Path) -> Source {
    let raw = fs::read_to_string(path).unwrap();
    let relative = path.strip_prefix(root()).unwrap().to_str().unwrap().to_string();
    let inner = relative.trim_start_matches("src/").trim_end_matches(".rs");
    let inner = inner.trim_end_matches("/mod");
    let module = if matches!(inner, "lib" | "main") { String::new() } else { inner.replace('/', "::") };
    // What a module of tests consists of is tests, too.
    let is_test = module.ends_with("::tests") || module.contains("::tests::");
    let code = without_tests(&blank(&raw));
    Source { path: relative, raw, code, module, is_test }
}

/// Replaces comments, and the content of strings and characters, by spaces.
pub fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let keep_line = |c: char| if c == '\n' { '\n' } else { ' ' };
    while at < chars.len() {
        let next = chars.get(at + 1).copied();
        let end = match (chars[at], next) {
            ('/', Some('/')) => find(&chars, at, |c, i| c[i] == '\n'),
            ('/', Some('*')) => block_comment_end(&chars, at),
            ('r', Some('"' | '#')) if !is_ident_before(&chars, at) => match raw_string_end(&chars, at) {
                Some(end) => end,
                None => at,
            },
            ('"', _) => string_end(&chars, at),
            ('\'', Some('\\')) => find(&chars, at + 3, |c, i| c[i] == '\'') + 1,
            ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => at + 3,
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            let end = end.min(chars.len());
            out.extend(chars[at..end].iter().map(|c| keep_line(*c)));
            at = end;
        }
    }
    out
}

fn is_ident_before(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

fn find(chars: &[char], mut at: usize, stop: impl Fn(&[char], usize) -> bool) -> usize {
    while at < chars.len() && !stop(chars, at) {
        at += 1;
    }
    at
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    chars.len()
}

fn raw_string_end(chars: &[char], start: usize) -> Option<usize> {
    let hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    if chars.get(start + 1 + hashes) != Some(&'"') {
        return None;
    }
    let body = start + 2 + hashes;
    let closes = |c: &[char], i: usize| {
        c[i] == '"' && c[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    Some(find(chars, body, closes) + 1 + hashes)
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Blanks everything below `#[cfg(test)] mod … { … }`.
fn without_tests(code: &str) -> String {
    let mut out = code.to_string();
    while let Some(start) = out.find("#[cfg(test)]") {
        let open = out[start..].find(['{', ';']).map_or(out.len(), |n| start + n);
        let end = if out[open..].starts_with('{') { closing(&out, open) } else { (open + 1).min(out.len()) };
        let blanked: String = out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..end, &blanked);
    }
    out
}

/// The offset behind the brace that closes the one at `open`, in blanked code.
pub fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The line of an offset, from 1.
pub fn line_at(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Every path that starts with `crate::`, `super::` or `self::`, groups expanded, as segments
/// with the line it stands on.
pub fn paths(source: &Source) -> Vec<(usize, Vec<String>)> {
    let mut out = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in source.code.match_indices(start) {
            let before = source.code[..at].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || before == '_' || before == ':' {
                continue;
            }
            let mut found = Vec::new();
            expand(&source.code[at..], Vec::new(), &mut found);
            let line = line_at(&source.code, at);
            out.extend(found.into_iter().map(|segments| (line, segments)));
        }
    }
    out
}

/// The first words of paths that begin with a bare name, such as `run` of `run::start()`; not those of `pub use`.
pub fn bare_paths(source: &Source) -> Vec<String> {
    let code = &source.code;
    let mut found = Vec::new();
    for (at, _) in code.match_indices("::") {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let start = code[..at].rfind(|c| !word(c)).map_or(0, |n| n + 1);
        let before = code[..start].trim_end();
        let statement = &before[before.rfind([';', '{', '}']).map_or(0, |n| n + 1)..];
        if start < at && !before.ends_with([':', '.']) && !statement.contains("pub use") {
            found.push(code[start..at].to_string());
        }
    }
    found
}

/// Reads one path or group; returns how many bytes it took.
fn expand(text: &str, prefix: Vec<String>, out: &mut Vec<Vec<String>>) -> usize {
    let mut segments = prefix;
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with('{') {
            at += 1;
            loop {
                let skip = text[at..].len() - text[at..].trim_start_matches([' ', '\n', ',']).len();
                at += skip;
                if text[at..].is_empty() || text[at..].starts_with('}') {
                    return at + 1;
                }
                let taken = expand(&text[at..], segments.clone(), out);
                at += taken.max(1);
            }
        }
        let ident: String =
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '*').collect();
        at += ident.len();
        if !ident.is_empty() {
            segments.push(ident);
        }
        if text[at..].starts_with("::") && !text[at + 2..].starts_with('<') {
            at += 2;
        } else {
            let alias = text[at..].trim_start().starts_with("as ");
            if alias {
                at += text[at..].find([',', ';', '}']).unwrap_or(0);
            }
            out.push(segments);
            return at;
        }
    }
}

/// The absolute module path of a path's segments, `crate` left out.
pub fn absolute(source: &Source, segments: &[String]) -> Vec<String> {
    let mut base: Vec<String> =
        source.module.split("::").filter(|s| !s.is_empty()).map(String::from).collect();
    let mut rest = segments;
    match rest.first().map(String::as_str) {
        Some("crate") => {
            base.clear();
            rest = &rest[1..];
        }
        Some("self") => rest = &rest[1..],
        _ => {}
    }
    while rest.first().is_some_and(|s| s == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend(rest.iter().cloned());
    base
}

/// The names that each `mod.rs` re-exports from its children: (module, name) to child module.
pub fn reexports(sources: &[Source]) -> BTreeMap<(String, String), String> {
    let mut out = BTreeMap::new();
    for source in sources.iter().filter(|s| s.is_mod_file()) {
        for (at, _) in source.code.match_indices("pub use ") {
            let mut found = Vec::new();
            expand(&source.code[at + "pub use ".len()..], Vec::new(), &mut found);
            for segments in found.iter().filter(|s| s.len() >= 2) {
                let (name, path) = segments.split_last().unwrap();
                let child = format!("{}::{}", source.module, path.join("::"));
                out.insert((source.module.clone(), name.clone()), child);
            }
        }
    }
    out
}

/// The functions of blanked code: name, first line, number of lines.
pub fn functions(code: &str) -> Vec<(String, usize, usize)> {
    let mut out = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let before = code[..at].chars().next_back().unwrap_or(' ');
        if before.is_alphanumeric() || before == '_' {
            continue;
        }
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let Some(open) = code[at..].find(['{', ';']).map(|n| at + n) else { continue };
        if name.is_empty() || code[open..].starts_with(';') {
            continue;
        }
        let end = closing(code, open);
        out.push((name, line_at(code, at), code[at..end].matches('\n').count() + 1));
    }
    out
}

#[test]
fn source_scanner_reads_rust() {
    let code = blank(
        "let a = \"// no\"; // yes {\nlet b = r#\"{\"#; let c = '{'; let d: &'static str = 'x'; /* { /* } */ */ }",
    );
    assert_eq!(code.matches(['{', '"', '/']).count(), 0, "{code}");
    assert!(code.contains("&'static str") && code.ends_with('}'), "{code}");
    let source = Source {
        path: "src/text/rope.rs".into(),
        raw: String::new(),
        code: "use crate::{base::{width, ids as i}, text::rope::Text};\nuse super::position::Byte;".into(),
        module: "text::rope".into(),
        is_test: false,
    };
    let mut found: Vec<String> =
        paths(&source).iter().map(|(_, s)| absolute(&source, s).join("::")).collect();
    found.sort();
    assert_eq!(found, ["base::ids", "base::width", "text::position::Byte", "text::rope::Text"]);
    assert_eq!(functions("fn a() {\n}\ntype B = fn (u8);\nfn c();"), [("a".to_string(), 1, 2)]);
}
