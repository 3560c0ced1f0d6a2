//! `bowline sessions`: what is stored, for people and for scripts.
//!
//! Must not know how sessions are kept. Reads only, and asks nobody.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::json::json;

use crate::base::clock;
use crate::base::error::Report;
use crate::session::derived::export::{self, Format};
use crate::session::store::listing::{self, Listed};
use crate::session::usage::summary::{Spent, Summary};
use crate::session::{Entry, Session};

/// Characters of a text that stand for it in a line.
const TEXT_MAX: usize = 100;
/// Characters of an id that a line shows.
const ID_SHOWN: usize = 8;

/// What of the stored sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All of them, a line each.
    List,
    /// What is in one.
    Show(String),
    /// Its entries as they follow each other.
    Tree(String),
}

/// Reads the words behind `sessions`.
pub fn wanted(words: &[&str]) -> Option<Wanted> {
    match words {
        [] | ["list"] => Some(Wanted::List),
        ["show", id] => Some(Wanted::Show((*id).to_string())),
        ["tree", id] => Some(Wanted::Tree((*id).to_string())),
        _ => None,
    }
}

/// The answer, as text or as JSON.
pub fn answer(root: &Path, cwd: &Path, wanted: &Wanted, json: bool) -> Result<String, Report> {
    let said: (String, Value) = match wanted {
        Wanted::List => list(&listing::list(root)),
        Wanted::Show(id) => show(&located(root, cwd, id)?)?,
        Wanted::Tree(id) => tree(&open(&located(root, cwd, id)?)?),
    };
    Ok(if json { format!("{:#}", said.1) } else { said.0 })
}

/// The file of a session that is named by its id, by how that begins or ends, or by the file itself.
pub fn located(root: &Path, cwd: &Path, name: &str) -> Result<PathBuf, Report> {
    let file = cwd.join(name);
    if file.is_file() {
        return Ok(file);
    }
    let found = if name.contains('/') { Vec::new() } else { listing::find(root, name) };
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(Report::new(format!("there is no session `{name}`"))
            .hint("`bowline sessions` lists what there is")),
        several => Err(Report::new(format!("`{name}` fits the ids of {} sessions", several.len()))
            .hint("`bowline sessions --json` lists the whole ids")),
    }
}

/// Makes a document of a session and says where it is; without a file the document itself is the answer.
pub fn export(
    root: &Path,
    cwd: &Path,
    name: &str,
    form: Option<&str>,
    file: Option<&str>,
) -> Result<String, Report> {
    let ending =
        file.and_then(|file| Path::new(file).extension()).map(|end| end.to_string_lossy().into_owned());
    let form = form.map(str::to_string).or(ending).unwrap_or_else(|| "md".to_string());
    let Some(format) = Format::parse(&form) else {
        return Err(Report::new(format!("`{form}` is no form of a document"))
            .hint("--format md, html or jsonl, or a file whose name ends so"));
    };
    let session = open(&located(root, cwd, name)?)?;
    let document = export::document(&session, format);
    let document = document.map_err(|error| Report::caused("cannot read the session", &error))?;
    let Some(file) = file else { return Ok(document.trim_end_matches('\n').to_string()) };
    let path = cwd.join(file);
    let failed = |error| Report::caused(format!("cannot write {}", path.display()), &error);
    // What is there already stays: it may be anything.
    let made = std::fs::File::options().write(true).create_new(true).open(&path);
    made.and_then(|mut made| made.write_all(document.as_bytes())).map_err(failed)?;
    Ok(format!("{}: {} bytes", path.display(), document.len()))
}

/// A session, to be looked at.
pub(in crate::cli) fn open(path: &Path) -> Result<Session, Report> {
    let (clock, ids) = (clock::SystemClock::shared(), crate::base::ids::RandomIds::shared());
    Session::look_at(path, clock, ids).map_err(|error| Report::caused("cannot read the session", &error))
}

fn list(all: &[Listed]) -> (String, Value) {
    let lines = all.iter().map(|found| {
        let Summary { id, cwd, active_ms, prompts, .. } = &found.summary;
        let (id, when) = (tail(id), minute(*active_ms));
        let cost = found.summary.total().cost;
        let title = shortened(found.summary.title());
        let said = if *prompts == 1 { "prompt " } else { "prompts" };
        format!("{id}  {when}  {prompts:>4} {said}  {:>8}  {cwd}  {title}", format!("${cost:.2}"))
    });
    let lines: Vec<String> = lines.collect();
    let text = if lines.is_empty() { "There is no session yet.".to_string() } else { lines.join("\n") };
    (text, all.iter().map(facts).collect())
}

/// The end of an id: sessions that began in the same minute have the same beginning.
pub(in crate::cli) fn tail(id: &str) -> &str {
    let from = id.char_indices().rev().nth(ID_SHOWN - 1).map_or(0, |(at, _)| at);
    &id[from..]
}

/// `YYYY-MM-DD HH:MM`, UTC.
pub(in crate::cli) fn minute(ms: u64) -> String {
    clock::iso8601(ms).replace('T', " ").chars().take(16).collect()
}

fn facts(found: &Listed) -> Value {
    let mut value = json!({"path": found.path, "size": found.size});
    if let (Some(fields), Ok(Value::Object(more))) =
        (value.as_object_mut(), serde_json::to_value(&found.summary))
    {
        fields.extend(more);
        // Only for going on with counting.
        fields.remove("latest");
        fields.insert("total".to_string(), json!(found.summary.total()));
    }
    value
}

fn show(path: &Path) -> Result<(String, Value), Report> {
    let session = open(path)?;
    let mut summary = Summary::new(session.header());
    for entry in session.entries() {
        let line = entry.line().map_err(|error| Report::caused("cannot read the session", &error))?;
        summary.take(&line);
    }
    let size = path.metadata().map_or(0, |facts| facts.len());
    let found = Listed { path: path.to_path_buf(), size, summary };
    let Summary { id, cwd, began, active_ms, parent, entries, prompts, answers, tools, .. } = &found.summary;
    let mut lines = vec![
        found.summary.title().to_string(),
        format!("id         {id}"),
        format!("file       {} ({size} bytes)", path.display()),
        format!("folder     {cwd}"),
        format!("began      {}", minute(clock::parse_iso8601(began).unwrap_or(0))),
        format!("active     {}", minute(*active_ms)),
        format!("entries    {entries}: {prompts} prompts, {answers} answers, {tools} tool results"),
    ];
    lines.extend(parent.iter().map(|parent| format!("forked of  {parent}")));
    lines.push(format!("spent      {}", spent(&found.summary.total())));
    for (day, models) in &found.summary.spent {
        lines.extend(models.iter().map(|(model, sum)| format!("  {day} {model}: {}", spent(sum))));
    }
    lines.extend(session.problems().iter().map(|p| format!("line {}: {}", p.line, p.message)));
    Ok((lines.join("\n"), facts(&found)))
}

fn spent(sum: &Spent) -> String {
    let Spent { requests, output, cost, .. } = sum;
    let prompt = sum.prompt();
    let share = sum.cache_share() * 100.0;
    format!("{requests} requests, {prompt} tokens in ({share:.0}% from the cache), {output} out, ${cost:.4}")
}

/// How an entry shows itself in a line.
fn words(entry: &Entry) -> String {
    let value: Value =
        entry.line().ok().and_then(|line| serde_json::from_str(&line).ok()).unwrap_or_default();
    let field = |name: &str| value[name].as_str().unwrap_or_default();
    match entry.kind() {
        "message" => {
            let message = &value["message"];
            format!("{}: {}", message["role"].as_str().unwrap_or_default(), said(message))
        }
        "model_change" => format!("model: {}/{}", field("provider"), field("modelId")),
        "thinking_level_change" => format!("thinking: {}", field("thinkingLevel")),
        "compaction" => format!("compaction: {}", field("summary")),
        "branch_summary" => format!("branch summary: {}", field("summary")),
        "label" => format!("label of {}: {}", field("targetId"), field("label")),
        "session_info" => format!("name: {}", field("name")),
        "custom" | "custom_message" => format!("{}: {}", entry.kind(), field("customType")),
        other => other.to_string(),
    }
}

/// The text of a message; its calls where it has no text.
fn said(message: &Value) -> String {
    let field = ["content", "summary", "command"].into_iter().find(|name| !message[*name].is_null());
    let content = &message[field.unwrap_or("content")];
    if let Some(text) = content.as_str() {
        return text.to_string();
    }
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let words = parts.iter().filter_map(|part| {
        let call = || part["name"].as_str().map(|name| format!("[{name} {}]", part["arguments"]));
        part["text"].as_str().map(str::to_string).or_else(call)
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(in crate::cli) fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A line for each entry. What has sisters is further in than what it follows, so that a conversation
/// without branches is a plain list.
fn tree(session: &Session) -> (String, Value) {
    let active: Vec<&str> = session.tree().path().iter().map(|entry| entry.id()).collect();
    let active: std::collections::HashSet<&str> = active.into_iter().collect();
    let labels = session.labels();
    let mut lines = Vec::new();
    let mut nodes = Vec::new();
    let mut stack: Vec<(&Entry, usize)> = Vec::new();
    let push = |stack: &mut Vec<_>, parent: Option<&str>, depth: usize| {
        let children = session.tree().children(parent);
        let depth = if children.len() > 1 { depth + 1 } else { depth };
        stack.extend(children.into_iter().rev().map(|child| (child, depth)));
    };
    push(&mut stack, None, 0);
    while let Some((entry, depth)) = stack.pop() {
        let id = entry.id();
        let is_leaf = session.leaf() == Some(id);
        let sign = if is_leaf {
            '*'
        } else if active.contains(id) {
            '+'
        } else {
            ' '
        };
        let label = labels.get(id).map_or(String::new(), |label| format!(" [{label}]"));
        let text = words(entry);
        lines.push(format!("{}{sign} {id}{label} {}", "  ".repeat(depth), shortened(&text)));
        nodes.push(json!({
            "id": id, "parentId": entry.parent_id(), "type": entry.kind(), "timestamp": entry.timestamp(),
            "text": text, "label": labels.get(id), "active": active.contains(id), "leaf": is_leaf,
        }));
        push(&mut stack, Some(id), depth);
    }
    (lines.join("\n"), Value::Array(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;
    use crate::base::ids::CountingIds;
    use crate::llm::model::{Message, UserMessage};
    use crate::session::{AgentMessage, EntryBody};

    fn user(text: &str) -> EntryBody {
        EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 5))) }
    }

    fn stored(root: &Path) -> Session {
        let mut session = Session::create(
            root,
            Path::new("/w"),
            ManualClock::new(1_763_681_411_042),
            CountingIds::shared(),
        );
        let first = session.append(user("root")).unwrap();
        session.append(user("left")).unwrap();
        session.branch(Some(&first)).unwrap();
        session.append(user("right")).unwrap();
        session.label(&first, Some("start")).unwrap();
        session
    }

    #[test]
    fn what_is_stored_is_told() {
        let root = tempfile::tempdir().unwrap();
        let ask =
            |words: &[&str], json| answer(root.path(), Path::new("/nowhere"), &wanted(words).unwrap(), json);
        assert_eq!(ask(&[], false).unwrap(), "There is no session yet.");
        let session = stored(root.path());
        assert_eq!(
            ask(&["list"], false).unwrap(),
            "00000001  2025-11-20 23:30     3 prompts     $0.00  /w  root"
        );
        assert_eq!(
            ask(&["tree", session.id()], false).unwrap(),
            "+ 00000002 [start] user: root\n    00000003 user: left\n  + 00000004 user: right\n  * 00000005 label of 00000002: start"
        );
        let shown = ask(&["show", session.id()], false).unwrap();
        assert!(shown.contains("4: 3 prompts, 0 answers, 0 tool results"), "{shown}");
        let shown: Value = serde_json::from_str(&ask(&["show", session.id()], true).unwrap()).unwrap();
        assert_eq!(
            (shown["prompts"].as_u64(), shown["path"].as_str()),
            (Some(3), session.file().unwrap().to_str())
        );
    }

    #[test]
    fn a_session_becomes_a_document() {
        let root = tempfile::tempdir().unwrap();
        let session = stored(root.path());
        let out = tempfile::tempdir().unwrap();
        let make = |form, file| export(root.path(), out.path(), session.id(), form, file);
        let text = make(None, None).unwrap();
        assert!(
            text.contains("## You\n\nroot\n") && text.contains("right") && !text.contains("left"),
            "{text}"
        );
        assert!(make(None, Some("page.html")).unwrap().contains("page.html: "));
        let page = std::fs::read_to_string(out.path().join("page.html")).unwrap();
        // Every branch is in the page; the other one is not shown at first.
        assert!(page.contains("<article id=\"e-00000003\" class=\"person\" hidden>"), "{page}");
        assert!(page.contains("<article id=\"e-00000004\" class=\"person\"><header>"), "{page}");
        assert!(!page.contains("src=\"http") && !page.contains("href=\"http"), "{page}");
        let again = make(None, Some("page.html")).unwrap_err();
        assert!(again.to_string().contains("cannot write"), "{again}");
        make(Some("jsonl"), Some("copy.jsonl")).unwrap();
        let copy = open(&out.path().join("copy.jsonl")).unwrap();
        assert_eq!(copy.context(), session.context());
        assert!(make(None, Some("x.pdf")).unwrap_err().to_string().contains("no form"));
    }

    #[test]
    fn names_that_fit_none_or_several_are_told() {
        let root = tempfile::tempdir().unwrap();
        let (one, ids) = (stored(root.path()), CountingIds::shared());
        ids.entry();
        let mut two = Session::create(root.path(), Path::new("/w"), ManualClock::new(0), ids);
        two.append(user("two")).unwrap();
        let find = |name: &str| located(root.path(), Path::new("/nowhere"), name);
        assert_eq!(find(two.id()).unwrap(), two.file().unwrap());
        assert_eq!(find(one.file().unwrap().to_str().unwrap()).unwrap(), one.file().unwrap());
        assert!(find("00000000-").unwrap_err().to_string().contains("fits the ids of 2 sessions"));
        assert!(find("zzz").unwrap_err().to_string().contains("there is no session `zzz`"));
        assert!(find("../x").is_err());
        assert_eq!(wanted(&["show"]), None);
    }
}
