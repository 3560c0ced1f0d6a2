//! `bowline sessions search`, `stats`, `delete`, `restore`, and `bowline import`: all stored sessions at once.
//!
//! Must not know how sessions are kept.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::json::json;

use super::sessions::list::{located, minute, shortened, tail};
use crate::base::clock::{self, SharedClock, SystemClock};
use crate::base::error::Report;
use crate::base::ids::RandomIds;
use crate::cli::args::Args;
use crate::session::SessionError;
use crate::session::import::Source;
use crate::session::search::{Hit, Query};
use crate::session::store::import::{self, Imported};
use crate::session::store::listing::{self, Listed};
use crate::session::store::search::{Stop, search};
use crate::session::store::trash;
use crate::session::usage::statistics::{self, By, Row};
use crate::session::usage::summary::Summary;

/// Places that a search shows.
const SHOWN: usize = 50;

/// What of the stored sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The places where something stands.
    Search(String),
    /// What they spent: by what, since when.
    Stats(Option<String>, Option<String>),
    /// One less.
    Delete(String),
    /// One that was deleted.
    Restore(String),
    /// Sessions of other programs: files or folders, whose.
    Import(Vec<PathBuf>, Option<String>),
}

/// Where things are.
#[derive(Debug)]
pub struct Places<'a> {
    /// The root of all sessions.
    pub root: &'a Path,
    /// The working folder.
    pub cwd: &'a Path,
    /// The system's trash.
    pub trash: &'a Path,
}

/// Reads the words behind `sessions`.
pub fn wanted(words: &[&str], args: &Args) -> Option<Wanted> {
    match words {
        ["search", first, rest @ ..] => Some(Wanted::Search([&[*first], rest].concat().join(" "))),
        ["stats"] => Some(Wanted::Stats(args.by.clone(), args.since.clone())),
        ["delete", id] => Some(Wanted::Delete((*id).to_string())),
        ["restore", id] => Some(Wanted::Restore((*id).to_string())),
        _ => None,
    }
}

/// The answer, as text or as JSON, and whether all of it was done.
pub fn answer(places: &Places<'_>, wanted: &Wanted, json: bool) -> Result<(String, bool), Report> {
    let now_ms = SystemClock::shared().now_ms();
    let mut whole = true;
    let said: (String, Value) = match wanted {
        Wanted::Search(text) => found(places, text, now_ms)?,
        Wanted::Stats(by, since) => {
            stats(&listing::list(places.root), by.as_deref(), since.as_deref(), now_ms)?
        }
        Wanted::Delete(id) => delete(places, id, now_ms)?,
        Wanted::Restore(id) => restore(places, id)?,
        Wanted::Import(from, source) => {
            let (text, value, all) = take_over(places, from, source.as_deref(), &SystemClock::shared())?;
            whole = all;
            (text, value)
        }
    };
    Ok((if json { format!("{:#}", said.1) } else { said.0 }, whole))
}

fn found(places: &Places<'_>, text: &str, now_ms: u64) -> Result<(String, Value), Report> {
    let query = Query::parse(text, now_ms, false);
    if let Some(problem) = query.problems.first() {
        return Err(Report::new(problem.clone()));
    }
    if query.is_empty() {
        return Err(Report::new("there is nothing to search for").hint(
            "words, \"phrases\", begin*, -without, file:NAME, command:TEXT, thinking:TEXT, project:NAME, role:user, since:7d",
        ));
    }
    let hits = search(places.root, &query, SHOWN, &Stop::default());
    let hits = hits.map_err(|error| Report::caused("cannot search the sessions", &error))?;
    let lines: Vec<String> = hits.iter().map(line).collect();
    let text = if lines.is_empty() { "Nothing was found.".to_string() } else { lines.join("\n") };
    Ok((text, json!(hits)))
}

fn line(hit: &Hit) -> String {
    let Hit { session, cwd, title, entry, at_ms, role, snippet, .. } = hit;
    let (id, when) = (tail(session), minute(*at_ms));
    format!("{id}  {when}  {:<9}  {entry}  {cwd}  {}\n    {}", role.name(), shortened(title), snippet.text)
}

fn stats(
    all: &[Listed],
    by: Option<&str>,
    since: Option<&str>,
    now_ms: u64,
) -> Result<(String, Value), Report> {
    let by = by.unwrap_or("day");
    let Some(kind) = By::parse(by) else {
        return Err(Report::new(format!("`{by}` is nothing to add up by"))
            .hint("--by session, day, model, project or tool"));
    };
    let since = match since {
        None => None,
        Some(text) => {
            let query = Query::parse(&format!("since:{text}"), now_ms, false);
            let Some(ms) = query.since_ms else {
                return Err(Report::new(query.problems.first().cloned().unwrap_or_default()));
            };
            Some(clock::iso8601(ms)[..10].to_string())
        }
    };
    let summaries: Vec<&Summary> = all.iter().map(|listed| &listed.summary).collect();
    let rows = statistics::rows(summaries, kind, since.as_deref());
    let total = statistics::total(&rows);
    let mut lines: Vec<String> = rows.iter().map(|row| row_line(row, kind)).collect();
    if lines.is_empty() {
        lines.push("Nothing was spent.".to_string());
    } else if rows.len() > 1 {
        lines.push(row_line(&total, kind));
    }
    Ok((lines.join("\n"), json!({"by": by, "since": since, "rows": rows, "total": total})))
}

fn row_line(row: &Row, by: By) -> String {
    let Row { of, title, spent, cache_share, tools, .. } = row;
    let seconds = tools.ms as f64 / 1000.0;
    let used = format!("{} calls, {} failed, {seconds:.1}s in tools", tools.calls, tools.failed);
    let of = title.as_ref().map_or(of.clone(), |title| format!("{}  {}", tail(of), shortened(title)));
    if by == By::Tool {
        return format!("{of}: {used}");
    }
    let prompt = spent.prompt();
    let share = cache_share * 100.0;
    let asked = format!(
        "{} requests, {prompt} tokens in ({share:.0}% from the cache), {} out, ${:.4}",
        spent.requests, spent.output, spent.cost
    );
    if by == By::Model { format!("{of}: {asked}") } else { format!("{of}: {asked}; {used}") }
}

fn delete(places: &Places<'_>, id: &str, now_ms: u64) -> Result<(String, Value), Report> {
    let path = located(places.root, places.cwd, id)?;
    let header = listing::read_header(&path)
        .ok_or_else(|| Report::new(format!("{} is no session; it was left as it is", path.display())))?;
    let place = trash::delete(&path, places.trash, now_ms)
        .map_err(|error| Report::caused("cannot delete the session", &error))?;
    let text = format!(
        "{} is in the trash: {}\n`bowline sessions restore {}` puts it back",
        path.display(),
        place.display(),
        tail(&header.id)
    );
    Ok((text, json!({"deleted": path, "trash": place})))
}

fn restore(places: &Places<'_>, id: &str) -> Result<(String, Value), Report> {
    let restored = trash::restore(places.root, places.trash, Some(id));
    let restored = restored.map_err(|error| Report::caused("cannot put the session back", &error))?;
    let Some(path) = restored else {
        return Err(Report::new(format!("the trash holds no session `{id}`"))
            .hint(format!("the trash is {}", places.trash.display())));
    };
    Ok((format!("{} is back", path.display()), json!({"restored": path})))
}

/// Takes sessions of other programs over. What cannot be read is told and does not stop the rest.
fn take_over(
    places: &Places<'_>,
    from: &[PathBuf],
    source: Option<&str>,
    clock: &SharedClock,
) -> Result<(String, Value, bool), Report> {
    let source = match source.map(|name| (name, Source::parse(name))) {
        Some((name, None)) => {
            return Err(Report::new(format!("`{name}` is no program whose sessions can be read"))
                .hint("--from pi, claude or codex; without it that is found out"));
        }
        other => other.and_then(|(_, source)| source),
    };
    let mut lines = Vec::new();
    let mut values = Vec::new();
    let mut whole = true;
    let files = from.iter().map(|from| places.cwd.join(from)).flat_map(|from| listing::jsonl_below(&from));
    let files: Vec<PathBuf> = files.collect();
    if files.is_empty() {
        return Err(Report::new("there is no session file").hint("session files end with .jsonl"));
    }
    let many = files.len() > 1;
    for file in files {
        match import::import(places.root, &file, source, clock, &RandomIds::shared()) {
            Ok(done) => {
                let Imported { source, path, added, before, problems, .. } = &done;
                let what = match (added, before) {
                    (0, _) => "nothing new".to_string(),
                    (added, 0) => format!("{added} entries"),
                    (added, _) => format!("{added} more entries"),
                };
                lines.push(format!("{} ({}): {what} in {}", file.display(), source.name(), path.display()));
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
            // A folder holds other files, too.
            Err(SessionError::NotASession(_)) if many => {
                lines.push(format!("{}: no session; passed over", file.display()));
            }
            Err(error) => {
                whole = false;
                lines.push(format!("{}: {error}", file.display()));
                values.push(json!({"file": file, "error": error.to_string()}));
            }
        }
    }
    Ok((lines.join("\n"), Value::Array(values), whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::CountingIds;
    use crate::llm::model::{Message, UserMessage};
    use crate::session::{AgentMessage, EntryBody, Session};

    struct Home(tempfile::TempDir);

    impl Home {
        fn ask(&self, wanted: &Wanted, json: bool) -> Result<(String, bool), Report> {
            let (root, trash) = (self.0.path().join("sessions"), self.0.path().join("Trash"));
            answer(&Places { root: &root, cwd: self.0.path(), trash: &trash }, wanted, json)
        }

        fn say(&self, wanted: &Wanted) -> String {
            self.ask(wanted, false).unwrap().0
        }

        fn value(&self, wanted: &Wanted) -> Value {
            serde_json::from_str(&self.ask(wanted, true).unwrap().0).unwrap()
        }

        /// A session with one message; its id.
        fn stored(&self, text: &str) -> String {
            let root = self.0.path().join("sessions");
            let clock = clock::ManualClock::new(1_763_681_411_042);
            let mut session = Session::create(&root, Path::new("/w"), clock, CountingIds::shared());
            let message = AgentMessage::Llm(Message::User(UserMessage::text(text, 5)));
            session.append(EntryBody::Message { message }).unwrap();
            session.id().to_string()
        }
    }

    fn home() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    #[test]
    fn what_is_searched_for_deleted_and_brought_back() {
        let home = home();
        let id = home.stored("fix the login loop");
        let search = Wanted::Search("log*".into());
        assert_eq!(
            home.say(&search),
            "00000001  2025-11-20 23:30  user       00000002  /w  fix the login loop\n    fix the login loop"
        );
        let found = home.value(&search);
        assert_eq!(
            (found[0]["entry"].as_str(), found[0]["session"].as_str()),
            (Some("00000002"), Some(&*id))
        );
        assert_eq!(found[0]["snippet"]["marks"], json!([[8, 13]]));
        assert_eq!(home.say(&Wanted::Search("nothing".into())), "Nothing was found.");
        assert!(
            home.ask(&Wanted::Search("role:king".into()), false).unwrap_err().to_string().contains("no role")
        );
        assert!(home.ask(&Wanted::Search("-x".into()), false).is_err());
        let said = home.say(&Wanted::Delete(id.clone()));
        assert!(said.contains("/Trash/files/") && said.contains("sessions restore 00000001"), "{said}");
        assert_eq!(home.say(&search), "Nothing was found.");
        assert!(home.say(&Wanted::Restore("00000001".into())).ends_with(" is back"));
        assert_eq!(home.value(&search).as_array().unwrap().len(), 1);
        assert!(home.ask(&Wanted::Restore("00000001".into()), false).is_err());
    }

    #[test]
    fn what_was_spent_is_added_up() {
        let home = home();
        assert_eq!(home.say(&Wanted::Stats(None, None)), "Nothing was spent.");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import/claude.jsonl");
        home.ask(&Wanted::Import(vec![fixture], None), false).unwrap();
        let by = |by: &str, since: Option<&str>| {
            home.say(&Wanted::Stats(Some(by.into()), since.map(str::to_string)))
        };
        assert_eq!(
            by("tool", None),
            "Bash: 1 calls, 1 failed, 1.0s in tools\nRead: 1 calls, 0 failed, 0.5s in tools\nall: 2 calls, 1 failed, 1.5s in tools"
        );
        assert_eq!(
            by("project", None),
            "/w/demo: 3 requests, 1013 tokens in (89% from the cache), 65 out, $0.0000; 2 calls, 1 failed, 1.5s in tools"
        );
        assert_eq!(by("day", Some("2025-11-21")), "Nothing was spent.");
        assert!(by("session", Some("2025-11-20")).starts_with("0000c1a0  Two files: 3 requests"));
        let value = home.value(&Wanted::Stats(Some("model".into()), None));
        assert_eq!(value["rows"][0]["of"], "anthropic/claude-test-1");
        assert_eq!(value["total"]["spent"]["requests"], 3);
        assert!(home.ask(&Wanted::Stats(Some("king".into()), None), false).is_err());
        assert!(home.ask(&Wanted::Stats(None, Some("soon".into())), false).is_err());
    }

    #[test]
    fn folders_of_other_programs_are_taken_over() {
        let home = home();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import");
        let import = Wanted::Import(vec![folder.clone()], None);
        let (text, whole) = home.ask(&import, false).unwrap();
        assert!(
            whole && text.contains("claude.jsonl (claude): ") && text.contains("    line 12: not an entry"),
            "{text}"
        );
        assert_eq!(home.say(&import).matches("nothing new").count(), 2);
        let wrong = Wanted::Import(vec![folder.join("claude.jsonl")], Some("codex".into()));
        assert!(home.ask(&wrong, false).is_ok());
        assert!(home.ask(&Wanted::Import(vec!["nowhere".into()], None), false).is_err());
        std::fs::write(home.0.path().join("notes.jsonl"), "# notes").unwrap();
        let (text, whole) = home.ask(&Wanted::Import(vec!["notes.jsonl".into()], None), false).unwrap();
        assert!(!whole && text.contains("is not a session file"), "{text}");
    }
}
