//! What differs from git's text is marked, walked, shown and taken back; where there is no git
//! there is no word of it.

use std::time::Duration;

use bowline::ide::core::layers::picker::Picker;
use bowline::ide::model::view::visible_rows::BarMark;

use crate::support::git::git;
use crate::support::test_ide::{IdeSetup, TestIde};

const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/// Lets a pause in typing pass.
async fn wait_for_diff(ide: &mut TestIde) {
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
}

/// What stands between the number and the text of each row, as far as there is text.
async fn gutter_signs(ide: &mut TestIde) -> String {
    wait_for_diff(ide).await;
    ide.headless.app().frame();
    let shown = ide.state().visible_rows.clone().unwrap();
    let x = shown.area.x + shown.gutter - 1;
    let buffer = ide.headless.app().screen.buffer();
    (0..shown.rows.len() as u16).map(|y| buffer[(x, shown.area.y + y)].symbol().to_string()).collect()
}

#[tokio::test]
async fn git_gutter_marks_changed_lines() {
    let Some(plan) = IdeSetup::new().with("a b.txt", BASE).git_committed() else { return };
    let mut ide = plan.start().await;
    assert_eq!(gutter_signs(&mut ide).await, "        ");
    ide.type_in("1 ").await;
    assert_eq!(gutter_signs(&mut ide).await, "┋       ");
    ide.keys("Down Alt-k l").await;
    assert_eq!(gutter_signs(&mut ide).await, "┋      ", "changed says more than what is missing below");
    ide.keys("End Enter").await;
    ide.type_in("new").await;
    assert_eq!(gutter_signs(&mut ide).await, "┋ ▎     ");
    ide.keys("Down Down Alt-k l").await;
    assert_eq!(gutter_signs(&mut ide).await, "┋ ▎▁   ");
    ide.snap("git_signs");
}

/// What is shown is moved along with every key; builds for tests hold it against what would be found.
#[tokio::test]
async fn git_scrollbar_marks_follow_edits() {
    let Some(plan) = IdeSetup::new().with("a.txt", &("line\n".repeat(200) + "end")).git_committed() else {
        return;
    };
    let mut ide = plan.size(120, 24).start().await;
    ide.keys("Ctrl-End").await;
    ide.type_in("x").await;
    wait_for_diff(&mut ide).await;
    let marks = |ide: &mut TestIde| {
        let bar = ide.state().visible_rows.clone().unwrap().bar;
        (bar.iter().filter(|cell| cell.mark.is_some()).count(), bar.last().and_then(|cell| cell.mark))
    };
    assert_eq!(marks(&mut ide), (1, Some(BarMark::Cursor)));
    ide.keys("Backspace Backspace Backspace Backspace").await;
    assert_eq!(ide.text().lines().count(), 200);
    assert_eq!(marks(&mut ide), (1, Some(BarMark::Cursor)));
    ide.keys("Ctrl-Home").await;
    wait_for_diff(&mut ide).await;
    assert_eq!(marks(&mut ide), (2, Some(BarMark::Removed)));
}

/// The ide looks after every key whether all that looks different was drawn.
#[tokio::test]
async fn git_revert_hunk_restores_two_lines() {
    let Some(plan) = IdeSetup::new().with("a.txt", "one\ntwo\nthree\nfour\n").git_committed() else { return };
    let mut ide = plan.start().await;
    ide.keys("Down").await;
    ide.type_in("x").await;
    ide.keys("Down").await;
    ide.type_in("yy").await;
    wait_for_diff(&mut ide).await;
    ide.keys("Up Home Alt-, g z").await;
    assert_eq!(ide.text(), "one\ntwo\nthree\nfour\n");
}

#[tokio::test]
async fn git_hunks_navigate_show_and_revert() {
    let Some(plan) = IdeSetup::new().with("a.txt", BASE).git_committed() else { return };
    let mut ide = plan.start().await;
    ide.keys("Alt-, ]").await;
    assert_eq!(ide.status_message(), "No changes against git");
    ide.keys("Down").await;
    ide.type_in("é").await;
    ide.keys("Ctrl-End").await;
    ide.type_in("eight").await;
    ide.keys("Ctrl-Home Down Down Down Down Alt-k l Ctrl-Home").await;
    assert_eq!(ide.text(), "one\nétwo\nthree\nfour\nsix\nseven\neight");
    ide.keys("Alt-, ]").await;
    assert_eq!(ide.status_message(), "Still comparing with git; try again");
    ide.keys("Ctrl-Home").await;
    for (keys, line, message) in [
        ("Alt-, ]", 2, "Hunk 1 of 3"),
        ("Alt-, ]", 5, "Hunk 2 of 3"),
        ("Alt-, ]", 7, "Hunk 3 of 3"),
        ("Alt-, ]", 2, "Hunk 1 of 3"),
        ("Alt-, [", 7, "Hunk 3 of 3"),
        ("Alt-, [", 5, "Hunk 2 of 3"),
    ] {
        ide.keys(keys).await;
        assert_eq!((ide.cursor().0, ide.status_message().as_str()), (line, message));
    }
    ide.keys("Alt-, g z").await;
    assert_eq!(ide.text(), "one\nétwo\nthree\nfour\nfive\nsix\nseven\neight");
    wait_for_diff(&mut ide).await;
    ide.keys("Alt-, [ Alt-, g d").await;
    let picture = ide.picture();
    assert!(picture.contains("- two") && picture.contains("+ étwo"), "{picture}");
    ide.keys("r").await;
    assert_eq!(ide.text(), "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight");
    wait_for_diff(&mut ide).await;
    ide.keys("Alt-, g z").await;
    assert_eq!(ide.status_message(), "No change on this line");
    ide.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "one\nétwo\nthree\nfour\nsix\nseven\neight", "each is one step");
    wait_for_diff(&mut ide).await;
    ide.keys("Alt-h Alt-, g z").await;
    assert_eq!((ide.text().as_str(), ide.status_message().as_str()), (BASE, "Reverted 3"));
}

#[tokio::test]
async fn git_gutter_base_follows_index() {
    let Some(plan) = IdeSetup::new().with("a.txt", BASE).git_committed() else { return };
    let mut ide = plan.start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(gutter_signs(&mut ide).await, "┋       ");
    git(&ide.path(""), &["add", "."]);
    ide.focus_window().await;
    assert_eq!(gutter_signs(&mut ide).await, "        ");
    ide.type_in("y").await;
    assert_eq!(gutter_signs(&mut ide).await, "┋       ");
    git(&ide.path(""), &["rm", "-q", "--cached", "a.txt"]);
    ide.focus_window().await;
    assert_eq!(gutter_signs(&mut ide).await, "        ", "git does not know it any more");
}

#[tokio::test]
async fn git_gutter_ignores_converted_line_endings() {
    let plan =
        IdeSetup::new().file(".gitattributes", "*.txt text eol=crlf\n").with("a.txt", "one\r\ntwo\r\n");
    let Some(plan) = plan.git_committed() else { return };
    let mut ide = plan.start().await;
    assert_eq!(gutter_signs(&mut ide).await, "   ");
    ide.keys("Down").await;
    ide.type_in("x").await;
    assert_eq!(gutter_signs(&mut ide).await, " ┋ ");
}

#[tokio::test]
async fn git_gutter_untracked_file_has_no_marks() {
    let Some(plan) = IdeSetup::new().file("known.txt", BASE).git_committed() else { return };
    for plan in [IdeSetup::new().with("a.txt", BASE), plan.with("unknown.txt", BASE)] {
        let mut ide = plan.start().await;
        ide.type_in("x").await;
        assert_eq!(
            (gutter_signs(&mut ide).await, ide.status_message()),
            ("        ".to_string(), String::new())
        );
        ide.keys("Alt-, g z").await;
        assert_eq!(ide.status_message(), "Not tracked by git");
    }
}

/// A repository may come from anyone: to look at a file of it must not run what its settings name.
#[tokio::test]
async fn git_open_file_runs_no_repository_filters() {
    let Some(plan) =
        IdeSetup::new().with("a.txt", BASE).file(".gitattributes", "* filter=x\n").git_committed()
    else {
        return;
    };
    let root = plan.workspace_dir();
    for kind in ["smudge", "process", "clean"] {
        let trap = format!("touch '{}'; cat", root.join(kind).display());
        git(&root, &["config", &format!("filter.x.{kind}"), &trap]);
    }
    let mut ide = plan.start().await;
    ide.type_in("1 ").await;
    assert_eq!(gutter_signs(&mut ide).await, "┋       ", "the text as git stores it");
    for kind in ["smudge", "process", "clean"] {
        assert!(!root.join(kind).exists(), "{kind} ran");
    }
}

async fn run_command(ide: &mut TestIde, title: &str) {
    ide.keys("F1").await;
    ide.type_in(title).await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
}

fn listed(ide: &mut TestIde) -> Vec<String> {
    let picker = ide.state().layers.top::<Picker>().unwrap();
    picker.rows(0, picker.matches()).map(|row| row.text.clone()).collect()
}

#[tokio::test]
async fn git_branches_are_listed_and_switched_with_open_files() {
    let Some(plan) = IdeSetup::new().with("a.txt", "one\n").git_committed() else { return };
    let mut ide = plan.size(120, 30).start().await;
    let root = ide.path("");
    git(&root, &["branch", "-q", "-M", "trunk"]);
    git(&root, &["switch", "-q", "-c", "feature/b"]);
    std::fs::write(ide.path("a.txt"), "two\n").unwrap();
    git(&root, &["commit", "-q", "-a", "-m", "second: change a"]);
    git(&root, &["switch", "-q", "trunk"]);
    run_command(&mut ide, "Switch branch").await;
    let mut branches = listed(&mut ide);
    branches.sort();
    assert_eq!(branches, ["feature/b", "trunk"]);
    let picture = ide.picture();
    assert!(picture.contains("✓ trunk") && !picture.contains("✓ feature"), "{picture}");
    ide.type_in("feat").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("second: change a"), "the branch's commits: {}", ide.picture());
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert!(ide.state().status.log().any(|logged| logged.text == "Switched to feature/b"));
    ide.wait_for("the other text", |state| {
        state.buffers.current().is_some_and(|buffer| buffer.area.text().to_string() == "two\n")
    })
    .await;
    run_command(&mut ide, "Switch branch").await;
    ide.type_in("feat").await;
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "On branch feature/b already");
}

#[tokio::test]
async fn git_branch_is_not_switched_over_changes() {
    let Some(plan) = IdeSetup::new().with("a.txt", "one\n").git_committed() else { return };
    let mut ide = plan.size(120, 30).start().await;
    let root = ide.path("");
    git(&root, &["switch", "-q", "-c", "other"]);
    std::fs::write(ide.path("a.txt"), "two\n").unwrap();
    git(&root, &["commit", "-q", "-a", "-m", "second"]);
    git(&root, &["switch", "-q", "-"]);
    ide.keys("Alt-2").await;
    ide.type_in("x").await;
    let switch = async |ide: &mut TestIde| {
        run_command(ide, "Switch branch").await;
        ide.type_in("other").await;
        ide.keys("Enter").await;
        ide.headless.idle().await;
    };
    switch(&mut ide).await;
    assert_eq!(ide.status_message(), "1 file is not saved: save or close first");
    ide.keys("Ctrl-s").await;
    ide.headless.idle().await;
    switch(&mut ide).await;
    let message = ide.status_message();
    assert!(message.contains("would be overwritten") && message.contains("a.txt"), "git says why: {message}");
    assert_eq!(std::fs::read_to_string(ide.path("a.txt")).unwrap(), "xone\n");
    // A filter of the repository's settings would run.
    std::fs::write(ide.path("a.txt"), "one\n").unwrap();
    git(&root, &["config", "filter.x.smudge", "touch sprung"]);
    switch(&mut ide).await;
    assert!(ide.status_message().contains("name programs"), "{}", ide.status_message());
    assert!(!ide.path("sprung").exists());
}

#[tokio::test]
async fn git_commits_show_their_changes() {
    let Some(plan) = IdeSetup::new().with("a.txt", "one\n").git_committed() else { return };
    let mut ide = plan.size(140, 30).start().await;
    std::fs::write(ide.path("a.txt"), "two\n").unwrap();
    git(&ide.path(""), &["commit", "-q", "-a", "-m", "second: change a\u{1b}[2J"]);
    run_command(&mut ide, "Show commits").await;
    let commits = listed(&mut ide);
    assert_eq!(commits.len(), 2, "{commits:?}");
    assert!(commits[0].ends_with(" second: change a␛[2J") && commits[1].ends_with(" first"), "{commits:?}");
    let picture = ide.picture();
    assert!(picture.contains("+two") && picture.contains("-one"), "{picture}");
    let long = "a subject of a commit that is as long as most are";
    git(
        &ide.path(""),
        &["commit", "-q", "--allow-empty", "--author", "Somebody With A Name <a@b>", "-m", long],
    );
    ide.keys("Escape").await;
    run_command(&mut ide, "Show commits").await;
    assert!(ide.picture().contains(long), "the author does not take its room: {}", ide.picture());
    ide.type_in("Somebody").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide).len(), 1, "but finds it");
    ide.keys("Ctrl-u").await;
    ide.type_in("second").await;
    ide.headless.idle().await;
    ide.keys("Ctrl-v").await;
    assert_eq!(ide.state().windows.count(), 1, "a commit is no place in a file");
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert!(
        ide.text().contains("diff --git a/a.txt b/a.txt") && ide.text().contains("+two"),
        "{}",
        ide.text()
    );
    assert_eq!(ide.state().buffers.current().unwrap().read_only(), Some("This text is read-only"));
}

#[tokio::test]
async fn git_changed_files_are_listed_with_their_changes_and_opened() {
    let plan = IdeSetup::new().with("a.txt", "one\n").file("gone.txt", "old\n").file("src/b.txt", "b\n");
    let Some(plan) = plan.git_committed() else { return };
    let mut ide = plan.size(140, 30).start().await;
    std::fs::write(ide.path("src/b.txt"), "b\nadded\n").unwrap();
    std::fs::write(ide.path("new.txt"), "nobody knows it\n").unwrap();
    std::fs::remove_file(ide.path("gone.txt")).unwrap();
    ide.keys("Alt-, g f").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide), ["gone.txt", "new.txt", "src/b.txt"]);
    let picture = ide.picture();
    assert!(picture.contains("deleted") && picture.contains("untracked") && picture.contains("modified"));
    assert!(picture.contains("-old"), "the changes of the first one: {picture}");
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "The file was deleted: there is nothing to open");
    ide.keys("Alt-, g f").await;
    ide.headless.idle().await;
    ide.keys("Down").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("nobody knows it"), "{}", ide.picture());
    ide.type_in("b.t").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("+added"), "{}", ide.picture());
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "b\nadded\n");
    ide.keys("Alt-, g f").await;
    ide.headless.idle().await;
    ide.keys("Tab Tab Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "nobody knows it\n", "of the marked ones the deleted one is left out");
}

#[tokio::test]
async fn git_changed_files_run_no_program_of_the_repository() {
    let Some(plan) = IdeSetup::new().with("a.txt", "one\n").git_committed() else { return };
    let mut ide = plan.size(140, 30).start().await;
    let root = ide.path("");
    std::fs::write(ide.path("a.txt"), "two\n").unwrap();
    std::fs::write(ide.path(".gitattributes"), "*.txt filter=x diff=x\n").unwrap();
    git(&root, &["config", "filter.x.clean", "touch sprung; cat"]);
    git(&root, &["config", "diff.x.textconv", "touch sprung; cat"]);
    ide.keys("Alt-, g f").await;
    ide.headless.idle().await;
    assert!(listed(&mut ide).is_empty(), "{}", ide.picture());
    assert!(ide.status_message().contains("settings name programs"), "{}", ide.status_message());
    assert!(!ide.path("sprung").exists());
}

#[tokio::test]
async fn git_lists_say_that_there_is_no_repository() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    for title in ["Switch branch", "Show commits", "Go to changed file"] {
        run_command(&mut ide, title).await;
        assert_eq!(ide.status_message(), "Not in a git repository");
        ide.keys("Escape").await;
    }
}

#[tokio::test]
async fn git_hunks_of_a_repository_below_the_workspace_can_be_shown() {
    let ide = IdeSetup::new().with("inner/a.txt", BASE).start().await;
    let inner = ide.path("inner");
    if !git(&inner, &["init", "-q"]) {
        return;
    }
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "-q", "-m", "first"]);
    let mut ide = ide.restart().with("inner/a.txt", BASE).start().await;
    ide.type_in("1 ").await;
    wait_for_diff(&mut ide).await;
    run_command(&mut ide, "Go to next hunk").await;
    assert!(!ide.status_message().contains("Not in a git repository"), "{}", ide.status_message());
    run_command(&mut ide, "Revert hunk").await;
    assert_eq!(ide.text(), BASE, "{}", ide.status_message());
}
