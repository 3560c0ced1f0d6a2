//! The user's snippets: files in VS Code's format, `NAME.json` for one language and `NAME.code-snippets` for
//! several. Must not know the meaning of a body.

use std::path::Path;

use serde_json::Value;

use super::load::{self, Problem};

/// Maximum bytes of a file.
const SIZE_MAX: u64 = 4 << 20;
/// Maximum number of snippets.
const COUNT_MAX: usize = 10_000;

/// A snippet of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// Its name.
    pub name: String,
    /// Its prefix; may be empty.
    pub prefix: String,
    /// Its description; may be empty.
    pub description: String,
    /// Its text with tab stops and variables.
    pub body: String,
}

/// Returns the snippets for a language with these names, and problems in their files.
pub fn read(folder: &Path, languages: &[&str]) -> (Vec<Snippet>, Vec<Problem>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for file in load::files_in(folder, &["json", "code-snippets"]) {
        let is_of_one = file.extension().is_some_and(|end| end == "json");
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_ascii_lowercase();
        if is_of_one && !languages.contains(&stem.as_str()) {
            continue;
        }
        let to_problem = |message: String| Problem { file: file.clone(), line: None, message };
        let text = match load::read_bounded(&file, SIZE_MAX) {
            Ok(text) => text,
            Err(error) => {
                problems.push(to_problem(format!("cannot read these snippets: {error}")));
                continue;
            }
        };
        match parse(&text, languages) {
            Ok((some, wrong)) => {
                found.extend(some);
                problems.extend(
                    wrong.into_iter().map(|name| to_problem(format!("{name:?} has no body of text"))),
                );
            }
            Err(message) => problems.push(to_problem(message)),
        }
    }
    found.sort_by(|a, b| (&a.prefix, &a.name).cmp(&(&b.prefix, &b.name)));
    found.truncate(COUNT_MAX);
    (found, problems)
}

/// Parses the snippets of a file for these languages; also returns the names of invalid ones.
fn parse(text: &str, languages: &[&str]) -> Result<(Vec<Snippet>, Vec<String>), String> {
    if text.trim().is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let value = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| format!("these snippets are not JSON: {error}"))?;
    let Value::Object(entries) = value else {
        return Err("snippets are an object of names".to_string());
    };
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for (name, entry) in entries {
        let scope = entry["scope"].as_str().unwrap_or_default();
        let mut scopes = scope.split(',').map(str::trim).filter(|scope| !scope.is_empty()).peekable();
        if scopes.peek().is_some() && !scopes.any(|scope| languages.contains(&scope)) {
            continue;
        }
        let Some(body) = lines(&entry["body"]) else {
            wrong.push(name);
            continue;
        };
        let prefix = match &entry["prefix"] {
            Value::Array(several) => several.first().and_then(Value::as_str).unwrap_or_default().to_string(),
            one => one.as_str().unwrap_or_default().to_string(),
        };
        let description = lines(&entry["description"]).unwrap_or_default().replace('\n', " ");
        found.push(Snippet { name, prefix, description, body });
    }
    Ok((found, wrong))
}

/// Returns a text, which may be a list of lines.
fn lines(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            Some(lines?.join("\n"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn snippets_load_language_and_global_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write(
            "rust.json",
            "{ // a comment\n \"Löop\": {\"prefix\": [\"for\", \"each\"], \"body\": [\"for $1 {\", \"}\"],\n\
             \"description\": \"a loop\",},\n \"torn\": {\"prefix\": \"x\"}, }",
        );
        write("python.json", "{\"other\": {\"body\": \"x\"}}");
        write(
            "all.code-snippets",
            "{\"here\": {\"scope\": \"python, rust\", \"body\": \"h\"}, \"there\": {\"scope\": \"go\", \"body\": \"t\"},\
             \"any\": {\"body\": \"a\"}}",
        );
        write("notes.txt", "");
        let (found, problems) = read(folder.path(), &["rust", "rs"]);
        let bodies: Vec<(&str, &str, &str)> =
            found.iter().map(|f| (f.name.as_str(), f.prefix.as_str(), f.body.as_str())).collect();
        assert_eq!(bodies, [("any", "", "a"), ("here", "", "h"), ("Löop", "for", "for $1 {\n}")]);
        assert_eq!(found[2].description, "a loop");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].to_string().contains("\"torn\" has no body of text"), "{}", problems[0]);
    }

    #[test]
    fn snippets_broken_files_are_reported_and_others_load() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("c.json"), "{\"a\": {\"body\": ").unwrap();
        fs::write(folder.path().join("a.code-snippets"), "{\"a\": {\"body\": \"b\"}}").unwrap();
        fs::write(folder.path().join("b.code-snippets"), "[1]").unwrap();
        fs::write(folder.path().join("d.code-snippets"), b"\xff").unwrap();
        fs::write(folder.path().join("e.code-snippets"), "").unwrap();
        let (found, problems) = read(folder.path(), &["c"]);
        assert_eq!((found.len(), problems.len()), (1, 3), "{problems:?}");
        assert_eq!(read(&folder.path().join("none"), &["c"]), (Vec::new(), Vec::new()));
    }
}
