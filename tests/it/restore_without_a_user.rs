//! Ways back past what the user changed in between, past what failed, and past agents that work on.

use std::path::Path;

use bowline::agent::AgentEvent;
use bowline::base::clock::SystemClock;
use bowline::base::ids::RandomIds;
use bowline::runtime::restore::target::RestoreScope;
use bowline::runtime::{Options, RuntimeEvent, SessionChoice};
use bowline::session::Session;
use bowline::session::restore::checkpoints::{self, When};
use bowline::workspace::checkpoint::Decisions;

use crate::support::family::{FAMILIES, FamilySession};
use crate::support::process::wait_until;
use crate::support::recorded_session::{RecordedSession, TestHome, bash_turn, done_turn};
use crate::support::server::{Piece, Reply};

async fn restore_entry(
    rig: &RecordedSession,
    entry: &str,
    what: RestoreScope,
) -> bowline::runtime::restore::target::Restored {
    let restored = rig.handle.restore(entry, what, Decisions::new()).await.unwrap();
    assert!(restored.applied.failed.is_empty(), "{:?}", restored.applied);
    restored
}

#[tokio::test]
async fn restore_keeps_user_edits_between_turns() {
    let place = TestHome::new();
    place.write_file("b.txt", "old\n");
    place.write_file("c.txt", "1\n2\n3\n4\n5\n");
    let turns = vec![
        bash_turn("c1", "echo 1 > a.txt; sed -i s/1/one/ c.txt; echo 1 > d.txt"),
        done_turn(),
        bash_turn("c2", "echo 2 > a.txt"),
        done_turn(),
    ];
    let mut rig = place.start(turns).await;
    rig.run("first").await;
    place.write_file("b.txt", "mine\n");
    place.write_file("c.txt", "one\n2\n3\n4\nfive\n");
    place.write_file("d.txt", "mine, too\n");
    place.write_file("own.txt", "mine alone\n");
    rig.run("second").await;
    let texts = || ["a.txt", "b.txt", "c.txt", "d.txt", "own.txt"].map(|name| place.read_file(name));
    let before = texts();
    let restored = restore_entry(&rig, &rig.user_entry_id("first").await, RestoreScope::Code).await;
    assert_eq!(texts(), ["-", "mine\n", "1\n2\n3\n4\nfive\n", "mine, too\n", "mine alone\n"]);
    let conflicts: Vec<String> = restored.conflicts.iter().map(|c| c.name.to_string()).collect();
    assert_eq!(conflicts, ["d.txt"], "what both changed is asked about");
    restore_entry(&rig, &restored.undo.unwrap(), RestoreScope::Code).await;
    assert_eq!(texts(), before, "and the way back goes back");
}

#[tokio::test]
async fn restore_keeps_user_edits_across_branches() {
    let place = TestHome::new();
    place.write_file("own.txt", "old\n");
    let turns = vec![
        bash_turn("c1", "echo start > f; echo x > x"),
        done_turn(),
        bash_turn("c2", "echo left > f; rm x"),
        done_turn(),
        bash_turn("c3", "echo right > f; echo y > y"),
        done_turn(),
    ];
    let mut rig = place.start(turns).await;
    rig.run("start").await;
    let start = rig.last_entry_id().await;
    rig.run("left").await;
    let left = rig.last_entry_id().await;
    place.write_file("own.txt", "mine\n");
    restore_entry(&rig, &start, RestoreScope::Both).await;
    assert_eq!((place.read_file("f"), place.read_file("own.txt")), ("start\n".into(), "mine\n".into()));
    rig.run("right").await;
    let right = rig.last_entry_id().await;
    place.write_file("own.txt", "mine again\n");
    for _ in 0..3 {
        for (to, texts) in [(&left, ["left\n", "-", "-"]), (&right, ["right\n", "x\n", "y\n"])] {
            let gone = restore_entry(&rig, to, RestoreScope::Both).await;
            assert!(gone.conflicts.is_empty(), "{gone:?}");
            assert_eq!(["f", "x", "y"].map(|name| place.read_file(name)), texts);
            assert_eq!(place.read_file("own.txt"), "mine again\n");
        }
    }
}

#[tokio::test]
async fn restore_files_after_conversation_only_navigation() {
    let place = TestHome::new();
    let turns = vec![bash_turn("c1", "echo 1 > a"), done_turn(), bash_turn("c2", "echo 2 > b"), done_turn()];
    let mut rig = place.start(turns).await;
    rig.run("first").await;
    let first = rig.user_entry_id("first").await;
    restore_entry(&rig, &first, RestoreScope::Conversation).await;
    rig.run("other").await;
    assert_eq!((place.read_file("a"), place.read_file("b")), ("1\n".into(), "2\n".into()));
    restore_entry(&rig, &first, RestoreScope::Code).await;
    assert_eq!((place.read_file("a"), place.read_file("b")), ("-".into(), "-".into()));
}

#[tokio::test]
async fn checkpoint_after_failed_snapshot_is_recorded() {
    let place = TestHome::new();
    let mut rig = place
        .start(vec![
            bash_turn(
                "c1",
                "P=$(echo ../home/data/checkpoints/*/objects); echo 1 > a; mv $P/pack $P/away; touch $P/pack",
            ),
            done_turn(),
            bash_turn("c2", "echo 2 > a"),
            done_turn(),
        ])
        .await;
    rig.run("first").await;
    assert_eq!(rig.notices.len(), 1, "{:?}", rig.notices);
    assert!(rig.notices[0].contains("cannot be restored"), "{:?}", rig.notices);
    let stores = place.dir.path().join("home/data/checkpoints");
    let objects = std::fs::read_dir(stores).unwrap().next().unwrap().unwrap().path().join("objects");
    std::fs::remove_file(objects.join("pack")).unwrap();
    std::fs::rename(objects.join("away"), objects.join("pack")).unwrap();
    rig.run("second").await;
    let kinds = rig.entry_kinds().await;
    assert!(kinds.ends_with("before message after message"), "it was tried again: {kinds}");
    restore_entry(&rig, &rig.user_entry_id("second").await, RestoreScope::Code).await;
    assert_eq!(place.read_file("a"), "1\n");
    restore_entry(&rig, &rig.user_entry_id("first").await, RestoreScope::Code).await;
    assert_eq!(place.read_file("a"), "-");
}

#[tokio::test]
async fn checkpoint_store_is_created_once_possible() {
    let place = TestHome::new();
    let data = place.dir.path().join("home/data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("checkpoints"), "in the way").unwrap();
    let mut rig = place
        .start(vec![bash_turn("c1", "echo 1 > a"), done_turn(), bash_turn("c2", "echo 2 > a"), done_turn()])
        .await;
    rig.run("first").await;
    assert_eq!(rig.notices.len(), 1, "{:?}", rig.notices);
    std::fs::remove_file(data.join("checkpoints")).unwrap();
    rig.run("second").await;
    restore_entry(&rig, &rig.user_entry_id("second").await, RestoreScope::Code).await;
    assert_eq!(place.read_file("a"), "1\n");
}

#[tokio::test]
async fn restore_undo_survives_restart() {
    let place = TestHome::new();
    let mut rig = place.start(vec![bash_turn("c1", "echo 1 > a"), done_turn()]).await;
    rig.run("go").await;
    let undo = restore_entry(&rig, &rig.user_entry_id("go").await, RestoreScope::Code).await.undo;
    let file = rig.session().await.file().unwrap().to_path_buf();
    rig.handle.shutdown().await;
    let choice = SessionChoice::Open(file);
    let rig = place.start_with(vec![], |options| Options { session: choice, ..options }).await;
    let (snapshot, _) = rig.handle.subscribe().await.unwrap();
    assert_eq!(snapshot.undo_entry, undo);
    restore_entry(&rig, &undo.unwrap(), RestoreScope::Code).await;
    assert_eq!(place.read_file("a"), "1\n");
}

fn with_checkpoints(options: Options) -> Options {
    Options { checkpoints: true, session: SessionChoice::New, ..options }
}

fn open_stored(file: &Path) -> Session {
    Session::open_read_only(file, SystemClock::shared(), RandomIds::shared()).unwrap()
}

/// How the last state was recorded, and whether agents were at work then.
fn last_state(file: &Path) -> (When, bool) {
    let last = checkpoints::last_recorded(open_stored(file).tree()).unwrap();
    (last.at, last.busy)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoint_is_final_after_shutdown_with_subagent() {
    let family = FAMILIES[1];
    let replies = vec![family.parts_reply(vec![family.spawn("c1", "work")]), family.text_reply(&["done"])];
    let wait = "touch begun; while [ ! -e go ]; do sleep 0.01; done";
    let delegated = vec![family.parts_reply(vec![family.shell("d1", wait)]), family.text_reply(&["ready"])];
    let mut stage = FamilySession::with_options(family, replies, delegated, with_checkpoints).await;
    stage.run("go").await;
    wait_until("the agent works", || stage.work().join("begun").exists()).await;
    let file = stage.handle.snapshot().await.unwrap().file.unwrap();
    stage.handle.shutdown().await;
    assert_eq!(last_state(&file), (When::After, false), "what a person changes now is his");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoint_is_final_after_abort_with_subagent() {
    let family = FAMILIES[1];
    let held = Reply::Stream(vec![Piece::Gate]);
    let replies = vec![family.parts_reply(vec![family.spawn("c1", "work")]), held];
    let work = family.shell("d1", "while [ ! -e go ]; do sleep 0.01; done; echo theirs > late.txt");
    let delegated = vec![family.parts_reply(vec![work]), family.text_reply(&["ready"])];
    let stage = FamilySession::with_options(family, replies, delegated, with_checkpoints).await;
    let (_, mut events) = stage.handle.subscribe().await.unwrap();
    stage.send("go");
    // Of each two of its own, but the second of the agent, who waits.
    stage.server.wait_for_requests(3);
    stage.write_file("go", "");
    let ended = |event: &RuntimeEvent| {
        matches!(event, RuntimeEvent::Subagent { event: AgentEvent::AgentEnd { .. }, .. })
    };
    while !ended(&events.recv().await.unwrap()) {}
    stage.handle.abort();
    let over = |event: &RuntimeEvent| matches!(event, RuntimeEvent::Agent(AgentEvent::AgentEnd { .. }));
    while !over(&events.recv().await.unwrap()) {}
    // Asked behind the end, so answered when everything of it is done.
    let file = stage.handle.snapshot().await.unwrap().file.unwrap();
    assert_eq!(last_state(&file), (When::After, false), "what a person changes now is his");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restore_waits_for_subagent_and_reverts_its_changes() {
    let family = FAMILIES[1];
    let first = vec![family.shell("c1", "echo mine > main.txt"), family.spawn("c2", "work")];
    let replies = vec![family.parts_reply(first), family.text_reply(&["done"])];
    let wait = "touch begun; while [ ! -e go ]; do sleep 0.01; done; echo theirs > late.txt";
    let delegated = vec![family.parts_reply(vec![family.shell("d1", wait)]), family.text_reply(&["ready"])];
    let mut stage = FamilySession::with_options(family, replies, delegated, with_checkpoints).await;
    let (_, mut events) = stage.handle.subscribe().await.unwrap();
    stage.run("go").await;
    wait_until("the agent works", || stage.work().join("begun").exists()).await;
    let (snapshot, _) = stage.handle.subscribe().await.unwrap();
    let session = || open_stored(snapshot.file.as_ref().unwrap());
    let said = session();
    let prompt = said.entries().find(|entry| entry.kind() == "message").unwrap().id().to_string();
    let refused = stage.handle.restore(&prompt, RestoreScope::Code, Decisions::new()).await.unwrap_err();
    assert!(refused.to_string().contains("still working"), "{refused}");
    stage.write_file("go", "");
    let ended = |event: &RuntimeEvent| {
        matches!(event, RuntimeEvent::Subagent { event: AgentEvent::AgentEnd { .. }, .. })
    };
    while !ended(&events.recv().await.unwrap()) {}
    stage.handle.restore(&prompt, RestoreScope::Code, Decisions::new()).await.unwrap();
    let there = |name: &str| stage.work().join(name).exists();
    assert_eq!((there("main.txt"), there("begun"), there("late.txt")), (false, false, false));
    let last = checkpoints::last_recorded(session().tree()).unwrap();
    assert_eq!(last.at, When::Restored);
}
