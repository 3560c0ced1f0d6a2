//! Files of other programs become sessions, once, and whatever is in them.

use std::fmt::Write as _;

use super::*;
use crate::base::clock::ManualClock;
use crate::base::ids::CountingIds;
use crate::llm::model::{Message, Part};
use crate::session::import::parts;
use crate::session::{AgentMessage, Entry, EntryBody};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn take(root: &Path, file: &Path) -> Result<ImportResult, SessionError> {
    let clock: SharedClock = ManualClock::new(0);
    import(root, file, None, &clock, &CountingIds::shared())
}

fn look(path: &Path) -> Session {
    Session::open_read_only(path, ManualClock::new(0), CountingIds::shared()).unwrap()
}

/// The conversation to an entry, a line each.
fn told(session: &Session, leaf: &str) -> String {
    let mut told = String::new();
    for entry in session.tree().path_to(leaf) {
        let words = match entry.body() {
            EntryBody::Message { message: AgentMessage::Llm(message) } => said(&message),
            EntryBody::CustomMessage { custom_type, .. } => custom_type,
            EntryBody::Custom { data, .. } => {
                let line = &data.unwrap()["line"];
                format!("kept {}", line["type"].as_str().unwrap())
            }
            EntryBody::Compaction { summary, .. } => format!("compaction {summary}"),
            EntryBody::SessionInfo { name } => format!("name {}", name.unwrap()),
            EntryBody::ModelChange { provider, model_id } => format!("model {provider}/{model_id}"),
            EntryBody::ThinkingLevelChange { thinking_level } => format!("thinking {thinking_level}"),
            other => format!("{other:?}"),
        };
        writeln!(told, "{words}").unwrap();
    }
    told
}

fn said(message: &Message) -> String {
    let part = |part: &Part| {
        let value = serde_json::to_value(part).unwrap();
        let text = ["text", "thinking", "mimeType"].iter().find_map(|name| value[*name].as_str());
        text.map_or_else(
            || format!("{} {}", value["name"].as_str().unwrap(), value["arguments"]),
            str::to_string,
        )
    };
    let (who, parts) = match message {
        Message::User(user) => ("user".to_string(), &user.content),
        Message::Assistant(answer) => {
            let usage = &answer.usage;
            let (input, output) = (usage.input, usage.output);
            (
                format!("{} {input}+{}>{output} {:?}", answer.model, usage.cache_read, answer.stop_reason),
                &answer.content,
            )
        }
        Message::ToolResult(result) => (
            format!(
                "{} {}{}",
                result.tool_name,
                result.tool_call_id,
                if result.is_error { " failed" } else { "" }
            ),
            &result.content,
        ),
    };
    format!("{who}: {}", parts.iter().map(part).collect::<Vec<_>>().join(" | "))
}

#[test]
fn session_import_claude_becomes_tree() {
    let root = tempfile::tempdir().unwrap();
    let done = take(root.path(), &fixture("import/claude.jsonl")).unwrap();
    assert_eq!((done.source, done.existing, done.problems.len()), (Source::Claude, 0, 1));
    assert_eq!((done.problems[0].line, done.id.as_str()), (10, "5e55105e-0000-4000-8000-00000000c1a0"));
    let session = look(&done.path);
    assert_eq!((session.header().cwd.as_str(), session.name().as_deref()), ("/w/demo", Some("Two files")));
    assert_eq!(session.header().timestamp, "2025-11-20T10:00:00.000Z");
    assert!(session.problems().is_empty(), "{:?}", session.problems());
    let uuid = |n: &str| format!("00000000-0000-4000-8000-0000000000{n}");
    assert_eq!(
        told(&session, &uuid("07")),
        "user: look at both files\n\
         claude-test-1 4+900>60 ToolUse: two reads | Read {\"file_path\":\"/w/demo/a.rs\"} | Bash {\"command\":\"cat b.rs\"}\n\
         Read toolu_a: fn a() {}\n\
         Bash toolu_b failed: no such file\n\
         kept queue-operation\n\
         claude-test-1 9+0>5 Stop: b.rs is missing\n"
    );
    assert_eq!(
        told(&session, session.leaf().unwrap()),
        "user: look at both files\n\
         claude-test-1 0+0>0 Length: another way\n\
         kept system\n\
         compaction all that was before\n\
         user: go on with this | image/png\n\
         name Two files\n"
    );
    let words: Vec<String> =
        session.context().messages.iter().map(|message| message.role().to_string()).collect();
    assert_eq!(words, ["compactionSummary", "user"]);
    // The agent's agent, the snapshot and the conversation itself.
    assert_eq!(session.tree().children(None).len(), 3);
}

#[test]
fn session_import_codex_becomes_tree() {
    let root = tempfile::tempdir().unwrap();
    let done = take(root.path(), &fixture("import/codex.jsonl")).unwrap();
    assert_eq!((done.source, done.problems.len(), done.problems[0].line), (Source::Codex, 1, 12));
    let session = look(&done.path);
    assert_eq!(session.id(), "5e55105e-0000-7000-8000-00000000c0de");
    let before = "kept session_meta\ncodex.user\nmodel openai/gpt-test\nthinking high\n";
    assert_eq!(
        told(&session, session.leaf().unwrap()),
        format!(
            "{before}user: only read the code\n\
             gpt-test 0+0>0 ToolUse: apply_patch \"*** Begin Patch\\n*** Update File: a.rs\\n*** End Patch\"\n\
             apply_patch call_2: done\n\
             compaction what was before\n\
             kept event_msg\n\
             gpt-test 0+0>0 Stop: done\n"
        )
    );
    assert_eq!(
        told(&session, "0000000b"),
        format!(
            "{before}user: run the tests | image/png\n\
             gpt-test 20+80>20 ToolUse: I run them | shell {{\"command\":[\"cargo\",\"test\"]}}\n\
             shell call_1 failed: test failed\n\
             gpt-test 0+0>0 Stop: one fails\n"
        )
    );
    let context = session.context();
    assert_eq!(context.model, Some(("openai".to_string(), "gpt-test".to_string())));
}

#[test]
fn session_import_again_adds_only_new_entries() {
    for name in ["import/claude.jsonl", "import/codex.jsonl"] {
        let root = tempfile::tempdir().unwrap();
        let whole = fs::read_to_string(fixture(name)).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        let file = root.path().join("rollout-x.jsonl");
        let write = |count: usize| fs::write(&file, lines[..count].join("\n") + "\n").unwrap();
        write(lines.len() - 2);
        let first = take(root.path(), &file).unwrap();
        let again = take(root.path(), &file).unwrap();
        assert_eq!((again.added, &again.path, again.existing), (0, &first.path, first.added), "{name}");
        write(lines.len());
        let more = take(root.path(), &file).unwrap();
        assert_eq!((more.added, &more.path), (2, &first.path), "{name}");
        let grown = look(&more.path);
        let other = tempfile::tempdir().unwrap();
        let at_once = look(&take(other.path(), &file).unwrap().path);
        let ids = |session: &Session| {
            let mut ids: Vec<String> = session.entries().map(|entry| entry.id().to_string()).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&grown), ids(&at_once), "{name}");
        assert_eq!(grown.context(), at_once.context(), "{name}");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2, "{name}");
    }
}

#[test]
fn session_import_pi_keeps_bytes() {
    let folder = fixture("sessions");
    for item in fs::read_dir(&folder).unwrap() {
        let file = item.unwrap().path();
        if file.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let root = tempfile::tempdir().unwrap();
        let (theirs, done) = (look(&file), take(root.path(), &file).unwrap());
        let ours = look(&done.path);
        let lines = |session: &Session| -> Vec<String> {
            session.entries().map(|entry: &Entry| entry.line().unwrap().into_owned()).collect()
        };
        assert_eq!(lines(&ours), lines(&theirs), "{}", file.display());
        assert_eq!(ours.context(), theirs.context());
        assert_eq!(ours.header().parent_session, theirs.header().parent_session);
        assert_eq!((ours.id(), take(root.path(), &file).unwrap().added), (theirs.id(), 0));
    }
}

#[test]
fn session_import_other_files_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("x.jsonl");
    for text in ["", "# notes", "{}\n[]\n", r#"{"type":"summary","summary":"x","leafUuid":"../../y"}"#] {
        fs::write(&file, text).unwrap();
        let refused = take(root.path(), &file);
        assert!(
            matches!(refused, Err(SessionError::NotASession(_)))
                || refused.is_ok_and(|done| done.path.starts_with(root.path())),
            "{text}"
        );
    }
    fs::write(&file, r#"{"type":"user","uuid":"u","sessionId":"../../../x","message":{"content":"a"}}"#)
        .unwrap();
    assert!(matches!(take(root.path(), &file), Err(SessionError::NotASession(_))));
    assert!(matches!(take(root.path(), root.path()), Err(SessionError::NotASession(_))));
}

/// A line of Claude Code's.
fn line(kind: &str, uuid: &str, parent: Option<&str>, more: &serde_json::Value) -> String {
    let mut line = crate::base::json::json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1",
        "cwd": "/w", "timestamp": "2025-11-20T10:00:00.000Z"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.to_string()
}

fn user(text: &str) -> serde_json::Value {
    crate::base::json::json!({"message": {"role": "user", "content": text}})
}

fn answer(model: &str, text: &str) -> serde_json::Value {
    let content = crate::base::json::json!([{"type": "text", "text": text}]);
    crate::base::json::json!({"message": {"id": format!("msg_{text}"), "role": "assistant", "model": model, "content": content}})
}

fn taken(root: &Path, lines: &[String]) -> Session {
    let file = root.join("claude.jsonl");
    fs::write(&file, lines.join("\n")).unwrap();
    look(&take(root, &file).unwrap().path)
}

#[test]
fn claude_import_synthetic_answers_are_not_sent() {
    let root = tempfile::tempdir().unwrap();
    let mut failed = answer("claude-test-1", "API Error: 529 overloaded");
    failed["isApiErrorMessage"] = true.into();
    let session = taken(
        root.path(),
        &[
            line("user", "u1", None, &user("look")),
            line("assistant", "a1", Some("u1"), &answer("claude-test-1", "Seen.")),
            line("user", "u2", Some("a1"), &user("again")),
            line("assistant", "a2", Some("u2"), &failed),
            line("assistant", "a3", Some("a2"), &answer("<synthetic>", "No response requested.")),
            line("user", "u3", Some("a3"), &user("go on")),
        ],
    );
    assert_eq!(
        told(&session, session.leaf().unwrap()),
        "user: look\nclaude-test-1 0+0>0 Stop: Seen.\nuser: again\nkept assistant\nkept assistant\nuser: go on\n"
    );
    let context = session.context();
    assert_eq!(context.model, Some(("anthropic".to_string(), "claude-test-1".to_string())));
    assert_eq!(context.messages.len(), 4, "no model is told what the program said");
}

#[test]
fn claude_import_synthetic_answers_name_no_model() {
    let root = tempfile::tempdir().unwrap();
    let session = taken(
        root.path(),
        &[
            line("user", "u1", None, &user("look")),
            line("assistant", "a1", Some("u1"), &answer("claude-test-1", "Seen.")),
            line("assistant", "a2", Some("a1"), &answer("<older>", "No response requested.")),
        ],
    );
    assert_eq!(session.context().model, Some(("anthropic".to_string(), "claude-test-1".to_string())));
}

/// The title of a session in lists.
fn title(session: &Session) -> String {
    let text = fs::read_to_string(session.file().unwrap()).unwrap();
    let mut summary = crate::session::usage::summary::Summary::new(session.header());
    text.lines().skip(1).for_each(|line| summary.add_line(line));
    summary.title().to_string()
}

#[test]
fn claude_import_title_comes_from_main_conversation() {
    let side = |uuid: &str, parent: Option<&str>, kind: &str, more: &serde_json::Value| {
        let mut more = more.clone();
        more["isSidechain"] = true.into();
        line(kind, uuid, parent, &more)
    };
    let lines = |extra: &[String]| {
        let mut lines = vec![
            side("s0", None, "user", &user("warm up")),
            line("user", "u1", None, &user("fix the parser")),
            line("assistant", "a1", Some("u1"), &answer("claude-test-1", "On it.")),
            side("s1", None, "user", &user("you are a search agent")),
            side("s2", Some("s1"), "assistant", &answer("claude-test-1", "Found.")),
        ];
        lines.extend(extra.to_vec());
        lines.push(line("user", "u2", Some("a1"), &user("thanks")));
        lines
    };
    let summary = |leaf: &str, words: &str| {
        crate::base::json::json!({"type": "summary", "summary": words, "leafUuid": leaf}).to_string()
    };
    let custom = crate::base::json::json!({"type": "custom-title", "customTitle": "Mine", "sessionId": "s1"})
        .to_string();
    let cases: [(&str, Vec<String>); 5] = [
        ("fix the parser", lines(&[])),
        ("fix the parser", lines(&[summary("s2", "Searching files")])),
        ("Parser fix", lines(&[summary("a1", "Parser fix"), summary("s2", "Searching files")])),
        ("Parser fix", [vec![summary("a1", "Parser fix")], lines(&[])].concat()),
        ("Mine", [vec![summary("a1", "Parser fix")], lines(&[custom, summary("a1", "Later")])].concat()),
    ];
    for (wanted, lines) in cases {
        let root = tempfile::tempdir().unwrap();
        let session = taken(root.path(), &lines);
        assert_eq!(title(&session), wanted, "{lines:#?}");
        assert!(
            told(&session, session.leaf().unwrap()).contains("user: thanks"),
            "the leaf is in the conversation"
        );
    }
}

proptest::proptest! {
    #![proptest_config(crate::base::seeds::cases(64))]

    /// Lines in any order, twice, without some: every reader gets through, with unique ids and real parents.
    #[test]
    fn session_import_shuffled_lines_are_safe(picks in proptest::collection::vec((0usize..2, 0usize..20), 0..60)) {
        let files = ["import/claude.jsonl", "import/codex.jsonl"].map(|name| fs::read_to_string(fixture(name)).unwrap());
        let lines: Vec<Vec<&str>> = files.iter().map(|text| text.lines().collect()).collect();
        let text: Vec<&str> = picks.iter().map(|(file, line)| lines[*file][line % lines[*file].len()]).collect();
        let text = text.join("\n");
        for story in [claude::read(parts::lines(&text), "a"), codex::read(parts::lines(&text), "a")] {
            let mut seen = std::collections::HashSet::new();
            for entry in &story.entries {
                assert!(entry.parent_id().is_none_or(|parent| parent != entry.id()));
                assert!(seen.insert(entry.id().to_string()), "{}", entry.id());
            }
            assert!(story.entries.iter().all(|entry| entry.parent_id().is_none_or(|parent| seen.contains(parent))));
        }
    }
}
