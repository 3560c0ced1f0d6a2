//! What differs from git's text is marked, walked, shown and taken back; where there is no git
//! there is no word of it.

use std::time::Duration;

use bowline::ide::model::visible_rows::BarMark;

use crate::support::desk::{Desk, Plan};
use crate::support::git::git;

const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/// Lets a pause in typing pass.
async fn compared(desk: &mut Desk) {
    desk.wait(Duration::from_secs(2));
    desk.ide.idle().await;
}

/// What stands between the number and the text of each row, as far as there is text.
async fn signs(desk: &mut Desk) -> String {
    compared(desk).await;
    desk.ide.app().frame();
    let shown = desk.state().shown.clone().unwrap();
    let x = shown.area.x + shown.gutter - 1;
    let buffer = desk.ide.app().screen.buffer();
    (0..shown.rows.len() as u16).map(|y| buffer[(x, shown.area.y + y)].symbol().to_string()).collect()
}

#[tokio::test]
async fn lines_that_differ_have_signs() {
    let Some(plan) = Plan::new().with("a b.txt", BASE).committed() else { return };
    let mut desk = plan.start().await;
    assert_eq!(signs(&mut desk).await, "        ");
    desk.type_in("1 ").await;
    assert_eq!(signs(&mut desk).await, "┋       ");
    desk.keys("Down Alt-k l").await;
    assert_eq!(signs(&mut desk).await, "┋      ", "changed says more than what is missing below");
    desk.keys("End Enter").await;
    desk.type_in("new").await;
    assert_eq!(signs(&mut desk).await, "┋ ▎     ");
    desk.keys("Down Down Alt-k l").await;
    assert_eq!(signs(&mut desk).await, "┋ ▎▁   ");
    desk.snap("git_signs");
}

/// What is shown is moved along with every key; builds for tests hold it against what would be found.
#[tokio::test]
async fn a_change_that_is_typed_away_keeps_the_scrollbar_right() {
    let Some(plan) = Plan::new().with("a.txt", &("line\n".repeat(200) + "end")).committed() else { return };
    let mut desk = plan.start().await;
    desk.keys("Ctrl-End").await;
    desk.type_in("x").await;
    compared(&mut desk).await;
    let marks = |desk: &mut Desk| {
        let bar = desk.state().shown.clone().unwrap().bar;
        (bar.iter().filter(|cell| cell.mark.is_some()).count(), bar.last().and_then(|cell| cell.mark))
    };
    assert_eq!(marks(&mut desk), (1, Some(BarMark::Cursor)));
    desk.keys("Backspace Backspace Backspace Backspace").await;
    assert_eq!(desk.text().lines().count(), 200);
    assert_eq!(marks(&mut desk), (1, Some(BarMark::Cursor)));
    desk.keys("Ctrl-Home").await;
    compared(&mut desk).await;
    assert_eq!(marks(&mut desk), (2, Some(BarMark::Removed)));
}

/// The desk looks after every key whether all that looks different was drawn.
#[tokio::test]
async fn a_hunk_of_two_lines_is_taken_back_from_its_first() {
    let Some(plan) = Plan::new().with("a.txt", "one\ntwo\nthree\nfour\n").committed() else { return };
    let mut desk = plan.start().await;
    desk.keys("Down").await;
    desk.type_in("x").await;
    desk.keys("Down").await;
    desk.type_in("yy").await;
    compared(&mut desk).await;
    desk.keys("Up Home Alt-, z").await;
    assert_eq!(desk.text(), "one\ntwo\nthree\nfour\n");
}

#[tokio::test]
async fn hunks_are_walked_shown_and_taken_back() {
    let Some(plan) = Plan::new().with("a.txt", BASE).committed() else { return };
    let mut desk = plan.start().await;
    desk.keys("Alt-, ]").await;
    assert_eq!(desk.message(), "No changes against git");
    desk.keys("Down").await;
    desk.type_in("é").await;
    desk.keys("Ctrl-End").await;
    desk.type_in("eight").await;
    desk.keys("Ctrl-Home Down Down Down Down Alt-k l Ctrl-Home").await;
    assert_eq!(desk.text(), "one\nétwo\nthree\nfour\nsix\nseven\neight");
    desk.keys("Alt-, ]").await;
    assert_eq!(desk.message(), "Still comparing with git; try again");
    desk.keys("Ctrl-Home").await;
    for (keys, line, message) in [
        ("Alt-, ]", 2, "Hunk 1 of 3"),
        ("Alt-, ]", 5, "Hunk 2 of 3"),
        ("Alt-, ]", 7, "Hunk 3 of 3"),
        ("Alt-, ]", 2, "Hunk 1 of 3"),
        ("Alt-, [", 7, "Hunk 3 of 3"),
        ("Alt-, [", 5, "Hunk 2 of 3"),
    ] {
        desk.keys(keys).await;
        assert_eq!((desk.cursor().0, desk.message().as_str()), (line, message));
    }
    desk.keys("Alt-, z").await;
    assert_eq!(desk.text(), "one\nétwo\nthree\nfour\nfive\nsix\nseven\neight");
    compared(&mut desk).await;
    desk.keys("Alt-, [ Alt-, d").await;
    let picture = desk.picture();
    assert!(picture.contains("- two") && picture.contains("+ étwo"), "{picture}");
    desk.keys("r").await;
    assert_eq!(desk.text(), "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight");
    compared(&mut desk).await;
    desk.keys("Alt-, z").await;
    assert_eq!(desk.message(), "No change on this line");
    desk.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), "one\nétwo\nthree\nfour\nsix\nseven\neight", "each is one step");
    compared(&mut desk).await;
    desk.keys("Alt-h Alt-, z").await;
    assert_eq!((desk.text().as_str(), desk.message().as_str()), (BASE, "Reverted 3"));
}

#[tokio::test]
async fn staging_and_committing_change_what_is_compared_with() {
    let Some(plan) = Plan::new().with("a.txt", BASE).committed() else { return };
    let mut desk = plan.start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(signs(&mut desk).await, "┋       ");
    git(&desk.path(""), &["add", "."]);
    desk.look_again().await;
    assert_eq!(signs(&mut desk).await, "        ");
    desk.type_in("y").await;
    assert_eq!(signs(&mut desk).await, "┋       ");
    git(&desk.path(""), &["rm", "-q", "--cached", "a.txt"]);
    desk.look_again().await;
    assert_eq!(signs(&mut desk).await, "        ", "git does not know it any more");
}

#[tokio::test]
async fn line_endings_that_git_converts_are_no_difference() {
    let plan = Plan::new().file(".gitattributes", "*.txt text eol=crlf\n").with("a.txt", "one\r\ntwo\r\n");
    let Some(plan) = plan.committed() else { return };
    let mut desk = plan.start().await;
    assert_eq!(signs(&mut desk).await, "   ");
    desk.keys("Down").await;
    desk.type_in("x").await;
    assert_eq!(signs(&mut desk).await, " ┋ ");
}

#[tokio::test]
async fn without_git_everything_is_quiet() {
    let Some(plan) = Plan::new().file("known.txt", BASE).committed() else { return };
    for plan in [Plan::new().with("a.txt", BASE), plan.with("unknown.txt", BASE)] {
        let mut desk = plan.start().await;
        desk.type_in("x").await;
        assert_eq!((signs(&mut desk).await, desk.message()), ("        ".to_string(), String::new()));
        desk.keys("Alt-, z").await;
        assert_eq!(desk.message(), "Not tracked by git");
    }
}

/// A repository may come from anyone: to look at a file of it must not run what its settings name.
#[tokio::test]
async fn opening_a_file_runs_no_filter_of_the_repository() {
    let Some(plan) = Plan::new().with("a.txt", BASE).file(".gitattributes", "* filter=x\n").committed()
    else {
        return;
    };
    let root = plan.folder();
    for kind in ["smudge", "process", "clean"] {
        let trap = format!("touch '{}'; cat", root.join(kind).display());
        git(&root, &["config", &format!("filter.x.{kind}"), &trap]);
    }
    let mut desk = plan.start().await;
    desk.type_in("1 ").await;
    assert_eq!(signs(&mut desk).await, "┋       ", "the text as git stores it");
    for kind in ["smudge", "process", "clean"] {
        assert!(!root.join(kind).exists(), "{kind} ran");
    }
}
