//! `bowline sessions search`: full-text search through all sessions.
//!
//! Must not know how the index is stored.

use std::path::Path;

use super::{format_minute, short_id, shorten};
use crate::base::error::Report;
use crate::base::json::json;
use crate::cli::answer::Answer;
use crate::session::search::{Hit, Query};
use crate::session::store::search::{self as store, StopFlag};

/// Maximum number of hits.
const SHOWN: usize = 50;

/// Returns the hits of a query, with a line of context each.
pub fn search(root: &Path, text: &str, now_ms: u64) -> Result<Answer, Report> {
    let query = Query::parse(text, now_ms, false);
    if let Some(problem) = query.problems.first() {
        return Err(Report::new(problem.clone()));
    }
    if query.is_empty() {
        return Err(Report::new("nothing to search for").hint(
            "words, \"phrases\", begin*, -without, file:NAME, command:TEXT, thinking:TEXT, project:NAME, role:user, since:7d",
        ));
    }
    let hits = store::search(root, &query, SHOWN, &StopFlag::default());
    let hits = hits.map_err(|error| Report::caused("cannot search the sessions", &error))?;
    let lines: Vec<String> = hits.iter().map(line).collect();
    let text = if lines.is_empty() { "No results.".to_string() } else { lines.join("\n") };
    Ok((text, json!(hits)))
}

fn line(hit: &Hit) -> String {
    let Hit { session, cwd, title, entry, at_ms, role, snippet, .. } = hit;
    let (id, when) = (short_id(session), format_minute(*at_ms));
    format!("{id}  {when}  {:<9}  {entry}  {cwd}  {}\n    {}", role.name(), shorten(title), snippet.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::sessions::tests::one_prompt;
    use crate::cli::commands::sessions::trash;
    use crate::cli::session_lookup::find_session_file;

    #[test]
    fn sessions_search_respects_delete_and_restore() {
        let home = tempfile::tempdir().unwrap();
        let (root, bin) = (home.path().join("sessions"), home.path().join("Trash"));
        let id = one_prompt(&root, "fix the login loop");
        let find = |text: &str| search(&root, text, 0);
        let (text, value) = find("log*").unwrap();
        assert_eq!(
            text,
            "00000001  2025-11-20 23:30  user       00000002  /w  fix the login loop\n    fix the login loop"
        );
        assert_eq!(
            (value[0]["entry"].as_str(), value[0]["session"].as_str()),
            (Some("00000002"), Some(&*id))
        );
        assert_eq!(value[0]["snippet"]["marks"], json!([[8, 13]]));
        assert_eq!(find("nothing").unwrap().0, "No results.");
        assert!(find("role:king").unwrap_err().to_string().contains("no role"));
        assert!(find("-x").is_err());
        let said = trash::delete(&find_session_file(&root, home.path(), &id).unwrap(), &bin, 0).unwrap().0;
        assert!(said.contains("/Trash/files/") && said.contains("sessions restore 00000001"), "{said}");
        assert_eq!(find("log*").unwrap().0, "No results.");
        assert!(trash::restore(&root, &bin, "00000001").unwrap().unwrap().0.starts_with("Restored "));
        assert_eq!(find("log*").unwrap().1.as_array().unwrap().len(), 1);
        assert!(trash::restore(&root, &bin, "00000001").unwrap().is_none());
    }
}
