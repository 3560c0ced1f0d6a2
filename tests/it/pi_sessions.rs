//! Session files go back and forth between two releases of pi and this program. Skipped, with a message,
//! where `npm ci` was not run in `tests/pi`.

use std::path::{Path, PathBuf};
use std::process::Command;

use bowline::base::clock::ManualClock;
use bowline::base::ids::CountingIds;
use bowline::session::context::editing::{self, ContextEdit};
use bowline::session::{AgentMessage, EntryBody, Session, context::pins};
use serde_json::{Value, json};

use crate::support::compaction_session::{FULL, TestSession, text_turn, with_context_tokens};

/// Sessions that are written by chance, in each direction and for each release.
const COUNT: usize = 25;

/// Runs the script beside pi; `None` where pi is not there.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn pi(args: &[&str]) -> Option<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pi");
    let node = folder.join("node_modules/.bin/node");
    if !node.exists() {
        eprintln!("skipped: `npm ci` in tests/pi gives this test the programs that it asks");
        return None;
    }
    let home = tempfile::tempdir().unwrap();
    let done = Command::new(node)
        .arg(folder.join("session.mjs"))
        .args(args)
        .env("HOME", home.path())
        .env("PI_CODING_AGENT_DIR", home.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let lines = String::from_utf8(done.stdout).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Numbers that are equal are written the same, and fields that are nothing are left out.
fn normalize(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(normalize).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            let kept = kept.map(|(name, value)| match value {
                // What a user says is a text or a list of parts.
                Value::String(text) if name == "content" && fields["role"] == "user" => {
                    (name.clone(), json!([{"type": "text", "text": text}]))
                }
                value => (name.clone(), normalize(value)),
            });
            Value::Object(kept.collect())
        }
        other => other.clone(),
    }
}

/// How a session is seen here, in the words of the script.
fn session_view(session: &Session) -> Value {
    let context = session.context();
    let entries = session.entries().map(|entry| json!([entry.id(), entry.parent_id(), entry.kind()]));
    let model = context.model.map(|(provider, id)| json!({"provider": provider, "modelId": id}));
    let messages: Vec<&AgentMessage> = context.messages.iter().map(|message| &**message).collect();
    normalize(&json!({
        "id": session.id(),
        "name": session.name(),
        "entries": entries.collect::<Vec<_>>(),
        "labels": session.labels(),
        "leaf": session.leaf(),
        "context": {
            "messages": messages,
            "model": model,
            "thinkingLevel": context.thinking.map_or("off", |level| level.name()),
        },
    }))
}

fn normalize_pi(seen: &Value) -> Value {
    let mut seen = normalize(seen);
    seen.as_object_mut().unwrap().shift_remove("file");
    seen
}

fn open(path: &Path) -> Session {
    Session::open_read_only(path, ManualClock::new(0), CountingIds::shared()).unwrap()
}

#[test]
fn pi_session_is_read_identically() {
    for release in ["pi-first", "pi-newest"] {
        let folder = tempfile::tempdir().unwrap();
        let Some(made) = pi(&["make", release, folder.path().to_str().unwrap(), &COUNT.to_string()]) else {
            return;
        };
        assert_eq!(made.len(), COUNT);
        for theirs in made {
            let path = PathBuf::from(theirs["file"].as_str().unwrap());
            let session = open(&path);
            assert_eq!(session.problems(), [], "{}", path.display());
            let (ours, theirs) = (session_view(&session), normalize_pi(&theirs));
            for part in ["id", "name", "entries", "labels", "leaf", "context"] {
                assert_same(&ours[part], &theirs[part], &format!("{part}, {release}"), &path);
            }
        }
    }
}

/// Says where two values part.
fn assert_same(ours: &Value, theirs: &Value, what: &str, path: &Path) {
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            for name in one.keys().chain(other.keys()) {
                assert_same(&ours[name], &theirs[name], &format!("{what}.{name}"), path);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (n, (ours, theirs)) in one.iter().zip(other).enumerate() {
                assert_same(ours, theirs, &format!("{what}[{n}]"), path);
            }
        }
        _ => assert_eq!(ours, theirs, "{what} of\n{}", text(path)),
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn own_session_is_read_identically_by_pi() {
    let folder = tempfile::tempdir().unwrap();
    let sessions: Vec<Session> = (0..COUNT as u64).map(|seed| random_session(folder.path(), seed)).collect();
    let paths: Vec<String> =
        sessions.iter().map(|session| session.file().unwrap().to_string_lossy().into_owned()).collect();
    let whole: Vec<String> = paths.iter().map(|path| text(Path::new(path))).collect();
    for release in ["pi-newest", "pi-first"] {
        let mut args = vec!["look", release];
        args.extend(paths.iter().map(String::as_str));
        let Some(looked) = pi(&args) else { return };
        for ((session, theirs), path) in sessions.iter().zip(looked).zip(&paths) {
            let (ours, theirs) = (session_view(session), normalize_pi(&theirs));
            // The first release knows neither edits nor what goes with a compaction.
            let parts: &[&str] = match release {
                "pi-first" => &["id", "name", "entries", "labels", "leaf"],
                _ => &["id", "name", "entries", "labels", "leaf", "context"],
            };
            for part in parts {
                assert_same(&ours[*part], &theirs[*part], &format!("{part}, {release}"), Path::new(path));
            }
        }
    }
    let after: Vec<String> = paths.iter().map(|path| text(Path::new(path))).collect();
    assert_eq!(whole, after, "looking changes nothing");
}

/// What stands in the context of a fixture, as `role:text`.
fn context_messages(session: &Session) -> Vec<String> {
    let context = session.context();
    let told = context.messages.iter().map(|message| {
        let value = serde_json::to_value(&**message).unwrap();
        let text = [&value["summary"], &value["content"], &value["content"][0]["text"], &value["command"]];
        let text = text.into_iter().find_map(Value::as_str).unwrap_or("...").to_string();
        format!("{}:{text}", message.role())
    });
    told.collect()
}

#[test]
fn pi_session_old_versions_are_read_identically() {
    let kept = [
        "compactionSummary:They talked of a list.",
        "user:the second question",
        "assistant:...",
        "toolResult:a.rs",
        "bashExecution:ls",
        "custom:remember",
        "assistant:the last answer",
    ];
    let branch = [
        "user:the first question",
        "assistant:...",
        "branchSummary:Tried something else.",
        "custom:once more",
        "user:and now",
    ];
    for (version, wanted) in [(1, &kept[..]), (2, &branch[..])] {
        let folder = tempfile::tempdir().unwrap();
        let fixture = format!("{}/tests/fixtures/sessions/pi-v{version}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let path = folder.path().join("session.jsonl");
        std::fs::copy(&fixture, &path).unwrap();
        let session = open(&path);
        assert_eq!(session.problems(), []);
        assert_eq!(context_messages(&session), wanted, "format {version}");
        assert_eq!(text(&path), text(Path::new(&fixture)), "looking changes nothing");
        let mut ours = session_view(&session);
        for release in ["pi-first", "pi-newest"] {
            // pi puts the file into its own format when it opens it.
            let copy = folder.path().join(format!("{release}.jsonl"));
            std::fs::copy(&fixture, &copy).unwrap();
            let Some(looked) = pi(&["look", release, copy.to_str().unwrap()]) else { return };
            let mut theirs = normalize_pi(&looked[0]);
            if version == 1 {
                // There are no ids in the file: everybody makes his own.
                for one in [&mut ours, &mut theirs] {
                    one["leaf"] = Value::Null;
                    let entries = one["entries"].as_array_mut().unwrap();
                    for entry in entries {
                        *entry = entry[2].clone();
                    }
                }
            }
            for part in ["id", "name", "entries", "labels", "leaf", "context"] {
                assert_same(
                    &ours[part],
                    &theirs[part],
                    &format!("{part}, {release}, format {version}"),
                    &copy,
                );
            }
            ours = session_view(&session);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compacted_session_is_read_identically_by_pi() {
    let full = |text: &str| with_context_tokens(text_turn(text), FULL);
    let turns = vec![
        full("answer one"),
        text_turn("all of it"),
        full("answer two"),
        text_turn("and more"),
        text_turn("end"),
    ];
    let mut rig = TestSession::new(turns).await;
    let long = "x".repeat(4_000);
    for (text, compactions) in [("first", 0), ("second", 1), ("third", 2)] {
        rig.run(&format!("{text} {long}")).await;
        let kinds = rig.entry_kinds().await;
        assert_eq!(kinds.iter().filter(|kind| *kind == "compaction").count(), compactions, "{kinds:?}");
    }
    let path = rig.snapshot().await.file.unwrap();
    rig.handle.shutdown().await;
    let session = open(&path);
    for release in ["pi-newest", "pi-first"] {
        let Some(looked) = pi(&["look", release, path.to_str().unwrap()]) else { return };
        let (ours, theirs) = (session_view(&session), normalize_pi(&looked[0]));
        for part in ["id", "entries", "leaf", "context"] {
            assert_same(&ours[part], &theirs[part], &format!("{part}, {release}"), &path);
        }
    }
}

/// Numbers that are the same for the same seed.
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A session with every kind of entry.
fn random_session(root: &Path, seed: u64) -> Session {
    let mut chance = Rng(seed + 1);
    let clock = ManualClock::new(1_763_681_400_000 + seed * 1_000);
    let ids = bowline::base::ids::RandomIds::shared();
    let mut session = Session::create(root, Path::new("/some/where"), clock, ids);
    append_message(&mut session, json!({"role": "user", "content": "first", "timestamp": 1}));
    for step in 0..40 {
        append_random_entry(&mut session, &mut chance, step);
    }
    // pi is where the last line is.
    append_message(&mut session, json!({"role": "user", "content": "last", "timestamp": 9}));
    session
}

fn append_message(session: &mut Session, message: Value) {
    let message = serde_json::from_value(message).unwrap();
    session.append(EntryBody::Message { message }).unwrap();
}

fn compaction(words: &str, first_kept_entry_id: String) -> EntryBody {
    EntryBody::Compaction {
        summary: words.into(),
        first_kept_entry_id,
        tokens_before: 10,
        usage: None,
        details: Some(json!({"readFiles": ["a"]})),
        from_hook: None,
        system_message: None,
    }
}

fn append_random_entry(session: &mut Session, chance: &mut Rng, step: u64) {
    const WORDS: [&str; 4] = ["fix it", "naïve — 漢字", "a\nb\u{2028}c", ""];
    let words = *chance.pick(&WORDS);
    let all: Vec<String> = session.entries().map(|entry| entry.id().to_string()).collect();
    let on_path: Vec<String> = session.tree().path().iter().map(|entry| entry.id().to_string()).collect();
    let usage = json!({"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3,
        "cost": {"input": 0.5, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5}});
    let body = match chance.below(16) {
        0 => return append_message(session, json!({"role": "user", "content": words, "timestamp": step})),
        1 => {
            let content = json!([{"type": "text", "text": words}, {"type": "toolCall", "id": format!("c{step}"), "name": "bash", "arguments": {"command": "ls"}}]);
            return append_message(
                session,
                json!({"role": "assistant", "content": content, "api": "a", "provider": "p",
                "model": "m", "usage": usage, "stopReason": "toolUse", "timestamp": step}),
            );
        }
        2 => {
            return append_message(
                session,
                json!({"role": "toolResult", "toolCallId": "c1", "toolName": "bash",
                "content": [{"type": "text", "text": words}], "isError": false, "timestamp": step}),
            );
        }
        3 => EntryBody::ModelChange { provider: "q".into(), model_id: "n".into() },
        4 => EntryBody::ThinkingLevelChange { thinking_level: "high".into() },
        5 => compaction(words, chance.pick(&on_path).clone()),
        6 => EntryBody::BranchSummary {
            from_id: Some(chance.pick(&all).clone()),
            summary: words.into(),
            usage: None,
            details: None,
            from_hook: None,
        },
        7 => EntryBody::Custom { custom_type: "bowline.test".into(), data: Some(json!({"x": words})) },
        8 => EntryBody::CustomMessage {
            custom_type: "note".into(),
            content: json!(words),
            display: true,
            details: None,
        },
        9 => EntryBody::ContextEdit {
            target_id: chance.pick(&on_path).clone(),
            replacement: Some(json!({"content": [{"type": "text", "text": "otherwise"}]}))
                .filter(|_| step.is_multiple_of(2)),
        },
        10 => {
            let label = Some("here").filter(|_| !step.is_multiple_of(3));
            session.set_label(chance.pick::<String>(&all), label).unwrap();
            return;
        }
        11 => EntryBody::SessionInfo { name: Some(format!("name {step}")) },
        12..=14 => return append_context_edits(session, chance, step, words),
        _ => {
            session.branch(Some(chance.pick::<String>(&all))).unwrap();
            return;
        }
    };
    session.append(body).unwrap();
}

/// What a user does to the context, and a compaction with what is pinned.
fn append_context_edits(session: &mut Session, chance: &mut Rng, step: u64, words: &str) {
    let path = session.tree().path();
    let ids: Vec<String> = path.iter().map(|entry| entry.id().to_string()).collect();
    let pinnable = path.iter().find(|entry| pins::is_pinnable(entry)).map(|entry| entry.id().to_string());
    let bodies = match (chance.below(3), pinnable) {
        (0, _) => {
            let wish = [ContextEdit::Exclude, ContextEdit::Replace("by hand".into()), ContextEdit::Restore]
                [chance.below(3)]
            .clone();
            editing::edit_entries(&path, chance.pick::<String>(&ids), &wish).unwrap_or_default()
        }
        (1, Some(target)) => vec![pins::pin_entry(&target, !step.is_multiple_of(5))],
        _ => {
            let first = chance.pick::<String>(&ids).clone();
            let copies = pins::pinned_copies(&path, &first);
            std::iter::once(compaction(words, first)).chain(copies).collect()
        }
    };
    for body in bodies {
        session.append(body).unwrap();
    }
}
