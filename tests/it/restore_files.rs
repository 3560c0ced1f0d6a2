//! Sessions that know how the files were: what the agent's turns changed comes back, what the user changed stays.

use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::llm::providers::scripted::Turn;
use bowline::runtime::restore::target::{RestoreScope, RestoreTarget};
use bowline::runtime::{Options, RuntimeEvent, SessionChoice};
use bowline::session::restore::checkpoints::{self, When};
use bowline::workspace::checkpoint::{Decision, Decisions, Name};
use serde_json::json;

use crate::support::recorded_session::{TestHome, bash_turn, done_turn};

#[tokio::test]
async fn restore_to_any_entry_can_be_undone() {
    let place = TestHome::new();
    place.write_file("b.txt", "mine\n");
    let turns = vec![
        bash_turn("c1", "printf one > a.txt"),
        bash_turn("c2", "printf two > a.txt; mkdir d; printf x > d/x; chmod 700 d/x"),
        done_turn(),
        bash_turn("c3", "rm b.txt d/x; rmdir d; printf three > a.txt"),
        done_turn(),
    ];
    let mut rig = place.start(turns).await;
    rig.run("first").await;
    rig.run("second").await;
    let expected = "message message before message after message before message after message message message \
                    before message after message";
    assert_eq!(rig.entry_kinds().await, expected);
    let preview =
        rig.handle.preview_restore_to(&rig.user_entry_id("second").await, RestoreScope::Code).await.unwrap();
    let shown: Vec<String> = preview
        .files
        .iter()
        .map(|file| {
            let diff = file.diff.as_ref().unwrap();
            format!("{} +{} -{}", file.name, diff.added, diff.removed)
        })
        .collect();
    assert_eq!(shown, ["a.txt +1 -1", "b.txt +1 -0", "d/x +1 -0"]);
    assert_eq!(place.read_file("a.txt"), "three", "a preview changes nothing");

    let second = rig.user_entry_id("second").await;
    let restored = rig.handle.restore(&second, RestoreScope::Code, Decisions::new()).await.unwrap();
    assert_eq!(
        (place.read_file("a.txt"), place.read_file("b.txt"), place.read_file("d/x")),
        ("two".into(), "mine\n".into(), "x".into())
    );
    assert!(restored.applied.failed.is_empty() && restored.conflicts.is_empty());
    let undo = restored.undo.unwrap();
    rig.handle.restore(&undo, RestoreScope::Code, Decisions::new()).await.unwrap();
    assert_eq!(
        (place.read_file("a.txt"), place.read_file("b.txt"), place.read_file("d/x")),
        ("three".into(), "-".into(), "-".into())
    );

    let first = rig.user_entry_id("first").await;
    let restored = rig.handle.restore(&first, RestoreScope::Both, Decisions::new()).await.unwrap();
    assert!(restored.message.is_some(), "the words are there to be said differently");
    assert_eq!((place.read_file("a.txt"), place.read_file("b.txt")), ("-".into(), "mine\n".into()));
    let (snapshot, _) = rig.handle.subscribe().await.unwrap();
    assert_eq!(snapshot.messages.len(), 0, "the conversation is there, too, before what was said");
    assert!(rig.notices.is_empty(), "{:?}", rig.notices);
}

#[tokio::test]
async fn restore_conflicts_with_user_edits_are_reported() {
    let place = TestHome::new();
    place.write_file("a.txt", "1\n2\n3\n4\n5\n");
    place.write_file("c.txt", "old\n");
    let turns = vec![bash_turn("c1", "sed -i s/1/one/ a.txt; echo new > c.txt; echo n > n.txt"), done_turn()];
    let mut rig = place.start(turns).await;
    rig.run("go").await;
    place.write_file("a.txt", "one\n2\n3\n4\nfive\n");
    place.write_file("c.txt", "mine\n");
    place.write_file("own.txt", "mine too\n");
    let entry = rig.user_entry_id("go").await;
    let preview = rig.handle.preview_restore_to(&entry, RestoreScope::Code).await.unwrap();
    assert_eq!(preview.conflicts(), 1);
    let restored = rig.handle.restore(&entry, RestoreScope::Code, Decisions::new()).await.unwrap();
    assert_eq!(place.read_file("a.txt"), "1\n2\n3\n4\nfive\n", "put together");
    assert_eq!(
        (place.read_file("c.txt"), place.read_file("own.txt"), place.read_file("n.txt")),
        ("mine\n".into(), "mine too\n".into(), "-".into())
    );
    let conflicts: Vec<String> = restored.conflicts.iter().map(|c| c.name.to_string()).collect();
    assert_eq!(conflicts, ["c.txt"]);
    rig.handle.restore(&restored.undo.unwrap(), RestoreScope::Code, Decisions::new()).await.unwrap();
    assert_eq!(
        (place.read_file("a.txt"), place.read_file("n.txt")),
        ("one\n2\n3\n4\nfive\n".into(), "n\n".into())
    );
    let decided = Decisions::from([(Name::from_bytes(b"c.txt").unwrap(), Decision::KeepBoth)]);
    rig.handle.revert_turn(&entry, decided).await.unwrap();
    assert_eq!(
        (place.read_file("c.txt"), place.read_file("c.txt.restored")),
        ("mine\n".into(), "old\n".into())
    );
}

#[tokio::test]
async fn restore_revert_turn_keeps_later_turn() {
    let place = TestHome::new();
    place.write_file("a.txt", "1\n2\n3\n4\n5\n");
    let turns = vec![
        bash_turn("c1", "sed -i s/1/one/ a.txt; echo x > new.txt"),
        bash_turn("c2", "sed -i s/2/two/ a.txt"),
        done_turn(),
        bash_turn("c3", "sed -i s/5/five/ a.txt"),
        done_turn(),
    ];
    let mut rig = place.start(turns).await;
    rig.run("first").await;
    rig.run("second").await;
    let first = rig.user_entry_id("first").await;
    let preview =
        rig.handle.preview_restore(RestoreTarget::RevertTurn(first.clone()), Decisions::new()).await.unwrap();
    assert!(preview.files.iter().any(|file| file.merged));
    rig.handle.revert_turn(&first, Decisions::new()).await.unwrap();
    assert_eq!(
        (place.read_file("a.txt"), place.read_file("new.txt")),
        ("1\n2\n3\n4\nfive\n".into(), "-".into())
    );
    let nothing = rig.handle.preview_restore_to("nobody", RestoreScope::Code).await.unwrap_err();
    assert!(nothing.to_string().contains("no recorded state"), "{nothing}");
}

#[tokio::test]
async fn checkpoint_is_recorded_before_tool_runs() {
    let place = TestHome::new();
    let turns = vec![bash_turn("c1", "touch begun; while ! test -e go; do sleep 0.01; done"), done_turn()];
    let mut rig = place.start(turns).await;
    rig.prompt("wait");
    let begun = async {
        while !place.work().join("begun").exists() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), begun).await.unwrap();
    assert_eq!(rig.entry_kinds().await, "message message before");
    let refused = rig.handle.restore("x", RestoreScope::Code, Decisions::new()).await.unwrap_err();
    assert!(refused.to_string().contains("working"), "{refused}");
    place.write_file("go", "");
    while !matches!(rig.next().await, RuntimeEvent::Agent(AgentEvent::AgentEnd { .. })) {}
    assert_eq!(rig.entry_kinds().await, "message message before message after message");
}

#[tokio::test]
async fn checkpoint_is_skipped_for_read_only_tools() {
    let place = TestHome::new();
    place.write_file("a.txt", "x\n");
    let turns = vec![
        bash_turn("c1", "ls; cat a.txt"),
        Turn::call("c2", "read", json!({"path": "a.txt"})),
        done_turn(),
    ];
    let mut rig = place.start(turns).await;
    rig.run("look").await;
    assert!(!rig.entry_kinds().await.contains("before"));
    assert!(!place.dir.path().join("home/data/checkpoints").exists());
}

#[tokio::test]
async fn checkpoint_includes_ignored_file_edited_by_tool() {
    let place = TestHome::new();
    place.write_file(".gitignore", "*.env\n");
    place.write_file("a.env", "secret=1\n");
    place.write_file("z.env", "other\n");
    let edit = |id: &str, text: &str| Turn::call(id, "write", json!({"path": "a.env", "content": text}));
    let turns = vec![
        bash_turn("c1", "true; touch t"),
        edit("c2", "secret=2\n"),
        done_turn(),
        edit("c3", "secret=3\n"),
        done_turn(),
    ];
    let mut rig = place.start(turns).await;
    rig.run("first").await;
    rig.run("second").await;
    assert_eq!(place.read_file("a.env"), "secret=3\n");
    let (first, second) = (rig.user_entry_id("first").await, rig.user_entry_id("second").await);
    rig.handle.restore(&second, RestoreScope::Code, Decisions::new()).await.unwrap();
    assert_eq!(place.read_file("a.env"), "secret=2\n");
    rig.handle.revert_turn(&first, Decisions::new()).await.unwrap();
    assert_eq!((place.read_file("a.env"), place.read_file("t")), ("secret=1\n".into(), "-".into()));
    // Where it was not recorded it is as it was when it was: nobody had changed it until then.
    rig.handle.restore(&second, RestoreScope::Code, Decisions::new()).await.unwrap();
    rig.handle.restore(&first, RestoreScope::Code, Decisions::new()).await.unwrap();
    assert_eq!((place.read_file("a.env"), place.read_file("z.env")), ("secret=1\n".into(), "other\n".into()));
}

#[tokio::test]
async fn restore_works_after_reopen_and_fork() {
    let place = TestHome::new();
    let mut rig = place.start(vec![bash_turn("c1", "echo 1 > a.txt"), done_turn()]).await;
    rig.run("go").await;
    let file = rig.session().await.file().unwrap().to_path_buf();
    rig.handle.shutdown().await;
    for choice in [SessionChoice::Open(file.clone()), SessionChoice::Fork(file)] {
        let rig = place.start_with(vec![], |options| Options { session: choice, ..options }).await;
        let restored = rig
            .handle
            .restore(&rig.user_entry_id("go").await, RestoreScope::Code, Decisions::new())
            .await
            .unwrap();
        assert_eq!(place.read_file("a.txt"), "-");
        rig.handle.restore(&restored.undo.unwrap(), RestoreScope::Code, Decisions::new()).await.unwrap();
        assert_eq!(place.read_file("a.txt"), "1\n");
        rig.handle.shutdown().await;
    }
}

#[tokio::test]
async fn checkpoint_store_failure_is_reported_once() {
    let place = TestHome::new();
    let data = place.dir.path().join("home/data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("checkpoints"), "in the way").unwrap();
    let turns = vec![bash_turn("c1", "echo 1 > a.txt"), bash_turn("c2", "echo 2 > a.txt"), done_turn()];
    let mut rig = place.start(turns).await;
    rig.run("go").await;
    assert_eq!(place.read_file("a.txt"), "2\n");
    assert_eq!(rig.notices.len(), 1, "{:?}", rig.notices);
    assert!(rig.notices[0].contains("cannot be restored"), "{:?}", rig.notices);
}

#[tokio::test]
async fn checkpoint_too_large_file_is_reported_once() {
    let place = TestHome::new();
    let large = std::fs::File::create(place.work().join("data.bin")).unwrap();
    large.set_len((10 << 20) + 1).unwrap();
    let turns = vec![bash_turn("c1", "echo 1 > a.txt"), bash_turn("c2", "echo 2 > a.txt"), done_turn()];
    let mut rig = place.start(turns).await;
    rig.run("go").await;
    let about: Vec<&String> =
        rig.notices.iter().filter(|told| told.contains("data.bin (too large)")).collect();
    assert_eq!(about.len(), 1, "{:?}", rig.notices);
    let session = rig.session().await;
    let state = checkpoints::last_recorded(session.tree()).unwrap();
    assert_eq!(
        (state.at, state.skipped_count, state.skipped),
        (When::After, 1, vec!["data.bin".to_string()])
    );
}

#[tokio::test]
async fn restore_switches_branches_a_hundred_times() {
    let place = TestHome::new();
    let turns = vec![
        bash_turn("c1", "echo start > f; mkdir d; echo x > d/x"),
        done_turn(),
        bash_turn("c2", "echo left > f; rm d/x; ln -s f link"),
        done_turn(),
        bash_turn("c3", "echo right > f; chmod 600 f; mkdir e; mv d/x e/y"),
        done_turn(),
    ];
    let mut rig = place.start(turns).await;
    rig.run("start").await;
    let start = rig.last_entry_id().await;
    rig.run("left").await;
    let left = rig.last_entry_id().await;
    rig.handle.restore(&start, RestoreScope::Both, Decisions::new()).await.unwrap();
    rig.run("right").await;
    let right = rig.last_entry_id().await;
    let image = || {
        let listed = std::process::Command::new("ls")
            .args(["-lR", "--time-style=+"])
            .current_dir(place.work())
            .output()
            .unwrap();
        (String::from_utf8(listed.stdout).unwrap(), place.read_file("f"))
    };
    let ends = [image()];
    assert_eq!(place.read_file("f"), "right\n");
    for jump in 0..100 {
        let to = if jump % 2 == 0 { &left } else { &right };
        let done = rig.handle.restore(to, RestoreScope::Both, Decisions::new()).await.unwrap();
        assert!(done.applied.failed.is_empty() && done.conflicts.is_empty(), "{done:?}");
        if jump % 2 == 0 {
            assert_eq!(
                (place.read_file("f"), place.read_file("e/y"), place.read_file("link")),
                ("left\n".into(), "-".into(), "left\n".into())
            );
        } else {
            assert_eq!(image(), ends[0]);
        }
    }
}
