//! The text that a list of sessions shows beside a row: the last messages of a session, or one entry of it.
//!
//! Must not know who displays it. All functions read files; do not call them on a thread that draws.

use std::path::Path;

use crate::base::clock::SystemClock;
use crate::base::error::Report;
use crate::base::ids::RandomIds;
use crate::base::plural::pluralize;
use crate::session::derived::export::blocks::{self, Author, Block, Piece};
use crate::session::{Role, Session};

/// Number of the last messages that are shown of a session.
const MESSAGES: usize = 6;
/// Entries that are looked through for them from the end: a turn may have hundreds of tool calls.
const ENTRIES_MAX: usize = 2_000;
/// Maximum characters of one of them.
const MESSAGE_MAX: usize = 1_500;
/// Maximum characters of a single entry.
const ENTRY_MAX: usize = 64 << 10;

/// Returns the last messages of the user in a session file, each with the last answer to it, the newest at the end.
pub fn last_messages(file: &Path) -> Result<String, Report> {
    let session = open(file)?;
    let tree = session.tree();
    let path = tree.ancestors(session.leaf().and_then(|leaf| tree.index_of(leaf))).take(ENTRIES_MAX);
    let mut is_before_answer = false;
    let newest = path.filter_map(|at| {
        let role = tree.role(at);
        // Of a turn the last answer says what came of it.
        if !matches!(role, Role::User | Role::Assistant) || (is_before_answer && role == Role::Assistant) {
            return None;
        }
        let (title, text) = text_of(blocks::of_entry(tree.entry(at))?, MESSAGE_MAX);
        if text.trim().is_empty() {
            return None;
        }
        is_before_answer = role == Role::Assistant;
        Some((title, text))
    });
    let newest: Vec<(String, String)> = newest.take(MESSAGES).collect();
    let mut out = problems(&session);
    if newest.is_empty() {
        out.push_str("No messages\n");
    }
    for (title, text) in newest.into_iter().rev() {
        out.push_str(&format!("{title}:\n{}\n\n", text.trim()));
    }
    Ok(out)
}

/// Returns an entry of a session file.
pub fn entry(file: &Path, id: &str) -> Result<String, Report> {
    let session = open(file)?;
    let missing = || Report::new("the session no longer has this entry");
    let found = session.tree().get(id).ok_or_else(missing)?;
    let (title, text) = match blocks::of_entry(found) {
        Some(block) => {
            let title = block.title.replace('\n', " ");
            (title, block.to_text())
        }
        None => (found.kind().to_string(), session.entry_line(id).unwrap_or_default()),
    };
    let text: String = text.chars().take(ENTRY_MAX).collect();
    Ok(format!("{}{title}:\n{}\n", problems(&session), text.trim()))
}

fn open(file: &Path) -> Result<Session, Report> {
    Session::open_read_only(file, SystemClock::shared(), RandomIds::shared())
        .map_err(|error| Report::caused("cannot read the session", &error))
}

/// Says how much of the file is broken, if anything is.
fn problems(session: &Session) -> String {
    match session.problems().len() {
        0 => String::new(),
        count => format!("(the file has {})\n\n", pluralize(count, "broken line", "broken lines")),
    }
}

/// Returns the author of a message and what was written in it, without thinking, calls and results.
fn text_of(block: Block, max: usize) -> (String, String) {
    let title = if block.author == Author::User { "You".to_string() } else { block.title.replace('\n', " ") };
    let texts = block.pieces.into_iter().filter_map(|piece| match piece {
        Piece::Text(text) | Piece::Note(text) => Some(text),
        Piece::Image { mime, .. } => Some(format!("({mime})")),
        Piece::Thinking(_) | Piece::Call { .. } | Piece::Output { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let mut shown: String = text.chars().take(max).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    (title, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, parent: &str, role: &str, text: &str) -> String {
        let more = if role == "assistant" {
            r#","api":"a","provider":"p","model":"m","stopReason":"stop""#
        } else {
            ""
        };
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"1970-01-01T00:00:01.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}],"timestamp":1{more}}}}}"#
        )
    }

    fn file(dir: &Path, lines: &[String]) -> std::path::PathBuf {
        let head =
            r#"{"type":"session","version":3,"id":"s","timestamp":"1970-01-01T00:00:00.000Z","cwd":"/w"}"#;
        let path = dir.join("s.jsonl");
        std::fs::write(&path, format!("{head}\n{}\n", lines.join("\n"))).unwrap();
        path
    }

    #[test]
    fn session_preview_has_last_messages_and_says_what_is_broken() {
        let dir = tempfile::tempdir().unwrap();
        let mut lines = vec![line("a0", "null", "user", "first")];
        for n in 1..9 {
            let role = if n % 2 == 0 { "user" } else { "assistant" };
            lines.push(line(&format!("a{n}"), &format!("\"a{}\"", n - 1), role, &format!("said {n}")));
        }
        let shown = last_messages(&file(dir.path(), &lines)).unwrap();
        assert!(shown.starts_with("p/m:\nsaid 3\n\nYou:\nsaid 4\n\n"), "{shown}");
        assert!(shown.ends_with("You:\nsaid 8\n\n") && !shown.contains("first"), "{shown}");
        lines.push(line("b1", "\"a8\"", "assistant", "looking"));
        lines.push(line("b2", "\"b1\"", "assistant", "found"));
        let shown = last_messages(&file(dir.path(), &lines)).unwrap();
        assert!(shown.ends_with("You:\nsaid 8\n\np/m:\nfound\n\n"), "the last answer only: {shown}");
        lines.insert(1, "{broken".to_string());
        let broken = file(dir.path(), &lines);
        assert!(last_messages(&broken).unwrap().starts_with("(the file has 1 broken line)\n\n"));
        assert_eq!(entry(&broken, "a3").unwrap(), "(the file has 1 broken line)\n\np/m:\nsaid 3\n");
        assert!(entry(&broken, "gone").unwrap_err().to_string().contains("no longer has this entry"));
    }

    #[test]
    fn session_preview_of_no_session_says_why_and_of_a_long_message_its_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let none = dir.path().join("none.jsonl");
        std::fs::write(&none, "no session\n").unwrap();
        assert!(last_messages(&none).unwrap_err().to_string().contains("cannot read the session"));
        let long = line("a", "null", "user", &"x".repeat(9_000));
        let shown = last_messages(&file(dir.path(), &[long])).unwrap();
        assert_eq!(shown.chars().filter(|c| *c == 'x').count(), MESSAGE_MAX);
        assert!(shown.contains('…'));
    }
}
