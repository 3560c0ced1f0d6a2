//! What a user is shown before an edit may run is what is then written: for every tool that edits, of
//! every set.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::tools::builtin::SETS;
use bowline::tools::files::state::ReadFirst;
use bowline::tools::{
    self, AgentToolState, Approval, Ask, Context, Decision, DiffLine, Mode, Outcome, Registry, ResultView,
    Rules, Tool, ToolClass,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What was shown, and the files at that time.
type RecordedPreview = (Option<ResultView>, BTreeMap<String, String>);

/// Allows, and keeps what was shown and what the files held then.
struct PreviewRecorder {
    work: std::path::PathBuf,
    previews: Mutex<Vec<RecordedPreview>>,
}

impl Approval for PreviewRecorder {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        self.previews.lock().unwrap().push((ask.preview, files(&self.work)));
        async { Decision::Allow }.boxed()
    }
}

/// All files by name.
fn files(work: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in files_below(work) {
        let name = entry.strip_prefix(work).unwrap().to_string_lossy().into_owned();
        all.insert(name, std::fs::read_to_string(entry).unwrap());
    }
    all
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// A file with enough lines for two hunks far apart.
fn long_file() -> String {
    let lines: Vec<String> = (1..=60).map(|n| format!("line {n}\n")).collect();
    lines.concat()
}

const BOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"id\": \"c\",\n   \"source\": [\n    \"one\"\n   ],\n   \"outputs\": [],\n   \"execution_count\": null\n  }\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}";

const PATCH: &str = "*** Begin Patch\n*** Update File: long.txt\n@@\n line 1\n-line 2\n+LINE 2\n@@\n line 49\n-line 50\n+LINE 50\n+more\n*** Add File: made/new.txt\n+first\n+second\n*** Delete File: plain.txt\n*** Update File: crlf.txt\n*** Move to: moved.txt\n@@\n-two\n+zwei\n*** End Patch\n";

/// The calls that are tried of a tool. Every tool that edits has some.
fn calls_of_tool(set: &str, tool: &str) -> Vec<Value> {
    let swap = |path: &str, old: &str, new: &str| json!({"file_path": path, "instruction": "as asked", "old_string": old, "new_string": new});
    let swaps = |mut all: Value| {
        let rows = vec![
            swap("long.txt", "line 30", "LINE 30"),
            swap("crlf.txt", "one\ntwo", "one\n1.5\ntwo"),
            swap("bom.txt", "x", "y"),
            swap("no_end.txt", "last", "the end"),
            // The tolerant passes: other blanks at the ends, another indentation.
            swap("indented.txt", "if a {\n  b();\n}", "if a {\n  c();\n}"),
        ];
        for (name, value) in swap("long.txt", "line 1", "LINE 1").as_object().unwrap() {
            all[name] = value.clone();
        }
        [rows, vec![all]].concat()
    };
    let wholes = |name: &str| {
        let whole = |path: &str, text: &str| json!({name: path, "content": text});
        vec![whole("plain.txt", "one\nTWO\nthree\n"), whole("made/new.txt", "a\nb"), whole("long.txt", "")]
    };
    match (set, tool) {
        ("pi", "edit") => {
            let edit = |path: &str, rows: &[(&str, &str)]| {
                let row = |(old, new): &(&str, &str)| json!({"oldText": old, "newText": new});
                json!({"path": path, "edits": rows.iter().map(row).collect::<Vec<_>>()})
            };
            vec![
                edit("long.txt", &[("line 2\n", "LINE 2\n"), ("line 50\n", "")]),
                edit("crlf.txt", &[("two", "zwei\ndue")]),
                edit("bom.txt", &[("x", "y")]),
                edit("no_end.txt", &[("last", "the end")]),
            ]
        }
        ("anthropic", "Edit") => swaps(json!({"replace_all": true})),
        ("gemini", "replace") => swaps(json!({"allow_multiple": true})),
        ("pi", "write") => wholes("path"),
        ("anthropic", "Write") | ("openai" | "gemini", "write_file") => wholes("file_path"),
        ("openai", "apply_patch") => vec![json!({"input": PATCH})],
        ("anthropic", "NotebookEdit") => vec![
            json!({"notebook_path": "n.ipynb", "cell_id": "c", "new_source": "two\nthree"}),
            json!({"notebook_path": "n.ipynb", "cell_id": "c", "new_source": "x", "cell_type": "markdown",
                   "edit_mode": "insert"}),
            json!({"notebook_path": "n.ipynb", "cell_id": "c", "new_source": "", "edit_mode": "delete"}),
        ],
        _ => panic!("{set} has a new tool that edits, {tool}: say here what is tried"),
    }
}

/// A file's lines after a change that is shown, from its lines before.
fn apply_preview(before: &str, rows: &[Option<DiffLine>], what: &str) -> Vec<String> {
    let old: Vec<&str> = before.lines().collect();
    let (mut new, mut at) = (Vec::new(), 0);
    for row in rows.iter().flatten() {
        // What is not shown stays as it was.
        let until = if row.sign == '-' { row.number - 1 } else { at + (row.number - 1 - new.len()) };
        new.extend(old[at..until].iter().map(ToString::to_string));
        at = until;
        if row.sign != '+' {
            assert_eq!(
                old[at].trim_start_matches('\u{feff}'),
                row.text.trim_start_matches('\u{feff}'),
                "{what}"
            );
            at += 1;
        }
        if row.sign != '-' {
            new.push(row.text.clone());
        }
    }
    new.extend(old[at..].iter().map(ToString::to_string));
    new
}

async fn run(set: &str, name: &str, arguments: Value, mode: Mode) -> (Outcome, Arc<PreviewRecorder>) {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    for (name, text) in [
        ("long.txt", long_file().as_str()),
        ("plain.txt", "one\ntwo\nthree\n"),
        ("crlf.txt", "one\r\ntwo\r\nthree\r\n"),
        ("bom.txt", "\u{feff}x\nz\n"),
        ("no_end.txt", "first\nlast"),
        ("indented.txt", "fn f() {\n    if a {\n        b();\n    }\n}\n"),
        ("n.ipynb", BOOK),
    ] {
        std::fs::write(work.join(name), text).unwrap();
    }
    let looks = Arc::new(PreviewRecorder { work: work.clone(), previews: Mutex::default() });
    let context = Context {
        env: Arc::new(LocalEnvironment::new(work.canonicalize().unwrap(), [])),
        approval: Arc::<PreviewRecorder>::clone(&looks),
        mode: mode.into(),
        rules: Rules::default().into(),
        shared: Arc::new(AgentToolState::new(folder.path().join("outputs")).with_read_first(ReadFirst::Off)),
    };
    let call = ToolCall { id: "c".into(), name: name.into(), arguments, thought_signature: None };
    let go = CancellationToken::new();
    let outcome = tools::execute(&Registry::of(set), &context, &call, go, Arc::new(|_| {})).await;
    // The files as they are now stand last.
    let now = files(&work);
    looks.previews.lock().unwrap().push((None, now));
    (outcome, looks)
}

#[tokio::test]
async fn edit_preview_matches_written_files() {
    for set in SETS {
        for tool in set.tools {
            if tool.class() != ToolClass::Edits {
                continue;
            }
            let name = tool.spec().name;
            for args in calls_of_tool(set.id, &name) {
                let what = format!("{} {name} {args}", set.id);
                let (outcome, looks) = run(set.id, &name, args, Mode::Untrusted).await;
                let told = join_text(&outcome.content);
                assert!(!outcome.is_error, "{what}: {told}");
                let seen = looks.previews.lock().unwrap();
                let [(shown, before), (_, after)] = &seen[..] else { panic!("{what}: asked once") };
                let shown = shown.as_ref().unwrap_or_else(|| panic!("{what}: nothing is shown"));
                // The same as the result shows afterwards,
                assert_eq!(*shown, tool.result_view(&told, outcome.details.as_ref()), "{what}");
                // and the same as what the files hold then.
                assert_ne!(before, after, "{what}");
                check_preview(shown, before, after, &what);
            }
        }
    }
}

fn check_preview(
    shown: &ResultView,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    what: &str,
) {
    let none = String::new();
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    let differ: Vec<&String> =
        before.keys().chain(after.keys()).filter(|name| before.get(*name) != after.get(*name)).collect();
    match shown {
        ResultView::Diff { lines: rows, .. } => {
            let name = differ[0];
            assert!(differ.iter().all(|other| *other == name), "{what}: {differ:?}");
            let made = apply_preview(before.get(name).unwrap_or(&none), rows, what);
            assert_eq!(made, lines(after.get(name).unwrap_or(&none)), "{what}");
        }
        ResultView::Diffs(all) => {
            let mut named = std::collections::BTreeSet::new();
            for one in all {
                let title = one.title.split_once(' ').unwrap().1;
                let (old, new) = title.split_once(" -> ").unwrap_or((title, title));
                let made = apply_preview(before.get(old).unwrap_or(&none), &one.lines, what);
                assert_eq!(made, lines(after.get(new).unwrap_or(&none)), "{what}: {title}");
                named.extend([old, new]);
            }
            assert!(differ.iter().all(|name| named.contains(name.as_str())), "{what}: {differ:?}");
            assert!(all.len() > 1, "{what}");
        }
        other => panic!("{what}: {other:?}"),
    }
}
