//! Every command there is, run on marked texts: with one cursor, and with several selections in text
//! of many kinds of characters. What comes of it stands in `tests/fixtures/commands-*.txt`, and a
//! command that is missing there fails the test: none is without cases.
//!
//! `COMMANDS_UPDATE=1` writes what comes of it now; the difference is to be read before it is kept.

use std::fmt::Write as _;
use std::time::Duration;

use bowline::ide::core::context::Command;
use bowline::ide::core::damage::Part;
use bowline::ide::core::layers::dialog::Dialog;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::core::layers::prompt::Prompt;
use bowline::ide::editor::modal::key_hooks;
use bowline::ide::features::agent_settings::layer::SettingsView;
use bowline::ide::features::comparison::view::ComparisonView;
use bowline::ide::features::context::view::ContextView;
use bowline::ide::features::diff::view::DiffView;
use bowline::ide::features::file_tree::filter::TreeFilter;
use bowline::ide::features::find::bar::FindBar;
use bowline::ide::features::key_editor::recorder::Recorder;
use bowline::ide::features::login::view::LoginView;
use bowline::ide::features::message_queue::layer::QueueView;
use bowline::ide::features::questions::view::QuestionsView;
use bowline::ide::features::restore::view::RestoreView;
use bowline::ide::features::review::view::ReviewView;
use bowline::ide::features::sessions::view::SessionView;
use bowline::ide::features::undo_tree::view::UndoView;
use bowline::ide::shell::catalog::CATALOG;
use bowline::ide::shell::input;
use bowline::text::marked;

use crate::source::root;
use crate::support::git::git;
use crate::support::test_ide::{IdeSetup, TestIde};

const VIM: &str = include_str!("../../keymaps/vim.toml");
const HELIX: &str = include_str!("../../keymaps/helix.toml");

/// One cursor; several selections, two of them backwards; a cursor in many things at once.
const TEXTS: [&str; 3] = [
    "fn one(á) {\n    tw|ö_threeFour 17 \"x y\"; \n}\n\nlast 漢字. End\n",
    "«Ünö» two2 (a)\n\tthr|ee (four) 9\n\n- »漢« tag fi«ve\nsi»x 10\nsix\n",
    "impl A {\n    fn f(é: u8) {\n        x([\"<b>'`tw|ö three`'</b>\"]);\n        // note 17\n    }\n}\n",
];

/// What the user keeps as snippets.
const SNIPPETS: &str = r#"{"one": {"body": "${1|a,é|} $2;"}}"#;

/// What makes the line of the cursor and the one above differ from git's.
const CHANGED_TEXT: &str = "é";

/// What is pressed before a command and after it, where it needs that to mean something.
const KEYS_AROUND: &[(&str, &str, &str)] = &[
    ("agent.cycle-thinking", "Alt-3", ""),
    ("agent.next-value", "F9 Down", ""),
    ("agent.previous-value", "F9 Down", ""),
    ("diff.reload", "é Alt-0 s", ""),
    ("diff.copy", "é Alt-0 s", ""),
    ("diff.left", "é Alt-0 s Right", ""),
    ("diff.next", "é Alt-0 s", ""),
    ("diff.previous", "é Alt-0 s", ""),
    ("diff.right", "é Alt-0 s", ""),
    ("diff.take", "é Alt-0 s", ""),
    ("diff.toggle-fold", "é Alt-0 s End", ""),
    ("diff.toggle-folds", "é Alt-0 s", ""),
    ("diff.toggle-sides", "é Alt-0 s", ""),
    ("diff.undo", "é Alt-0 s", ""),
    ("diff.with-disk", "é", ""),
    ("diff.with-head", "é", ""),
    ("diff.with-index", "é", ""),
    ("diff.with-revision", "é F4 Down", ""),
    ("diff.with-saved", "é", ""),
    ("edit.number-series", "Ctrl-Alt-Down", ""),
    ("edit.redo", "é Ctrl-z", ""),
    ("edit.repeat", "Alt-/", ""),
    ("edit.surround", "", "("),
    ("edit.surround-change", "", "\" ("),
    ("edit.surround-delete", "", "\""),
    ("edit.undo", "é", ""),
    ("edit.yank", "Ctrl-w", ""),
    ("edit.yank-pop", "Ctrl-w Right Ctrl-w Ctrl-y", ""),
    ("file.save-all", "é", ""),
    ("files.collapse", "Alt-1 Home Right", ""),
    ("files.create", "Alt-1 Home", ""),
    ("files.delete", "Alt-1 End", ""),
    ("files.expand", "Alt-1 Home", ""),
    ("files.open", "Alt-1 End", ""),
    ("files.filter", "Alt-1", ""),
    ("files.refresh", "Alt-1", ""),
    ("files.rename", "Alt-1 End", ""),
    ("fold.open-all", "Alt-, z F", ""),
    ("git.next-hunk", CHANGED_TEXT, ""),
    ("git.previous-hunk", CHANGED_TEXT, ""),
    ("git.revert-hunk", CHANGED_TEXT, ""),
    ("git.show-hunk", CHANGED_TEXT, ""),
    ("helix.find", "", "e"),
    ("helix.find-back", "", "n"),
    ("helix.flip", "w", ""),
    ("helix.normal", "i", ""),
    ("helix.put", "y", ""),
    ("helix.put-before", "y", ""),
    ("helix.redo", "d u", ""),
    ("helix.register", "", "a y"),
    ("helix.replace", "", "é"),
    ("helix.replace-with", "y w", ""),
    ("helix.till", "", "e"),
    ("helix.till-back", "", "n"),
    ("helix.undo", "d", ""),
    ("history.tree", "é", ""),
    ("jump.back", "Ctrl-End", ""),
    ("jump.forward", "Ctrl-End Alt-' o", ""),
    ("jump.newer-change", "é Down x Alt-' e Alt-' e", ""),
    ("jump.older-change", "é Ctrl-Home", ""),
    ("list.accept", "F1 u p p e r - c a s e", ""),
    ("list.bottom", "F1", ""),
    ("list.down", "F1", ""),
    ("list.page-down", "F1", ""),
    ("list.page-up", "F1 PageDown PageDown", ""),
    ("list.toggle", "F1", ""),
    ("list.top", "F1 PageDown", ""),
    ("list.up", "F1 Down Down", ""),
    ("macro.replay", "F7 é Left F7", ""),
    ("macro.replay-times", "F7 é Left F7", "3"),
    ("mark.go", "Alt-' s a Ctrl-Home", "a"),
    ("mark.set", "", "a"),
    ("prompt.down", "Alt-3 a Ctrl-j b Up", ""),
    ("prompt.up", "Alt-3 a Ctrl-j b", ""),
    ("register.copy", "", "a"),
    ("register.cut", "", "a"),
    ("register.put", "Ctrl-w", "\""),
    ("search.replace-all", "Right Ctrl-r e Tab é", ""),
    ("search.switch-field", "Ctrl-f", ""),
    ("search.next", "Right Ctrl-f e Enter Escape", ""),
    ("search.previous", "Right Ctrl-f e Enter Escape", ""),
    ("snippet.next-choice", "Alt-8 s Enter", ""),
    ("snippet.next-stop", "Alt-8 s Enter", ""),
    ("snippet.previous-stop", "Alt-8 s Enter Tab", ""),
    ("syntax.shrink", "Alt-v", ""),
    ("terminal.close", "Alt-4", ""),
    ("terminal.send-next-key", "Alt-4", ""),
    ("terminal.toggle", "Alt-4", ""),
    ("view.focus-editor", "Alt-3", ""),
    ("vim.around-comment", "j v", ""),
    ("vim.find", "", "e"),
    ("vim.find-again", "f e", ""),
    ("vim.find-again-back", "f e", ""),
    ("vim.find-back", "", "n"),
    ("vim.insert-last", "i é Escape j", ""),
    ("vim.insert-once", "i", "w"),
    ("vim.insert-register", "y l i", "\""),
    ("vim.mark", "m a j", "a"),
    ("vim.mark-line", "m a j", "a"),
    ("vim.newline", "i", ""),
    ("vim.normal", "i", ""),
    ("vim.other-corner", "Ctrl-v l", ""),
    ("vim.other-end", "v l", ""),
    ("vim.overtype-back", "R é", ""),
    ("vim.put", "y l", ""),
    ("vim.put-before", "y l", ""),
    ("vim.redo", "x u", ""),
    ("vim.register", "", "a y l"),
    ("vim.repeat", "x", ""),
    ("vim.replace", "", "é"),
    ("vim.set-mark", "", "a"),
    ("vim.till", "", "e"),
    ("vim.till-back", "", "n"),
    ("vim.undo", "x", ""),
    ("vim.upper", "", "w"),
    ("vim.visual-again", "v l Escape j", ""),
    ("window.close", "Alt-5 v", ""),
    ("window.down", "Alt-5 s Alt-5 Up", ""),
    ("window.even", "Alt-5 v Alt-5 >", ""),
    ("window.higher", "Alt-5 s", ""),
    ("window.left", "Alt-5 v", ""),
    ("window.lower", "Alt-5 s", ""),
    ("window.narrower", "Alt-5 v", ""),
    ("window.next", "Alt-5 v Ctrl-End", ""),
    ("window.only", "Alt-5 v", ""),
    ("window.right", "Alt-5 v Alt-5 Left", ""),
    ("window.up", "Alt-5 s", ""),
    ("window.wider", "Alt-5 v", ""),
];

/// What the session says to a command before the outcome is looked at: it answers when it likes.
const SESSION_EVENTS: &[(&str, &str)] = &[
    ("agent.cycle-model", "Model: "),
    ("agent.cycle-model-back", "Model: "),
    ("agent.cycle-thinking", "Thinking: "),
    ("agent.show-prompt", "This is the system prompt"),
];

/// Operators of the Vim map, which wait for a motion.
const OPERATORS: &[&str] = &[
    "change",
    "comment",
    "dedent",
    "delete",
    "format",
    "indent",
    "lower-case",
    "reindent",
    "switch-case",
    "upper-case",
    "yank",
];

/// What is pressed before a command and after it.
fn keys_around(id: &str) -> (&'static str, &'static str) {
    if let Some((_, before, after)) = KEYS_AROUND.iter().find(|(known, ..)| *known == id) {
        return (before, after);
    }
    match id.strip_prefix("vim.") {
        Some(object) if object.starts_with("around-") || object.starts_with("inside-") => ("v", ""),
        Some(operator) if OPERATORS.contains(&operator) => ("", "w"),
        Some(typed) if typed.starts_with("erase-") || typed.starts_with("overtype") => ("i é", ""),
        _ => ("", ""),
    }
}

/// Whether a command asks git.
fn wants_git(id: &str) -> bool {
    id.starts_with("git.") || matches!(id, "diff.with-head" | "diff.with-index")
}

async fn ide(id: &str, text: &str) -> TestIde {
    let (text, selection) = marked::parse(text);
    let plan = match id.split('.').next() {
        Some("vim") => IdeSetup::new().keymap(VIM),
        Some("helix") => IdeSetup::new().keymap(HELIX),
        _ => IdeSetup::new().config_file("snippets/rust.json", SNIPPETS),
    };
    let plan = plan.with("größe.rs", text.to_string());
    let plan = match id {
        "file.next" | "file.previous" => plan.with("b.txt", "b\n"),
        _ => plan.file("b.txt", "b\n"),
    };
    let plan = plan.file("src/a.txt", "").model("other");
    let plan = if wants_git(id) { plan.git_committed().expect("git") } else { plan };
    let mut ide = plan.size(72, 14).start().await;
    ide.keys("Alt-2").await;
    ide.state().buffers.current_mut().unwrap().area.selection = selection;
    ide.state().damage.add_all();
    ide
}

fn shown_text(ide: &mut TestIde) -> Option<String> {
    let buffer = ide.state().buffers.current()?;
    if let Some((title, _)) = buffer.builtin {
        // What it says is tested elsewhere.
        return Some(format!("the text {title}"));
    }
    Some(marked::show(buffer.area.text(), &buffer.area.selection))
}

/// What is to be seen beside the text.
fn visible_extras(ide: &mut TestIde) -> Vec<(&'static str, String)> {
    let state = ide.state();
    let layers = &state.layers;
    let picker =
        layers.top::<Picker>().map(|picker| format!("picker {} at {}", picker.spec.id, picker.selected));
    let prompt = layers.top::<Prompt>();
    let prompt =
        prompt.map(|prompt| format!("prompt {:?} {:?}", prompt.title, prompt.answer.text().to_string()));
    let dialog = layers.top::<Dialog>().map(|dialog| format!("dialog {}", dialog.title));
    let undo = layers.top::<UndoView>().map(|_| "Undo tree".to_string());
    let diff = layers.top::<DiffView>();
    let diff = diff.map(|view| format!("differences from {}: {:?}", view.old_name, view.counts()));
    let session = layers.top::<SessionView>().map(|view| format!("session tree {}", view.filter.name()));
    let context = layers.top::<ContextView>().map(|view| format!("the next request at {}", view.selected));
    let login = layers.top::<LoginView>().map(|view| format!("login {}", view.name));
    let questions = layers.top::<QuestionsView>().map(|view| format!("question {}", view.question().text));
    let restore = layers.top::<RestoreView>().map(|view| format!("way back {:?}", view.preview.target));
    let review = layers.top::<ReviewView>().map(|_| "review".to_string());
    let filter = layers.top::<TreeFilter>().map(|_| "filter of the file tree".to_string());
    let find = layers.top::<FindBar>();
    let find = find
        .map(|bar| format!("find {:?} {:?} {}", bar.query.text().to_string(), bar.field, bar.is_replacing));
    let settings = layers.top::<SettingsView>().map(|view| format!("settings at {}", view.selected));
    let comparison = layers.top::<ComparisonView>().map(|view| format!("comparison at {}", view.selected));
    let keys = layers.top::<Recorder>().map(|recorder| format!("keys {:?}", recorder.keys));
    let queue = layers.top::<QueueView>().map(|view| format!("queued messages at {}", view.selected));
    let all = [
        picker, prompt, dialog, undo, diff, session, context, login, questions, restore, review, queue,
        settings, find, filter, comparison, keys,
    ];
    let top = all.into_iter().flatten().next();
    assert_eq!(top.is_none(), layers.is_empty(), "a layer that this test does not know");
    let mut seen = vec![
        ("shows", top.unwrap_or_default()),
        ("mode", format!("{:?}", state.modal.mode)),
        ("keys go to", format!("{:?}", state.panes.focus)),
        ("panes", format!("{:?}", state.panes)),
        ("windows", format!("{:?}", state.windows.shape())),
        ("look", format!("{:?}, {:?}", state.display, state.search.options)),
        ("quits", state.quit.to_string()),
        ("waits", format!("{:?}", state.pending_char)),
    ];
    let picture = ide.picture();
    seen.push(("screen", picture));
    seen
}

/// What became of a text, in one line.
async fn outcome(command: &Command, text: &str) -> String {
    let mut ide = ide(command.id, text).await;
    let (before, after) = keys_around(command.id);
    // One after the other: a list that is still being filled has no rows to go through.
    for key in before.split_whitespace() {
        ide.keys(key).await;
    }
    if wants_git(command.id) {
        ide.advance(Duration::from_secs(2));
        ide.headless.idle().await;
    }
    let (was, beside) = (shown_text(&mut ide), visible_extras(&mut ide));
    ide.headless.app().with_cx(|cx| {
        input::run(cx, command);
        key_hooks::after_key(cx, None);
        cx.state.damage.add(Part::Status);
    });
    ide.headless.idle().await;
    if let Some((_, said)) = SESSION_EVENTS.iter().find(|(known, _)| *known == command.id) {
        ide.wait_for(said, |state| state.status.message.contains(said)).await;
    }
    ide.keys(after).await;
    let mut told = Vec::new();
    let is = shown_text(&mut ide);
    if is != was {
        told.push(is.map_or("no file".to_string(), |is| format!("{is:?}")));
    }
    if !ide.status_message().is_empty() {
        told.push(format!("says {:?}", ide.status_message()));
    }
    for ((what, was), (_, is)) in beside.into_iter().zip(visible_extras(&mut ide)) {
        match what {
            _ if was == is => {}
            // Only where nothing else tells what has happened.
            "screen" if !told.is_empty() => {}
            "screen" => {
                let differs = |(was, is): &(&str, &str)| was != is;
                let row = was.lines().zip(is.lines()).find(differs).map(|(_, is)| is.trim().to_string());
                told.push(format!("screen {}", row.unwrap_or_default()));
            }
            "look" => told.push(format!("look {}", changed_fields(&was, &is))),
            what => told.push(format!("{what} {is}").trim_end().to_string()),
        }
    }
    if told.is_empty() {
        told.push("nothing".to_string());
    }
    let home = ide.path("").parent().unwrap().display().to_string();
    told.join(", ").replace(&home, "HOME")
}

/// The words of a list that are others now.
fn changed_fields(was: &str, is: &str) -> String {
    let pairs = was.split(", ").zip(is.split(", ")).filter(|(was, is)| was != is);
    pairs.map(|(_, is)| is).collect::<Vec<_>>().join(", ")
}

/// The cases of the commands that a test is about.
async fn cases(wanted: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let mut commands: Vec<&Command> = CATALOG.commands().collect();
    commands.sort_by_key(|command| command.id);
    for command in commands.into_iter().filter(|command| wanted(command.id)) {
        let (before, after) = keys_around(command.id);
        let keys = [("", before), ("… ", after)].map(|(sign, keys)| format!("{sign}{keys}"));
        let keys = if before.is_empty() && after.is_empty() {
            String::new()
        } else {
            format!("  ({})", keys.join(" ").trim())
        };
        writeln!(out, "{}{keys}", command.id).unwrap();
        for text in TEXTS {
            writeln!(out, "    {}", Box::pin(outcome(command, text)).await).unwrap();
        }
    }
    out
}

/// Compares the cases of a part of the commands with those that are kept, or keeps them.
async fn check(part: &str, wanted: impl Fn(&str) -> bool) {
    let now = cases(wanted).await;
    let path = root().join(format!("tests/fixtures/commands-{part}.txt"));
    if std::env::var_os("COMMANDS_UPDATE").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let rows = kept.lines().zip(now.lines()).enumerate().find(|(_, (kept, now))| kept != now);
    assert!(rows.is_none(), "{}: {rows:?}", path.display());
    assert_eq!(kept.lines().count(), now.lines().count(), "{} has other commands", path.display());
}

#[tokio::test]
async fn vim_commands_match_fixture() {
    check("vim", |id| id.starts_with("vim.")).await;
}

#[tokio::test]
async fn helix_commands_match_fixture() {
    check("helix", |id| id.starts_with("helix.")).await;
}

#[tokio::test]
async fn editing_commands_match_fixture() {
    check("edit", |id| id.starts_with("edit.") || id.starts_with("select.") || id.starts_with("move.")).await;
}

#[tokio::test]
async fn other_commands_match_fixture() {
    if !git(&root(), &["--version"]) {
        return;
    }
    let others = ["vim.", "helix.", "edit.", "select.", "move."];
    check("others", |id| !others.iter().any(|area| id.starts_with(area))).await;
}
