//! All files at once: searched, listed, changed from the list as one step, taken back.

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};
use bowline::ide::core::layers::picker::Picker;

const LIB: &str = "use one;\nfn two() {}\nlet one = two();\n";

fn setup() -> IdeSetup {
    IdeSetup::new()
        .file("src/lib.rs", LIB)
        .file("src/é.txt", "One é one\r\nlast\r\n")
        .file("target/x", "one\n")
        .file(".gitignore", "target\n")
        .file("bin", b"one\0\x01")
        .with("notes.md", "nothing\n")
}

async fn search(ide: &mut TestIde, wanted: &str) {
    ide.keys("Alt-6 s Ctrl-u").await;
    ide.type_in(wanted).await;
    ide.keys("Enter").await;
}

/// Changes the files as the list says.
async fn apply(ide: &mut TestIde) {
    ide.keys("Alt-6 a").await;
    ide.keys("y").await;
}

/// Replaces what is listed; `how` are switches.
async fn replace(ide: &mut TestIde, how: &str, wanted: &str, new: &str) {
    ide.keys(&format!("Alt-6 r {how} Ctrl-u")).await;
    ide.type_in(wanted).await;
    ide.keys("Enter").await;
    ide.type_in(new).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn find_in_files_lists_and_navigates_results() {
    let mut ide = setup().start().await;
    search(&mut ide, "one").await;
    assert_eq!(ide.text(), "src/lib.rs:1:use one;\nsrc/lib.rs:3:let one = two();\nsrc/é.txt:1:One é one\n");
    assert_eq!(ide.status_message(), "4 matches in 2 files (skipped: 1 no text)");
    ide.snap("workspace-list");
    ide.keys("Down Enter").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("lib.rs".to_string(), (3, 5)));
    ide.keys("Alt-6 n").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("é.txt".to_string(), (1, 1)));
    ide.keys("Alt-6 n").await;
    assert_eq!(ide.status_message(), "At last result");
    ide.keys("Alt-6 p").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("lib.rs".to_string(), (3, 5)));
    assert_eq!(ide.status_message(), "line 2 of 3: one");
    ide.keys("Alt-' o").await;
    assert_eq!(ide.current_file_name(), "é.txt", "jumps are noted");
    ide.keys("Alt-6 l").await;
    assert_eq!(ide.current_file_name(), "search: one");
}

#[tokio::test]
async fn find_in_files_without_match_keeps_view() {
    let mut ide = setup().start().await;
    search(&mut ide, "absent").await;
    assert_eq!(
        (ide.current_file_name().as_str(), ide.status_message().as_str()),
        ("notes.md", "No match (skipped: 1 no text)")
    );
    ide.keys("Alt-6 s Alt-r Ctrl-u").await;
    ide.type_in("(").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("unclosed group"), "{}", ide.picture());
    ide.keys("Escape Alt-6 a").await;
    assert_eq!(ide.status_message(), "No search results: find in files first");
}

#[tokio::test]
async fn find_in_files_searches_unsaved_text() {
    let mut ide = setup().start().await;
    ide.type_in("one more ").await;
    search(&mut ide, "one more").await;
    assert_eq!(ide.text(), "notes.md:1:one more nothing\n");
}

#[tokio::test]
async fn search_results_replace_keeps_locations() {
    let mut ide = IdeSetup::new().file("one.rs", "one\n").file("two.rs", "one\n").start().await;
    for (map, keys, replaced) in [
        ("default", "Ctrl-r Ctrl-u o n e Tab Ctrl-u 1 Alt-Enter Escape", "one.rs:1:1\ntwo.rs:1:1\n"),
        ("vim", ": % s / o n e / 1 / g Enter", "one.rs:1:1\ntwo.rs:1:1\n"),
        ("default", "y", "one.rs:1:one\ntwo.rs:1:one\n"),
    ] {
        ide = ide.restart().keymap(&keymap(map)).start().await;
        search(&mut ide, "one").await;
        ide.keys(keys).await;
        assert_eq!((ide.text().as_str(), map), (replaced, map));
        if keys == "y" {
            assert!(
                ide.status_message().starts_with("File names and line numbers cannot be edited"),
                "{}",
                ide.status_message()
            );
        }
    }
}

/// The text of a key map that comes along.
fn keymap(name: &str) -> String {
    std::fs::read_to_string(crate::source::root().join(format!("keymaps/{name}.toml"))).unwrap()
}

#[tokio::test]
async fn search_results_apply_edits_as_one_undo_step() {
    let mut ide = setup().start().await;
    ide.keys("Ctrl-End").await;
    ide.type_in("one").await;
    search(&mut ide, "one").await;
    ide.keys("Ctrl-f Ctrl-u").await;
    ide.type_in("one").await;
    ide.keys("Enter Escape Alt-Shift-j").await;
    ide.type_in("1").await;
    assert_eq!(
        ide.text(),
        "notes.md:2:1\nsrc/lib.rs:1:use 1;\nsrc/lib.rs:3:let 1 = two();\nsrc/é.txt:1:One é 1\n"
    );
    // A line that is not there is left alone.
    ide.keys("Escape Ctrl-Home Down Alt-k l Ctrl-s").await;
    ide.snap("workspace-apply");
    ide.keys("y").await;
    assert_eq!(ide.status_message(), "Changed 3 lines in 3 files. Undo: Alt-, s u");
    assert_eq!(ide.file_text("src/lib.rs"), LIB.replace("let one", "let 1"));
    assert_eq!(ide.file_text("src/é.txt"), "One é 1\r\nlast\r\n");
    assert_eq!(ide.file_text("notes.md"), "nothing\n", "saving is the person's");
    assert!(!ide.state().buffers.current().unwrap().has_unapplied_edits());
    ide.keys("Alt-6 u").await;
    assert_eq!(ide.status_message(), "Undone in 3 files");
    assert_eq!(ide.file_text("src/lib.rs"), LIB);
    assert_eq!(ide.file_text("src/é.txt"), "One é one\r\nlast\r\n");
    apply(&mut ide).await;
    assert_eq!(ide.file_text("src/lib.rs"), LIB.replace("let one", "let 1"), "again from the list");
    ide.keys("Alt-6 u").await;
    ide.keys("Alt-w d").await;
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("notes.md", "nothing\none"));
    ide.keys("Alt-6 u").await;
    assert_eq!(ide.status_message(), "No applied results to undo");
}

#[tokio::test]
async fn search_results_apply_reports_stale_lines() {
    let mut ide = setup().start().await;
    replace(&mut ide, "", "one", "uno").await;
    let other = LIB.replace("let one", "let  one");
    ide.write_file("src/lib.rs", &other);
    ide.keys("Ctrl-End").await;
    ide.type_in("x").await;
    ide.keys("Alt-6 a").await;
    assert!(ide.picture().contains("src/lib.rs:3: is not what was found any more"), "{}", ide.picture());
    assert!(ide.picture().contains("line 4 of the list names no place"), "{}", ide.picture());
    ide.keys("y").await;
    assert!(ide.picture().contains("Unchanged"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(ide.file_text("src/lib.rs"), other.replace("use one", "use uno"));
    assert_eq!(ide.file_text("src/é.txt"), "uno é uno\r\nlast\r\n");
    assert!(ide.state().buffers.current().unwrap().has_unapplied_edits(), "not all of it is done");
}

#[tokio::test]
async fn replace_in_files_previews_before_applying() {
    let mut ide = setup().start().await;
    replace(&mut ide, "Alt-r", r"(\w+) (one)", "$2 $1").await;
    assert_eq!(ide.text(), "src/lib.rs:1:one use;\nsrc/lib.rs:3:one let = two();\nsrc/é.txt:1:One one é\n");
    ide.keys("Alt-6 a").await;
    ide.keys("n").await;
    assert_eq!(ide.file_text("src/lib.rs"), LIB);
    apply(&mut ide).await;
    assert_eq!(ide.file_text("src/lib.rs"), "one use;\nfn two() {}\none let = two();\n");
}

#[tokio::test]
async fn search_results_apply_joins_and_splits_lines() {
    let mut ide = setup().start().await;
    replace(&mut ide, "Alt-r", r"one;\nfn", "1; fn").await;
    assert_eq!(ide.text(), "src/lib.rs:1-2:use 1; fn two() {}\n");
    ide.keys("End").await;
    ide.keys("Ctrl-j").await;
    ide.type_in(":// more").await;
    apply(&mut ide).await;
    assert_eq!(ide.file_text("src/lib.rs"), "use 1; fn two() {}\n// more\nlet one = two();\n");
    ide.keys("Alt-6 u").await;
    assert_eq!(ide.file_text("src/lib.rs"), LIB);
}

#[tokio::test]
async fn search_results_undo_conflicts_per_file() {
    with_task_orders(async || {
        let mut ide = setup().start().await;
        replace(&mut ide, "", "one", "uno").await;
        apply(&mut ide).await;
        ide.write_file("src/lib.rs", "// new\nuse uno;\nfn two() {}\nlet uno = two();\n");
        ide.write_file("src/é.txt", "Uno é uno\r\nlast\r\n");
        ide.keys("Alt-6 u").await;
        assert!(ide.picture().contains("src/é.txt: a later edit touched the same text"), "{}", ide.picture());
        ide.keys("Enter").await;
        assert_eq!(ide.file_text("src/lib.rs"), format!("// new\n{LIB}"));
        assert_eq!(ide.file_text("src/é.txt"), "Uno é uno\r\nlast\r\n");
        ide.write_file("src/é.txt", "uno é uno\r\nlast!\r\n");
        ide.keys("Alt-6 u").await;
        assert_eq!(
            ide.file_text("src/é.txt"),
            "One é one\r\nlast!\r\n",
            "what was refused can be tried again"
        );
    })
    .await;
}

#[tokio::test]
async fn search_results_apply_reports_unwritable_file() {
    let mut ide = setup().unwritable("src/lib.rs").start().await;
    replace(&mut ide, "", "one", "uno").await;
    apply(&mut ide).await;
    assert!(ide.picture().contains("src/lib.rs: not written"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(
        (ide.file_text("src/lib.rs"), ide.file_text("src/é.txt")),
        (LIB.to_string(), "uno é uno\r\nlast\r\n".to_string())
    );
}

#[tokio::test]
async fn replace_in_files_keeps_encodings() {
    let latin = b"caf\xe9 one\r\nna\xefve d\xe9j\xe0 vu \xe0 la carte\r\n";
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("é one\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let mut ide = IdeSetup::new().file("latin", latin).file("wide", &wide).start().await;
    replace(&mut ide, "", "é one", "é two").await;
    assert_eq!(ide.text(), "latin:1:café two\nwide:1:é two\n");
    apply(&mut ide).await;
    assert_eq!(ide.file_bytes("latin"), latin.to_vec().replacen_bytes(b"one", b"two"));
    assert_eq!(ide.file_bytes("wide").len(), wide.len());
    // What its encoding does not have is refused by name.
    ide.keys("Ctrl-Home").await;
    ide.keys("End").await;
    ide.type_in("漢").await;
    ide.keys("Alt-6 a").await;
    assert!(ide.picture().contains("latin: "), "{}", ide.picture());
}

/// Bytes with the first of some replaced.
trait ReplaceBytes {
    fn replacen_bytes(self, old: &[u8], new: &[u8]) -> Vec<u8>;
}

impl ReplaceBytes for Vec<u8> {
    fn replacen_bytes(mut self, old: &[u8], new: &[u8]) -> Self {
        let at = self.windows(old.len()).position(|window| window == old).unwrap();
        self.splice(at..at + old.len(), new.iter().copied());
        self
    }
}

#[tokio::test]
async fn find_in_files_escape_cancels_and_output_is_escaped() {
    let mut ide = IdeSetup::new().file("a", "one \x1b[31m red\n").file("b\x1b[2J", "one\n").start().await;
    search(&mut ide, "one").await;
    assert!(!ide.picture().contains('\x1b'));
    assert_eq!(ide.text(), "a:1:one \x1b[31m red\nb␛[2J:1:one\n");
    ide.keys("Down Enter").await;
    assert_eq!(ide.current_file_name(), "b\x1b[2J");
    ide.keys("Alt-6 s Ctrl-u").await;
    ide.type_in("red").await;
    ide.headless.press("Enter");
    ide.headless.press("Escape");
    ide.headless.idle().await;
    let ended = ide.status_message();
    assert!(ended.contains("search canceled"), "{ended}");
}

#[tokio::test]
async fn find_in_files_works_in_vim_and_helix_keymaps() {
    for map in ["vim", "helix"] {
        let mut ide = setup().keymap(&keymap(map)).start().await;
        search(&mut ide, "one").await;
        ide.keys("j Enter").await;
        assert_eq!((ide.current_file_name(), ide.cursor().0), ("lib.rs".to_string(), 3), "{map}");
        ide.keys("Alt-6 s Enter").await;
        ide.keys("Alt-6 s").await;
        ide.headless.press("Enter");
        ide.headless.press("Escape");
        ide.headless.idle().await;
        assert!(ide.status_message().contains("search canceled"), "{map}: {}", ide.status_message());
    }
}

/// The rows of the picker on top.
fn rows(ide: &mut TestIde) -> Vec<String> {
    let Some(picker) = ide.state().layers.top::<Picker>() else { panic!("no picker") };
    picker.rows(0, 100).map(|row| row.text.clone()).collect()
}

#[tokio::test]
async fn live_grep_updates_per_key_and_enter_jumps() {
    let mut ide = setup().start().await;
    ide.keys("Alt-6 g").await;
    assert_eq!(rows(&mut ide), [""; 0]);
    ide.type_in("on").await;
    assert_eq!(rows(&mut ide).len(), 3);
    ide.type_in("e =").await;
    assert_eq!(rows(&mut ide), ["src/lib.rs:3: let one = two();"]);
    ide.snap("workspace-grep");
    ide.type_in("x").await;
    assert_eq!(rows(&mut ide), [""; 0]);
    ide.keys("Ctrl-u Alt-r").await;
    ide.type_in("^(").await;
    assert!(ide.status_message().contains("unclosed group"), "{}", ide.status_message());
    ide.type_in("let|fn)").await;
    assert_eq!(rows(&mut ide), ["src/lib.rs:2: fn two() {}", "src/lib.rs:3: let one = two();"]);
    ide.keys("Down Enter").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("lib.rs".to_string(), (3, 1)));
    ide.keys("Alt-' o").await;
    assert_eq!(ide.current_file_name(), "notes.md");
}

#[tokio::test]
async fn live_grep_starts_with_selection() {
    let mut ide = setup().with("z", "\té two\n").start().await;
    ide.keys("Alt-PageDown Ctrl-Home Ctrl-Right Ctrl-Right Ctrl-Shift-Left").await;
    assert_eq!(ide.selected_texts(), ["two"]);
    ide.keys("Alt-6 g").await;
    let found = ["src/lib.rs:2: fn two() {}", "src/lib.rs:3: let one = two();", "z:1: é two"];
    assert_eq!(rows(&mut ide), found);
    ide.keys("Down Down Enter").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("z".to_string(), (1, 7)));
}

#[tokio::test]
async fn replace_in_files_through_symlink_changes_open_buffer() {
    let mut ide = IdeSetup::new().file("real/a.txt", "old\n").with("b", "").start().await;
    std::os::unix::fs::symlink("real", ide.path("link")).unwrap();
    ide.keys("Ctrl-o Ctrl-u").await;
    ide.type_in("link/a.txt").await;
    ide.keys("Enter").await;
    ide.keys("Alt-2 Ctrl-Home").await;
    ide.type_in("one ").await;
    replace(&mut ide, "", "one", "1").await;
    assert_eq!(ide.text(), "real/a.txt:1:1 old\n");
    apply(&mut ide).await;
    assert_eq!(ide.file_text("real/a.txt"), "old\n", "the open text is changed, not the file below it");
}

#[tokio::test]
async fn search_results_edited_ask_before_quit() {
    let mut ide = setup().keymap(&keymap("vim")).start().await;
    search(&mut ide, "one").await;
    ide.keys("A x Escape Ctrl-q").await;
    assert!(ide.picture().contains("search: one (not applied to the files)"), "{}", ide.picture());
    ide.keys("n").await;
    ide.keys(": w Enter").await;
    assert!(ide.picture().contains("Change 1 line in 1 file?"), "{}", ide.picture());
    ide.keys("y").await;
    assert_eq!(ide.file_text("src/lib.rs"), LIB.replace("use one;", "use one;x"));
}

#[tokio::test]
async fn quit_waits_for_replace_in_files() {
    let mut ide = setup().keymap(include_str!("../../keymaps/vim.toml")).start().await;
    replace(&mut ide, "", "one", "uno").await;
    ide.keys("Alt-6 a").await;
    ide.headless.press("y");
    for c in [":", "q", "a", "!", "Enter"] {
        ide.headless.press(c);
    }
    assert!(!ide.state().quit, "not while files are being written");
    ide.headless.idle().await;
    assert!(ide.state().quit);
    assert_eq!(ide.file_text("src/lib.rs"), LIB.replace("one", "uno"));
    assert_eq!(ide.file_text("src/é.txt"), "uno é uno\r\nlast\r\n");
}

#[tokio::test]
async fn search_results_rejected_replacement_moves_on() {
    let mut ide = IdeSetup::new().with("a.txt", "x\n").start().await;
    search(&mut ide, "x").await;
    assert_eq!(ide.text(), "a.txt:1:x\n");
    ide.keys("Ctrl-r Alt-r Ctrl-u").await;
    ide.type_in("a.txt").await;
    ide.keys("Tab Ctrl-u").await;
    ide.type_in("a name that is longer than all of the text").await;
    ide.keys("Enter").await;
    assert_eq!(
        (ide.text().as_str(), ide.status_message().as_str()),
        ("a.txt:1:x\n", "File names and line numbers cannot be edited")
    );
}
