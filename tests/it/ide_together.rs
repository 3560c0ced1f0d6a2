//! A user and the agent in the same files: each sees what the other does, and no key and no
//! edit of either is lost.

use std::sync::Arc;

use bowline::exec::local::LocalEnvironment;
use bowline::exec::{EnvError, Environment, Stamp};
use bowline::ide::core::context::Tasks;
use bowline::ide::core::event::Event;
use bowline::ide::core::tasks::threads::Threads;
use bowline::ide::features::files::environment::{AGENT_EDIT, BufferEnvironment};
use bowline::llm::model::Request;
use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};
use crate::support::written_by_agent::{environment, serve};

fn edit(id: &str, path: &str, old: &str, new: &str) -> Turn {
    Turn::call(id, "edit", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
}

/// What a request carries, in one text.
fn request_text(request: &Request) -> String {
    request
        .messages
        .iter()
        .map(|message| serde_json::to_string(message).unwrap())
        .collect::<Vec<_>>()
        .concat()
}

fn mark_count(ide: &mut TestIde) -> usize {
    ide.state().buffers.current().unwrap().area.document.marks().all().len()
}

#[tokio::test]
async fn agent_edit_of_open_file_is_one_undo_step_with_mark() {
    let edits = json!([{"oldText": "two", "newText": "2"}, {"oldText": "four\n", "newText": "4\nfive\n"}]);
    let turns = [Turn::call("c1", "edit", json!({"path": "a.txt", "edits": edits})), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree\nfour\n").turns(turns).start().await;
    ide.prompt("digits please").await;
    assert_eq!(ide.text(), "one\n2\nthree\n4\nfive\n");
    assert_eq!(ide.file_text("a.txt"), ide.text(), "what was edited is on disk for commands to see");
    assert!(mark_count(&mut ide) > 0);
    ide.keys("Alt-2").await;
    let picture = ide.picture();
    let row = |n: &str| picture.lines().find(|line| line.contains(n)).unwrap_or_default().to_string();
    assert!(row(" 2 2").contains('▌') || row(" 2 2").contains('┃'), "{picture}");
    assert!(!row(" 1 one").contains('▌') && !row(" 1 one").contains("┃ "), "{picture}");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one\ntwo\nthree\nfour\n");
    ide.keys("Alt-z Alt-x").await;
    ide.type_in("agent.accept-edits").await;
    ide.keys("Enter").await;
    assert_eq!((ide.text().as_str(), mark_count(&mut ide)), ("one\n2\nthree\n4\nfive\n", 0));
}

#[tokio::test]
async fn agent_edit_sees_and_keeps_unsaved_text() {
    let turns = [
        Turn::call("c1", "read", json!({"path": "a.txt"})),
        edit("c2", "a.txt", "two", "2"),
        Turn::text("done"),
    ];
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").turns(turns).start().await;
    ide.type_in("unsaved ").await;
    ide.prompt("look and change").await;
    assert!(request_text(&ide.script.requests()[1]).contains("unsaved one"));
    assert_eq!(ide.text(), "unsaved one\n2\n");
    ide.keys("Alt-2 Ctrl-z").await;
    assert_eq!(ide.text(), "unsaved one\ntwo\n", "the person's own edit is another step");
}

#[tokio::test]
async fn agent_edit_keeps_text_typed_meanwhile() {
    with_task_orders(async || {
        // A key after every number of events: some of them fall between the tool's read and its
        // write, and the tool begins anew.
        for events in 0..24 {
            let turns = [edit("c1", "a.txt", "two", "2"), Turn::text("done")];
            let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").turns(turns).start().await;
            ide.send_prompt("change it").await;
            ide.headless.press("Alt-2");
            let seen = std::cell::Cell::new(0);
            ide.wait_for("some events", |_| seen.replace(seen.get() + 1) >= events).await;
            ide.type_without_settling("x");
            ide.headless.idle().await;
            assert_eq!(ide.text(), "xone\n2\n", "after {events}");
        }
    })
    .await;
}

#[tokio::test]
async fn agent_write_with_stale_stamp_is_rejected() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").start().await;
    let (env, mut events) = environment(&ide);
    let path = ide.path("a.txt");
    let read = serve(&mut ide, &mut events, env.read(&path), |_| ()).await.unwrap();
    ide.type_without_settling("x");
    let write = env.write(&path, b"one\n2\n".to_vec(), Some(read.stamp));
    assert!(matches!(serve(&mut ide, &mut events, write, |_| ()).await, Err(EnvError::Stale(_))));
    assert_eq!((ide.text().as_str(), ide.file_text("a.txt").as_str()), ("xone\ntwo\n", "one\ntwo\n"));
}

#[tokio::test]
async fn agent_command_change_reloads_unmodified_file() {
    let turns = [Turn::call("c1", "bash", json!({"command": "echo new > a.txt"})), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "old\n").policy(Mode::Full).turns(turns).start().await;
    ide.prompt("change it").await;
    assert_eq!(ide.text(), "new\n");
    ide.keys("Alt-2 Ctrl-z").await;
    assert_eq!(ide.text(), "old\n");
}

#[tokio::test]
async fn agent_command_change_keeps_unsaved_text() {
    let turns = [Turn::call("c1", "bash", json!({"command": "echo new > a.txt"})), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "old\n").policy(Mode::Full).turns(turns).start().await;
    ide.type_in("x").await;
    ide.prompt("change it").await;
    assert_eq!((ide.text().as_str(), ide.file_text("a.txt").as_str()), ("xold\n", "new\n"));
    assert!(ide.status_message().contains("Changed on disk"), "{}", ide.status_message());
}

#[tokio::test]
async fn agent_edit_does_not_overwrite_external_change() {
    let turns = [edit("c1", "a.txt", "two", "2"), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").turns(turns).start().await;
    ide.type_in("x").await;
    ide.write_file("a.txt", "from elsewhere\n");
    ide.prompt("change it").await;
    assert_eq!(ide.file_text("a.txt"), "from elsewhere\n");
    assert_eq!(ide.text(), "xone\ntwo\n", "an edit that cannot be written is taken back");
    assert!(request_text(&ide.script.requests()[1]).contains("nothing was written"));
}

#[tokio::test]
async fn agent_edit_without_permission_is_undone() {
    let turns = [edit("c1", "a.txt", "two", "2"), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").unwritable("a.txt").turns(turns).start().await;
    ide.prompt("change it").await;
    assert_eq!((ide.text().as_str(), ide.file_text("a.txt").as_str()), ("one\ntwo\n", "one\ntwo\n"));
    assert!(!ide.picture().contains("a.txt ●"));
    assert!(request_text(&ide.script.requests()[1]).contains("permission denied"));
}

#[tokio::test]
async fn agent_write_without_change_failed_undoes_nothing() {
    let same = Turn::call("c1", "write", json!({"path": "a.txt", "content": "xone\n"}));
    let plan = IdeSetup::new().with("a.txt", "one\n").unwritable("a.txt");
    let mut ide = plan.turns([same, Turn::text("done")]).start().await;
    ide.type_in("x").await;
    ide.prompt("write it").await;
    assert!(request_text(&ide.script.requests()[1]).contains("permission denied"));
    assert_eq!(ide.text(), "xone\n", "the user's edit stays");
    ide.keys("Alt-2 Ctrl-z").await;
    assert_eq!(ide.text(), "one\n");
}

/// Writes through the environment of the open files and types one key as soon as the edit is in
/// the text and before it is on disk.
async fn write_and_type(ide: &mut TestIde, content: &[u8]) -> Result<Stamp, EnvError> {
    let (sender, mut events) = mpsc::channel(8);
    let tasks = Tasks::new(Threads::from_handle(tokio::runtime::Handle::current()), Arc::new(sender));
    let local = LocalEnvironment::new(ide.path(""), std::iter::empty());
    let path = ide.path("a.txt");
    let asked = async {
        while let Some(event) = events.recv().await {
            let is_edit = matches!(&event, Event::Done(done) if done.name() == AGENT_EDIT);
            ide.headless.app().handle(event);
            if is_edit {
                ide.type_without_settling("x");
            }
        }
    };
    let work = async move {
        BufferEnvironment::new(Arc::new(local), tasks).write(&path, content.to_vec(), None).await
    };
    tokio::join!(work, asked).0
}

#[tokio::test]
async fn agent_edit_failed_is_undone_without_user_edit() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").start().await;
    ide.write_file("a.txt", "from elsewhere\n");
    let written = write_and_type(&mut ide, b"one\n2\n").await;
    assert!(matches!(written, Err(EnvError::Stale(_))), "{written:?}");
    assert_eq!(ide.text(), "xone\ntwo\n", "the key stays and the agent's edit does not");
    assert!(ide.state().buffers.current().unwrap().is_unsaved());
}

#[tokio::test]
async fn agent_write_while_user_types_saves_agent_text() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").start().await;
        write_and_type(&mut ide, b"one\n2\n").await.unwrap();
        assert_eq!((ide.text().as_str(), ide.file_text("a.txt").as_str()), ("xone\n2\n", "one\n2\n"));
        let unsaved = |ide: &mut TestIde| ide.state().buffers.current().unwrap().is_unsaved();
        assert!(unsaved(&mut ide));
        ide.keys("Ctrl-z").await;
        assert_eq!((ide.text().as_str(), unsaved(&mut ide)), ("one\n2\n", false));
        ide.keys("Ctrl-z").await;
        assert_eq!((ide.text().as_str(), unsaved(&mut ide)), ("one\ntwo\n", true));
    })
    .await;
}

#[tokio::test]
async fn agent_write_sets_bom_and_line_endings() {
    // By the tool's own name of a mark: the first character of the content.
    for (before, after) in [
        ("one\ntwo\n", "\u{feff}one\ntwo\n"),
        ("\u{feff}one\ntwo\n", "one\ntwo\n"),
        ("\u{feff}one\r\ntwo\r\n", "one\ntwo\nthree\n"),
        ("one\ntwo\n", "one\r\ntwo\r\n"),
    ] {
        let mut ide = IdeSetup::new().with("a.txt", before).start().await;
        let (env, mut events) = environment(&ide);
        let path = ide.path("a.txt");
        let write = env.write(&path, after.as_bytes().to_vec(), None);
        serve(&mut ide, &mut events, write, |_| ()).await.unwrap();
        assert_eq!(ide.file_text("a.txt"), after);
        assert!(!ide.state().buffers.current().unwrap().is_unsaved(), "{after:?}");
        // Enter and save by the user: mark and endings are those of the written file.
        ide.keys("Ctrl-End Enter Ctrl-s").await;
        let ending = if after.contains("\r\n") { "\r\n" } else { "\n" };
        assert_eq!(ide.file_text("a.txt"), format!("{after}{ending}"));
        ide.keys("Ctrl-z Ctrl-z Ctrl-s").await;
        if before.trim_start_matches('\u{feff}') != after.trim_start_matches('\u{feff}') {
            assert_eq!(ide.file_text("a.txt"), before, "undo brings mark and endings back with the text");
        }
    }
}

#[tokio::test]
async fn agent_write_of_bom_failed_keeps_format() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.write_file("a.txt", "from elsewhere\n");
    let (env, mut events) = environment(&ide);
    let path = ide.path("a.txt");
    let content = "\u{feff}one\n".as_bytes().to_vec();
    serve(&mut ide, &mut events, env.write(&path, content, None), |_| ()).await.unwrap_err();
    assert!(!ide.state().buffers.current().unwrap().area.document.format().bom);
}

#[tokio::test]
async fn agent_grep_finds_unsaved_text() {
    let turns = [
        Turn::call("c1", "grep", json!({"pattern": "unsaved"})),
        Turn::call("c2", "grep", json!({"pattern": "^one"})),
        Turn::text("done"),
    ];
    let plan = IdeSetup::new().tools(&["read", "grep"]).with("a.txt", "one\ntwo\n").file("b.txt", "one\n");
    let mut ide = plan.turns(turns).start().await;
    ide.type_in("unsaved ").await;
    ide.prompt("look for it").await;
    let requests = ide.script.requests();
    assert!(request_text(&requests[1]).contains("a.txt:1: unsaved one"), "{}", request_text(&requests[1]));
    let last = request_text(&requests[2]);
    assert!(last.contains("b.txt:1: one") && !last.contains("a.txt:1: one"), "{last}");
}

#[tokio::test]
async fn agent_edit_through_symlink_changes_open_buffer() {
    let turns = [edit("c1", "link.txt", "two", "2"), Turn::text("done")];
    let plan = IdeSetup::new().with("a.txt", "one\ntwo\n");
    let mut ide = plan.turns(turns).start().await;
    std::os::unix::fs::symlink(ide.path("a.txt"), ide.path("link.txt")).unwrap();
    ide.type_in("x").await;
    ide.prompt("change it").await;
    assert_eq!(ide.text(), "xone\n2\n");
    ide.keys("Alt-2 Ctrl-o").await;
    ide.type_in("link.txt").await;
    ide.keys("Enter").await;
    assert_eq!(ide.state().buffers.all().len(), 1, "one file is one text, whatever its name");
}

#[tokio::test]
async fn agent_new_file_appears_in_tree() {
    let turns =
        [Turn::call("c1", "write", json!({"path": "made.txt", "content": "made\n"})), Turn::text("done")];
    let mut ide = IdeSetup::new().turns(turns).size(120, 30).start().await;
    ide.prompt("make it").await;
    let (x, y) = ide.find(" made.txt");
    assert!(x < 20, "in the tree");
    ide.click(x + 2, y);
    ide.headless.idle().await;
    assert_eq!(ide.text(), "made\n");
}

#[tokio::test]
async fn agent_write_of_open_new_file_can_be_undone() {
    with_task_orders(async || {
        let turns =
            [Turn::call("c1", "write", json!({"path": "new.txt", "content": "agent\n"})), Turn::text("done")];
        let mut ide = IdeSetup::new().open("new.txt").turns(turns).start().await;
        ide.type_in("person").await;
        ide.prompt("make it").await;
        ide.keys("Alt-2").await;
        // The agent wrote the text that is open: one undo brings the user's back.
        assert_eq!(ide.text(), "agent\n");
        ide.keys("Ctrl-z").await;
        assert!(ide.text().starts_with("person"));
    })
    .await;
}
