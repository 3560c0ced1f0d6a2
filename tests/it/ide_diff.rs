//! A text and another one side by side: git's, the disk's, an earlier one, another file's.

use std::time::Duration;

use crate::support::git::git;
use crate::support::test_ide::{IdeSetup, TestIde};
use bowline::ide::features::diff::view::DiffView;

const BASE: &str = "fn one() {}\nfn two() {}\nlet größe = 漢字;\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn is_open(ide: &mut TestIde) -> bool {
    ide.state().layers.top::<DiffView>().is_some()
}

/// Edits four places of the text.
async fn edited(plan: IdeSetup) -> TestIde {
    let mut ide = plan.start().await;
    ide.keys("Down Alt-k l").await;
    ide.keys("Ctrl-Home Down End Left Left Left").await;
    ide.type_in("r").await;
    ide.keys("Ctrl-End").await;
    ide.type_in("eleven\ttab").await;
    ide.keys("Ctrl-Home").await;
    ide
}

#[tokio::test]
async fn diff_view_toggles_side_by_side() {
    let Some(plan) = IdeSetup::new().with("a.rs", BASE).git_committed() else { return };
    let mut ide = edited(plan.size(130, 18)).await;
    ide.keys("Alt-0 h").await;
    ide.snap("diff_beside");
    ide.keys("s").await;
    ide.snap("diff_below");
    ide.keys("Escape").await;
    assert!(!is_open(&mut ide));
}

#[tokio::test]
async fn diff_view_navigates_reverts_and_jumps() {
    let Some(plan) = IdeSetup::new().with("a.rs", BASE).git_committed() else { return };
    let mut ide = edited(plan).await;
    let before = ide.text();
    ide.keys("Alt-0 h").await;
    ide.keys("n").await;
    assert_eq!(ide.status_message(), "2 of 2 differences");
    ide.keys("n").await;
    assert_eq!(ide.status_message(), "1 of 2 differences");
    ide.keys("p").await;
    assert_eq!(ide.status_message(), "2 of 2 differences");
    ide.keys("Enter").await;
    assert_eq!((is_open(&mut ide), ide.cursor()), (false, (10, 1)));
    ide.keys("Alt-0 h").await;
    ide.keys("t").await;
    let taken = before.replacen("let größe = r漢字;\n", "fn two() {}\nlet größe = 漢字;\n", 1);
    assert_eq!(ide.text(), taken);
    ide.keys("u").await;
    assert_eq!(ide.text(), before, "one step, taken back");
    let mut said = Vec::new();
    for key in ["t", "n", "t", "n"] {
        ide.keys(key).await;
        said.push(ide.status_message());
    }
    let taken = "Reverted to other side. Undo: u";
    assert_eq!(said, [taken, "1 of 1 differences", "a.rs is the same as git HEAD", "No differences"]);
    assert_eq!(ide.text(), BASE);
    assert_eq!((is_open(&mut ide), ide.status_message().as_str()), (true, "No differences"));
    ide.keys("t").await;
    assert_eq!(ide.status_message(), "No difference on this line");
    ide.keys("Escape Alt-0 h").await;
    assert_eq!((is_open(&mut ide), ide.status_message().as_str()), (false, "a.rs is the same as git HEAD"));
    ide.keys("Ctrl-z").await;
    assert_ne!(ide.text(), BASE, "what was taken over is steps of the text");
}

#[tokio::test]
async fn diff_view_copies_lines_and_opens_folds() {
    let Some(plan) = IdeSetup::new().with("a.rs", BASE).git_committed() else { return };
    let mut ide = edited(plan.size(80, 30)).await;
    ide.keys("Alt-0 h").await;
    ide.keys("c Escape Ctrl-End Ctrl-y").await;
    assert!(ide.text().ends_with("tabfn two() {}\nlet größe = 漢字;\n"), "{}", ide.text());
    let plan = IdeSetup::new()
        .with("long.txt", (0..40).flat_map(|n| [n.to_string(), "\n".to_string()]).collect::<String>());
    let mut ide = plan.size(80, 24).start().await;
    ide.keys("Down Down x Alt-0 s").await;
    assert!(ide.picture().contains("⋯ 34 unchanged lines"), "{}", ide.picture());
    ide.keys("End Space").await;
    assert!(!ide.picture().contains('⋯'), "{}", ide.picture());
    ide.keys("Space").await;
    assert!(ide.picture().contains('⋯'));
    ide.keys("Home Space").await;
    assert_eq!(ide.status_message(), "No folded lines here");
}

#[tokio::test]
async fn diff_view_compares_head_and_index_separately() {
    let Some(plan) = IdeSetup::new().with("a.txt", "one\ntwo\n").git_committed() else { return };
    let mut ide = plan.start().await;
    ide.keys("x Ctrl-s").await;
    git(&ide.path(""), &["add", "."]);
    ide.focus_window().await;
    ide.keys("Alt-0 i").await;
    assert_eq!(ide.status_message(), "a.txt is the same as git index");
    ide.keys("Alt-0 h").await;
    assert!(is_open(&mut ide));
}

#[tokio::test]
async fn diff_view_reports_missing_git_base() {
    let mut ide = IdeSetup::new().with("a.txt", "a\n").start().await;
    ide.keys("Alt-0 h").await;
    assert_eq!((is_open(&mut ide), ide.status_message().as_str()), (false, "Not in a git repository"));
    if !git(&ide.path(""), &["init", "-q"]) {
        return;
    }
    ide.keys("Alt-0 h").await;
    assert_eq!(ide.status_message(), "No commit yet");
    ide.keys("Alt-0 i").await;
    assert_eq!(ide.status_message(), "Not tracked by git");
}

#[tokio::test]
async fn diff_view_compares_save_and_revision() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.keys("Alt-0 s").await;
    assert_eq!(ide.status_message(), "a.txt is the same as last save");
    ide.keys("x Ctrl-s End y").await;
    ide.keys("Alt-0 s").await;
    let picture = ide.picture();
    assert!(picture.contains("last save → a.txt") && picture.contains("- xone"), "{picture}");
    assert!(picture.contains("+ xoney"), "{picture}");
    ide.keys("Escape Alt-0 v").await;
    assert_eq!(ide.status_message(), "Undo tree is not shown. Show it: F4");
    ide.keys("F4 Alt-0 v").await;
    assert_eq!(ide.status_message(), "That is the current text; select another revision");
    ide.keys("PageDown Alt-0 v").await;
    let picture = ide.picture();
    assert!(picture.contains("revision 0 → a.txt") && picture.contains("- one"), "{picture}");
    assert_eq!(ide.text(), "xoney\n");
    ide.keys("t Escape").await;
    assert_eq!(ide.text(), "one\n");
}

#[tokio::test]
async fn diff_view_compares_other_file_and_disk() {
    let plan = IdeSetup::new().file("b.bin", b"a\0b").file("b.txt", "one\r\nzwei\r\nthree\r\n");
    let mut ide = plan.with("a.txt", "one\ntwo\nthree\n").start().await;
    ide.keys("Alt-0 f").await;
    ide.type_in("b.txt").await;
    ide.keys("Enter").await;
    let picture = ide.picture();
    assert!(picture.contains("b.txt → a.txt; lines end in CRLF, here in LF"), "{picture}");
    assert!(picture.contains("+1 −1"), "{picture}");
    ide.keys("t Escape").await;
    assert_eq!(ide.text(), "one\nzwei\nthree\n", "in the text's own line endings");
    for (file, said) in [("a.txt", "That is this file"), ("b.bin", "b.bin")] {
        ide.keys("Alt-0 f").await;
        ide.type_in(file).await;
        ide.keys("Enter").await;
        assert!(!is_open(&mut ide) && ide.status_message().ends_with(said), "{}", ide.status_message());
    }
    ide.write_file("a.txt", "one\ntwo\nthree\nfour");
    ide.keys("Alt-0 D").await;
    assert!(ide.picture().contains("- four"), "{}", ide.picture());
    ide.write_file("a.txt", "one\nzwei\nthree\nfive");
    ide.keys("r").await;
    assert!(ide.picture().contains("- five") && ide.picture().contains("+0 −1"), "{}", ide.picture());
}

#[tokio::test]
async fn diff_view_updates_after_external_edit() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").start().await;
    ide.keys("x Alt-0 s").await;
    ide.headless.app().with_cx(|cx| {
        let buffer = cx.state.buffers.current_mut().unwrap();
        let end = buffer.area.text().end();
        let edit = bowline::text::changes::ChangeSet::replace(end.0, [(end..end, "three\n".to_string())]);
        buffer.area.apply_external(bowline::text::transaction::Transaction::new(edit), 0);
    });
    ide.keys("t").await;
    assert_eq!(ide.status_message(), "Still comparing; try again");
    ide.headless.idle().await;
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
    assert!(ide.picture().contains("+2 −1"), "{}", ide.picture());
    ide.keys("t").await;
    assert_eq!(ide.text(), "one\ntwo\nthree\n");
}

#[tokio::test]
async fn diff_view_fits_small_windows_and_long_lines() {
    let long = format!("{}\n\u{1b}[31mred\n", "漢é\t".repeat(20_000));
    let mut ide = IdeSetup::new().with("a.txt", &long).size(40, 10).start().await;
    ide.keys("x Down y Alt-0 s").await;
    for (cols, rows) in [(40, 10), (12, 4), (3, 2), (1, 1), (200, 60)] {
        ide.headless.app().handle(bowline::ide::core::event::Event::Resize(cols, rows));
        ide.keys("s Right n Left Down").await;
        assert!(!ide.picture().contains('\u{1b}'));
    }
    ide.keys("s").await;
    assert!(ide.picture().contains("[31mred"));
}
