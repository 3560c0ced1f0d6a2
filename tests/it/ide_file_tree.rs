//! The file tree: the shown file in it, letters of git, the filter.

use bowline::ide::features::file_tree::git_status::GIT_STATUS;

use crate::support::git::git;
use crate::support::test_ide::{IdeSetup, TestIde};

fn selected(ide: &mut TestIde) -> String {
    let root = ide.path("");
    let row = ide.state().files.current().cloned().expect("a row is selected");
    row.path.strip_prefix(root).unwrap().display().to_string()
}

fn rows(ide: &mut TestIde) -> Vec<String> {
    ide.state().files.rows().iter().map(|row| row.entry.name.to_string_lossy().into_owned()).collect()
}

/// The row of the tree with a name, without the panes beside it.
fn row_with(ide: &mut TestIde, name: &str) -> String {
    let picture = ide.picture();
    let cols = usize::from(ide.state().areas.files.expect("the tree is shown").width);
    let row = picture.lines().map(|row| row.chars().skip(1).take(cols).collect::<String>());
    row.into_iter().find(|row| row.contains(name)).unwrap_or_else(|| panic!("no {name}: {picture}"))
}

/// A frame, and what begins after it.
async fn settle(ide: &mut TestIde) {
    ide.picture();
    ide.headless.idle().await;
}

#[tokio::test]
async fn file_tree_reveals_the_shown_file() {
    let setup = IdeSetup::new().file("a/b/other.rs", "").with("a/b/c/deep.rs", "x\n").size(120, 24);
    let mut ide = setup.start().await;
    ide.keys("Alt-2 Alt-0 e").await;
    assert_eq!(selected(&mut ide), "a/b/c/deep.rs");
    assert!(
        row_with(&mut ide, "deep.rs").contains("deep.rs") && rows(&mut ide).contains(&"other.rs".to_string())
    );
    // The tree has the keys.
    ide.keys("Up Up Enter").await;
    assert_eq!(ide.current_file_name(), "deep.rs");
}

#[tokio::test]
async fn file_tree_follows_the_shown_file_only_if_wanted() {
    for follows in [false, true] {
        let setup = IdeSetup::new().with("a/one.rs", "1\n").with("b/two.rs", "2\n").size(120, 24);
        let mut ide = setup.start().await;
        ide.state().display.tree_follow = follows;
        ide.keys("Alt-2 Alt-PageDown").await;
        settle(&mut ide).await;
        let name = ide.current_file_name();
        assert_eq!(rows(&mut ide).contains(&name), follows);
        if follows {
            assert!(selected(&mut ide).ends_with(&name));
            ide.keys("Alt-PageDown").await;
            settle(&mut ide).await;
            let name = ide.current_file_name();
            assert!(selected(&mut ide).ends_with(&name));
        }
    }
}

#[tokio::test]
async fn file_tree_shows_letters_of_git_and_of_folders_with_changes() {
    let setup = IdeSetup::new().with("src/a.rs", "1\n").file("src/b.rs", "1\n").file("c.rs", "1\n");
    let Some(setup) = setup.git_committed() else { return };
    let setup = setup.size(120, 24).file("src/b.rs", "2\n").file("new.rs", "").file("added.rs", "");
    let mut ide = setup.start().await;
    git(&ide.path(""), &["add", "added.rs"]);
    ide.keys("Alt-0 e").await;
    ide.focus_window().await;
    settle(&mut ide).await;
    for (name, letter) in [("b.rs", 'M'), ("new.rs", 'U'), ("added.rs", 'A'), ("src", '•')] {
        assert!(row_with(&mut ide, name).trim_end().ends_with(letter), "{name}: {}", ide.picture());
    }
    assert!(row_with(&mut ide, " c.rs").trim_end().ends_with("c.rs"), "unchanged: {}", ide.picture());
    ide.keys("Alt-2").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    settle(&mut ide).await;
    assert!(row_with(&mut ide, "a.rs").trim_end().ends_with('M'), "saved: {}", ide.picture());
    ide.snap("file_tree_letters");
}

#[tokio::test]
async fn file_tree_undo_of_a_move_removes_its_new_folder_and_the_letters_of_git() {
    // An open file would be watched anew, which asks git anyway.
    let setup = IdeSetup::new().with("z.rs", "1\n").file("a.rs", "1\n");
    let Some(setup) = setup.git_committed() else { return };
    let mut ide = setup.size(120, 24).start().await;
    settle(&mut ide).await;
    let work = ide.path("");
    ide.keys("Alt-1 Up Up Up").await;
    assert_eq!(selected(&mut ide), "a.rs");
    ide.keys("r Ctrl-u").await;
    ide.type_in("new/deep/b.rs").await;
    ide.keys("Enter").await;
    settle(&mut ide).await;
    assert!(row_with(&mut ide, "b.rs").trim_end().ends_with('U'), "{}", ide.picture());
    ide.keys("Alt-1 u").await;
    settle(&mut ide).await;
    assert!(ide.status_message().starts_with("Undone: moved to a.rs"), "{}", ide.status_message());
    assert!(ide.path("a.rs").exists() && !ide.path("new").exists());
    let status = &ide.state().slots[GIT_STATUS];
    assert_eq!(status.letter(&work.join("a.rs")), None);
    assert!(!status.has_changes(&work), "{}", ide.picture());
    ide.focus_window().await;
    settle(&mut ide).await;
    let rows = ide.picture();
    assert!(!rows.contains("new") && !rows.contains("tmp"), "{rows}");
}

#[tokio::test]
async fn file_tree_runs_no_program_of_the_repository() {
    let Some(setup) = IdeSetup::new().with("a.rs", "1\n").git_committed() else { return };
    let mut ide = setup.file(".gitattributes", "*.rs filter=x\n").size(120, 24).start().await;
    let root = ide.path("");
    let ran = ide.path("ran");
    git(&root, &["config", "filter.x.clean", &format!("touch '{}'; cat", ran.display())]);
    git(&root, &["config", "core.fsmonitor", &format!("touch '{}'", ran.display())]);
    ide.write_file("a.rs", "2\n");
    ide.focus_window().await;
    settle(&mut ide).await;
    assert!(!ran.exists());
    assert!(row_with(&mut ide, "a.rs").trim_end().ends_with("a.rs"), "no letter: {}", ide.picture());
}

#[tokio::test]
async fn file_tree_filter_enter_opens_what_is_typed_and_not_what_is_shown() {
    let files = (0..200).map(|n| format!("src/part{}/file{n}.rs", n % 7));
    let setup = files.fold(IdeSetup::new().size(120, 24), |setup, file| setup.file(&file, "x\n"));
    let mut ide = setup.start().await;
    // Each key ends the walk of the key before: a list that is not whole must not be kept for the next one.
    for name in ["file131.rs", "file20.rs", "file199.rs"] {
        ide.keys("Alt-1").await;
        ide.headless.press("/");
        ide.type_without_settling(name);
        ide.headless.press("Enter");
        ide.headless.idle().await;
        assert_eq!(ide.current_file_name(), name);
    }
}

#[tokio::test]
async fn file_tree_filter_shows_matching_files_and_escape_takes_it_back() {
    let files = ["src/ide/view.rs", "src/ide/edit.rs", "src/main.rs", "docs/view.md"];
    let setup = files.iter().fold(IdeSetup::new().size(120, 24), |setup, file| setup.file(file, "x\n"));
    let mut ide = setup.start().await;
    ide.keys("Alt-1 End").await;
    let before = (rows(&mut ide), selected(&mut ide));
    ide.keys("/").await;
    ide.type_in("view").await;
    assert_eq!(rows(&mut ide), ["docs", "view.md", "src", "ide", "view.rs"]);
    assert_eq!(selected(&mut ide), "docs/view.md");
    ide.snap("file_tree_filter");
    ide.keys("Escape").await;
    assert_eq!((rows(&mut ide), selected(&mut ide)), before);
    ide.keys("/").await;
    ide.type_in("IDE v").await;
    ide.keys("Enter").await;
    assert_eq!(ide.current_file_name(), "view.rs");
    assert_eq!(selected(&mut ide), "src/ide/view.rs", "the whole tree shows it");
    assert!(rows(&mut ide).contains(&"docs".to_string()));
    ide.keys("Alt-1 /").await;
    ide.type_in("nothing like it").await;
    assert!(rows(&mut ide).is_empty());
    ide.keys("Enter").await;
    assert!(!rows(&mut ide).is_empty());
}
