//! `bowline import`: imports sessions of other programs.

use std::path::{Path, PathBuf};

use clap::Args as Group;
use serde_json::Value;

use crate::base::clock::SystemClock;
use crate::base::error::Report;
use crate::base::ids::RandomIds;
use crate::base::json::json;
use crate::cli::answer::Answer;
use crate::session::SessionError;
use crate::session::import::Source;
use crate::session::store::import::{self, ImportResult};
use crate::session::store::listing;

/// Which sessions of which program.
#[derive(Debug, Clone, Group)]
pub struct Import {
    /// Session files, or folders of them
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The program that wrote them; detected if it is missing
    #[arg(long, value_name = "PROGRAM", value_parser = ["pi", "claude", "codex"])]
    pub from: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Imports the sessions, and returns whether all could be read: an unreadable one does not stop the rest.
pub fn import(root: &Path, cwd: &Path, args: &Import) -> Result<(Answer, bool), Report> {
    let source = args.from.as_deref().and_then(Source::parse);
    let clock = SystemClock::shared();
    let mut lines = Vec::new();
    let mut values = Vec::new();
    let mut complete = true;
    let files = args.files.iter().map(|from| cwd.join(from)).flat_map(|from| listing::jsonl_below(&from));
    let files: Vec<PathBuf> = files.collect();
    if files.is_empty() {
        return Err(Report::new("no session file").hint("session files end with .jsonl"));
    }
    let many = files.len() > 1;
    for file in files {
        match import::import(root, &file, source, &clock, &RandomIds::shared()) {
            Ok(done) => {
                let ImportResult { source, path, added, existing: before, problems, .. } = &done;
                let summary = match (added, before) {
                    (0, _) => "nothing new".to_string(),
                    (added, 0) => format!("{added} entries"),
                    (added, _) => format!("{added} more entries"),
                };
                lines.push(format!(
                    "{} ({}): {summary} in {}",
                    file.display(),
                    source.name(),
                    path.display()
                ));
                lines.extend(
                    problems.iter().map(|found| format!("    line {}: {}", found.line, found.message)),
                );
                let problems: Vec<Value> = problems
                    .iter()
                    .map(|found| json!({"line": found.line, "message": found.message}))
                    .collect();
                values.push(json!({"file": file, "from": source.name(), "session": path, "added": added,
                    "before": before, "problems": problems}));
            }
            // Files that are no sessions are expected in a folder.
            Err(SessionError::NotASession(_)) if many => {
                lines.push(format!("{}: not a session; skipped", file.display()));
            }
            Err(error) => {
                complete = false;
                lines.push(format!("{}: {error}", file.display()));
                values.push(json!({"file": file, "error": error.to_string()}));
            }
        }
    }
    Ok(((lines.join("\n"), Value::Array(values)), complete))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_takes_folders_and_reports_what_is_no_session() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("sessions");
        let run = |file: PathBuf, from: Option<&str>| {
            let wanted = Import { files: vec![file], from: from.map(str::to_string), json: false };
            import(&root, home.path(), &wanted).map(|((text, _), whole)| (text, whole))
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import");
        let (text, whole) = run(folder.clone(), None).unwrap();
        assert!(
            whole && text.contains("claude.jsonl (claude): ") && text.contains("    line 12: not an entry"),
            "{text}"
        );
        assert_eq!(run(folder.clone(), None).unwrap().0.matches("nothing new").count(), 2);
        assert!(run(folder.join("claude.jsonl"), Some("codex")).is_ok());
        assert!(run("nowhere".into(), None).is_err());
        std::fs::write(home.path().join("notes.jsonl"), "# notes").unwrap();
        let (text, whole) = run("notes.jsonl".into(), None).unwrap();
        assert!(!whole && text.contains("is not a session file"), "{text}");
    }
}
