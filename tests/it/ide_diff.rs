//! A text and another one side by side: git's, the disk's, an earlier one, another file's.

use std::time::Duration;

use crate::support::desk::{Desk, Plan};
use crate::support::git::git;
use bowline::ide::features::diff::view::DiffView;

const BASE: &str = "fn one() {}\nfn two() {}\nlet größe = 漢字;\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn is_open(desk: &mut Desk) -> bool {
    desk.state().layers.top::<DiffView>().is_some()
}

/// Edits four places of the text.
async fn edited(plan: Plan) -> Desk {
    let mut desk = plan.start().await;
    desk.keys("Down Alt-k l").await;
    desk.keys("Ctrl-Home Down End Left Left Left").await;
    desk.type_in("r").await;
    desk.keys("Ctrl-End").await;
    desk.type_in("eleven\ttab").await;
    desk.keys("Ctrl-Home").await;
    desk
}

#[tokio::test]
async fn a_wide_screen_shows_both_texts_beside_each_other() {
    let Some(plan) = Plan::new().with("a.rs", BASE).committed() else { return };
    let mut desk = edited(plan.size(130, 18)).await;
    desk.keys("Alt-0 h").await;
    desk.snap("diff_beside");
    desk.keys("s").await;
    desk.snap("diff_below");
    desk.keys("Escape").await;
    assert!(!is_open(&mut desk));
}

#[tokio::test]
async fn differences_are_walked_taken_over_and_left_for_a_line() {
    let Some(plan) = Plan::new().with("a.rs", BASE).committed() else { return };
    let mut desk = edited(plan).await;
    let before = desk.text();
    desk.keys("Alt-0 h").await;
    desk.keys("n").await;
    assert_eq!(desk.message(), "2 of 2 differences");
    desk.keys("n").await;
    assert_eq!(desk.message(), "1 of 2 differences");
    desk.keys("p").await;
    assert_eq!(desk.message(), "2 of 2 differences");
    desk.keys("Enter").await;
    assert_eq!((is_open(&mut desk), desk.cursor()), (false, (10, 1)));
    desk.keys("Alt-0 h").await;
    desk.keys("t").await;
    let taken = before.replacen("let größe = r漢字;\n", "fn two() {}\nlet größe = 漢字;\n", 1);
    assert_eq!(desk.text(), taken);
    desk.keys("u").await;
    assert_eq!(desk.text(), before, "one step, taken back");
    let mut said = Vec::new();
    for key in ["t", "n", "t", "n"] {
        desk.keys(key).await;
        said.push(desk.message());
    }
    let taken = "Reverted to other side. Undo: u";
    assert_eq!(said, [taken, "1 of 1 differences", "a.rs is the same as git HEAD", "No differences"]);
    assert_eq!(desk.text(), BASE);
    assert_eq!((is_open(&mut desk), desk.message().as_str()), (true, "No differences"));
    desk.keys("t").await;
    assert_eq!(desk.message(), "No difference on this line");
    desk.keys("Escape Alt-0 h").await;
    assert_eq!((is_open(&mut desk), desk.message().as_str()), (false, "a.rs is the same as git HEAD"));
    desk.keys("Ctrl-z").await;
    assert_ne!(desk.text(), BASE, "what was taken over is steps of the text");
}

#[tokio::test]
async fn lines_are_copied_and_folds_opened() {
    let Some(plan) = Plan::new().with("a.rs", BASE).committed() else { return };
    let mut desk = edited(plan.size(80, 30)).await;
    desk.keys("Alt-0 h").await;
    desk.keys("c Escape Ctrl-End Ctrl-y").await;
    assert!(desk.text().ends_with("tabfn two() {}\nlet größe = 漢字;\n"), "{}", desk.text());
    let plan = Plan::new()
        .with("long.txt", (0..40).flat_map(|n| [n.to_string(), "\n".to_string()]).collect::<String>());
    let mut desk = plan.size(80, 24).start().await;
    desk.keys("Down Down x Alt-0 s").await;
    assert!(desk.picture().contains("⋯ 34 unchanged lines"), "{}", desk.picture());
    desk.keys("End Space").await;
    assert!(!desk.picture().contains('⋯'), "{}", desk.picture());
    desk.keys("Space").await;
    assert!(desk.picture().contains('⋯'));
    desk.keys("Home Space").await;
    assert_eq!(desk.message(), "No folded lines here");
}

#[tokio::test]
async fn head_and_index_are_two_texts() {
    let Some(plan) = Plan::new().with("a.txt", "one\ntwo\n").committed() else { return };
    let mut desk = plan.start().await;
    desk.keys("x Ctrl-s").await;
    git(&desk.path(""), &["add", "."]);
    desk.look_again().await;
    desk.keys("Alt-0 i").await;
    assert_eq!(desk.message(), "a.txt is the same as git index");
    desk.keys("Alt-0 h").await;
    assert!(is_open(&mut desk));
}

#[tokio::test]
async fn what_git_does_not_have_is_said() {
    let mut desk = Plan::new().with("a.txt", "a\n").start().await;
    desk.keys("Alt-0 h").await;
    assert_eq!((is_open(&mut desk), desk.message().as_str()), (false, "Not in a git repository"));
    if !git(&desk.path(""), &["init", "-q"]) {
        return;
    }
    desk.keys("Alt-0 h").await;
    assert_eq!(desk.message(), "No commit yet");
    desk.keys("Alt-0 i").await;
    assert_eq!(desk.message(), "Not tracked by git");
}

#[tokio::test]
async fn earlier_texts_are_compared_without_going_there() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.keys("Alt-0 s").await;
    assert_eq!(desk.message(), "a.txt is the same as last save");
    desk.keys("x Ctrl-s End y").await;
    desk.keys("Alt-0 s").await;
    let picture = desk.picture();
    assert!(picture.contains("last save → a.txt") && picture.contains("- xone"), "{picture}");
    assert!(picture.contains("+ xoney"), "{picture}");
    desk.keys("Escape Alt-0 v").await;
    assert_eq!(desk.message(), "Select a revision in the undo tree first");
    desk.keys("F4 Alt-0 v").await;
    assert_eq!(desk.message(), "That is the current text; select another revision");
    desk.keys("PageDown Alt-0 v").await;
    let picture = desk.picture();
    assert!(picture.contains("revision 0 → a.txt") && picture.contains("- one"), "{picture}");
    assert_eq!(desk.text(), "xoney\n");
    desk.keys("t Escape").await;
    assert_eq!(desk.text(), "one\n");
}

#[tokio::test]
async fn other_files_and_the_disk() {
    let plan = Plan::new().file("b.bin", b"a\0b").file("b.txt", "one\r\nzwei\r\nthree\r\n");
    let mut desk = plan.with("a.txt", "one\ntwo\nthree\n").start().await;
    desk.keys("Alt-0 f").await;
    desk.type_in("b.txt").await;
    desk.keys("Enter").await;
    let picture = desk.picture();
    assert!(picture.contains("b.txt → a.txt; lines end in CRLF, here in LF"), "{picture}");
    assert!(picture.contains("+1 −1"), "{picture}");
    desk.keys("t Escape").await;
    assert_eq!(desk.text(), "one\nzwei\nthree\n", "in the text's own line endings");
    for (file, said) in [("a.txt", "That is this file"), ("b.bin", "b.bin")] {
        desk.keys("Alt-0 f").await;
        desk.type_in(file).await;
        desk.keys("Enter").await;
        assert!(!is_open(&mut desk) && desk.message().ends_with(said), "{}", desk.message());
    }
    desk.write("a.txt", "one\ntwo\nthree\nfour");
    desk.keys("Alt-0 D").await;
    assert!(desk.picture().contains("- four"), "{}", desk.picture());
    desk.write("a.txt", "one\nzwei\nthree\nfive");
    desk.keys("r").await;
    assert!(desk.picture().contains("- five") && desk.picture().contains("+0 −1"), "{}", desk.picture());
}

#[tokio::test]
async fn an_edit_from_elsewhere_is_compared_again() {
    let mut desk = Plan::new().with("a.txt", "one\ntwo\n").start().await;
    desk.keys("x Alt-0 s").await;
    desk.ide.app().with_cx(|cx| {
        let buffer = cx.state.buffers.current_mut().unwrap();
        let end = buffer.area.text().end();
        let edit = bowline::text::changes::ChangeSet::replace(end.0, [(end..end, "three\n".to_string())]);
        buffer.area.apply_foreign(bowline::text::transaction::Transaction::new(edit), 0);
    });
    desk.keys("t").await;
    assert_eq!(desk.message(), "Still comparing; try again");
    desk.ide.idle().await;
    desk.wait(Duration::from_secs(2));
    desk.ide.idle().await;
    assert!(desk.picture().contains("+2 −1"), "{}", desk.picture());
    desk.keys("t").await;
    assert_eq!(desk.text(), "one\ntwo\nthree\n");
}

#[tokio::test]
async fn small_windows_and_odd_lines_are_shown() {
    let long = format!("{}\n\u{1b}[31mred\n", "漢é\t".repeat(20_000));
    let mut desk = Plan::new().with("a.txt", &long).size(40, 10).start().await;
    desk.keys("x Down y Alt-0 s").await;
    for (cols, rows) in [(40, 10), (12, 4), (3, 2), (1, 1), (200, 60)] {
        desk.ide.app().handle(bowline::ide::core::event::Event::Resize(cols, rows));
        desk.keys("s Right n Left Down").await;
        assert!(!desk.picture().contains('\u{1b}'));
    }
    desk.keys("s").await;
    assert!(desk.picture().contains("[31mred"));
}
