//! Files that ignore rules exclude, shown by a key: in the list of files, in that of hits, in the tree and its filter.

use bowline::ide::core::layers::picker::Picker;

use crate::support::test_ide::{IdeSetup, TestIde};

fn project() -> IdeSetup {
    let setup = IdeSetup::new().file(".gitignore", "target/\n*.log\n").file("src/a.rs", "// needle\n");
    let setup = setup.file("target/out.rs", "// needle out\n").file("b.log", "text\n");
    setup.file(".git/config", "needle\n").size(120, 30)
}

fn listed(ide: &mut TestIde) -> Vec<String> {
    let picker = ide.state().layers.top::<Picker>().unwrap();
    picker.rows(0, picker.matches()).map(|row| row.text.clone()).collect()
}

fn tree(ide: &mut TestIde) -> Vec<String> {
    let root = ide.path("");
    let rows = ide.state().files.rows().iter();
    rows.map(|row| row.path.strip_prefix(&root).unwrap().to_str().unwrap().to_string()).collect()
}

async fn press(ide: &mut TestIde, keys: &str) {
    ide.keys(keys).await;
    ide.headless.idle().await;
}

#[tokio::test]
async fn files_picker_shows_ignored_files_by_key_and_keeps_query() {
    let mut ide = project().start().await;
    let (some, all) = ([".gitignore", "src/a.rs"], [".gitignore", "b.log", "src/a.rs", "target/out.rs"]);
    press(&mut ide, "Ctrl-p").await;
    assert_eq!(listed(&mut ide), some);
    assert!(ide.picture().contains("Alt-i ignored files"), "{}", ide.picture());
    press(&mut ide, "Alt-i").await;
    assert_eq!(listed(&mut ide), all);
    assert!(ide.picture().contains("Go to file, with ignored files"), "{}", ide.picture());
    ide.snap("picker_ignored_files");
    press(&mut ide, "Escape Ctrl-p").await;
    assert_eq!(listed(&mut ide), all, "it lasts, and the kept list has them");
    press(&mut ide, "Alt-i").await;
    assert_eq!(listed(&mut ide), some, "the kept list of the others");
    ide.type_in("rs").await;
    press(&mut ide, "Tab").await;
    press(&mut ide, "Alt-i").await;
    let picker = ide.state().layers.top::<Picker>().unwrap();
    assert_eq!((picker.query.text().to_string().as_str(), picker.marked.len()), ("rs", 1));
    assert_eq!(listed(&mut ide), ["src/a.rs", "target/out.rs"]);
    press(&mut ide, "Escape F1 Alt-i").await;
    assert_eq!(ide.status_message(), "No ignored files to show here");
    let mut ide = ide.restart().size(120, 30).start().await;
    press(&mut ide, "Ctrl-p").await;
    assert_eq!(listed(&mut ide), some, "not in the next run");
}

#[tokio::test]
async fn grep_picker_searches_ignored_files_by_key() {
    let mut ide = project().start().await;
    press(&mut ide, "Alt-, s g").await;
    ide.type_in("needle").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide), ["src/a.rs:1: // needle"]);
    press(&mut ide, "Alt-i").await;
    assert_eq!(listed(&mut ide), ["src/a.rs:1: // needle", "target/out.rs:1: // needle out"]);
    assert!(ide.picture().contains("Find in files, with ignored files"), "{}", ide.picture());
    press(&mut ide, "Alt-i").await;
    assert_eq!(listed(&mut ide), ["src/a.rs:1: // needle"]);
}

#[tokio::test]
async fn file_tree_shows_ignored_files_by_key_but_never_git() {
    let mut ide = project().start().await;
    press(&mut ide, "Alt-1").await;
    assert_eq!(tree(&mut ide), ["src", ".gitignore"]);
    press(&mut ide, "I").await;
    assert_eq!(tree(&mut ide), ["src", "target", ".gitignore", "b.log"]);
    assert_eq!(ide.status_message(), "Ignored files are shown");
    press(&mut ide, "Down Right").await;
    assert_eq!(tree(&mut ide), ["src", "target", "target/out.rs", ".gitignore", "b.log"]);
    ide.snap("file_tree_ignored");
    press(&mut ide, "Ctrl-p").await;
    assert!(listed(&mut ide).contains(&"target/out.rs".to_string()), "the list shows them, too");
    press(&mut ide, "Escape I").await;
    assert_eq!(tree(&mut ide), ["src", ".gitignore"]);
}

#[tokio::test]
async fn file_tree_filter_finds_ignored_files_by_key() {
    let mut ide = project().start().await;
    press(&mut ide, "Alt-1 /").await;
    ide.type_in("out").await;
    ide.headless.idle().await;
    assert!(tree(&mut ide).is_empty());
    press(&mut ide, "Alt-i").await;
    assert_eq!(tree(&mut ide), ["target", "target/out.rs"]);
    assert!(ide.picture().contains("/ out"), "{}", ide.picture());
    assert!(ide.picture().contains("+ignored"), "{}", ide.picture());
    press(&mut ide, "Alt-i").await;
    assert!(tree(&mut ide).is_empty());
    press(&mut ide, "Alt-i Enter").await;
    assert_eq!(ide.text(), "// needle out\n");
}

#[tokio::test]
async fn files_picker_ends_where_links_are_a_loop() {
    let setup = project();
    std::os::unix::fs::symlink("..", setup.path("src/up")).unwrap();
    std::os::unix::fs::symlink("self", setup.path("self")).unwrap();
    let mut ide = setup.start().await;
    for rows in [2, 4] {
        press(&mut ide, "Ctrl-p").await;
        let is_filling = ide.state().layers.top::<Picker>().unwrap().is_filling;
        assert_eq!((listed(&mut ide).len(), is_filling), (rows, false), "{:?}", listed(&mut ide));
        press(&mut ide, "Alt-i Escape").await;
    }
}
