//! All files at once: searched, listed, changed from the list as one step, taken back.

use crate::support::desk::{Desk, Plan};
use bowline::ide::core::layers::picker::Picker;

const LIB: &str = "use one;\nfn two() {}\nlet one = two();\n";

fn plan() -> Plan {
    Plan::new()
        .file("src/lib.rs", LIB)
        .file("src/é.txt", "One é one\r\nlast\r\n")
        .file("target/x", "one\n")
        .file(".gitignore", "target\n")
        .file("bin", b"one\0\x01")
        .with("notes.md", "nothing\n")
}

async fn search(desk: &mut Desk, wanted: &str) {
    desk.keys("Alt-6 s Ctrl-u").await;
    desk.type_in(wanted).await;
    desk.keys("Enter").await;
}

/// Changes the files as the list says.
async fn apply(desk: &mut Desk) {
    desk.keys("Alt-6 a").await;
    desk.keys("y").await;
}

/// Replaces what is listed; `how` are switches.
async fn replace(desk: &mut Desk, how: &str, wanted: &str, new: &str) {
    desk.keys(&format!("Alt-6 r {how} Ctrl-u")).await;
    desk.type_in(wanted).await;
    desk.keys("Enter").await;
    desk.type_in(new).await;
    desk.keys("Enter").await;
}

#[tokio::test]
async fn lines_are_listed_gone_to_and_walked() {
    let mut desk = plan().start().await;
    search(&mut desk, "one").await;
    assert_eq!(desk.text(), "src/lib.rs:1:use one;\nsrc/lib.rs:3:let one = two();\nsrc/é.txt:1:One é one\n");
    assert_eq!(desk.message(), "4 matches in 2 files (skipped: 1 no text)");
    desk.snap("workspace-list");
    desk.keys("Down Enter").await;
    assert_eq!((desk.shown(), desk.cursor()), ("lib.rs".to_string(), (3, 5)));
    desk.keys("Alt-6 n").await;
    assert_eq!((desk.shown(), desk.cursor()), ("é.txt".to_string(), (1, 1)));
    desk.keys("Alt-6 n").await;
    assert_eq!(desk.message(), "At last result");
    desk.keys("Alt-6 p").await;
    assert_eq!((desk.shown(), desk.cursor()), ("lib.rs".to_string(), (3, 5)));
    assert_eq!(desk.message(), "line 2 of 3: one");
    desk.keys("Alt-' o").await;
    assert_eq!(desk.shown(), "é.txt", "jumps are noted");
    desk.keys("Alt-6 l").await;
    assert_eq!(desk.shown(), "search: one");
}

#[tokio::test]
async fn nothing_found_leaves_everything_as_it_was() {
    let mut desk = plan().start().await;
    search(&mut desk, "absent").await;
    assert_eq!(
        (desk.shown().as_str(), desk.message().as_str()),
        ("notes.md", "No match (skipped: 1 no text)")
    );
    desk.keys("Alt-6 s Alt-r Ctrl-u").await;
    desk.type_in("(").await;
    desk.keys("Enter").await;
    assert!(desk.picture().contains("unclosed group"), "{}", desk.picture());
    desk.keys("Escape Alt-6 a").await;
    assert_eq!(desk.message(), "No search results: find in files first");
}

#[tokio::test]
async fn unsaved_text_is_searched_instead_of_the_disks() {
    let mut desk = plan().start().await;
    desk.type_in("one more ").await;
    search(&mut desk, "one more").await;
    assert_eq!(desk.text(), "notes.md:1:one more nothing\n");
}

#[tokio::test]
async fn replacing_in_a_list_leaves_the_names_of_places() {
    let mut desk = Plan::new().file("one.rs", "one\n").file("two.rs", "one\n").start().await;
    for (map, keys, replaced) in [
        ("default", "Ctrl-r Ctrl-u o n e Enter 1 Enter a", "one.rs:1:1\ntwo.rs:1:1\n"),
        ("vim", ": % s / o n e / 1 / g Enter", "one.rs:1:1\ntwo.rs:1:1\n"),
        ("default", "y", "one.rs:1:one\ntwo.rs:1:one\n"),
    ] {
        desk = desk.again().keymap(&keymap(map)).start().await;
        search(&mut desk, "one").await;
        desk.keys(keys).await;
        assert_eq!((desk.text().as_str(), map), (replaced, map));
        if keys == "y" {
            assert!(
                desk.message().starts_with("File names and line numbers cannot be edited"),
                "{}",
                desk.message()
            );
        }
    }
}

/// The text of a key map that comes along.
fn keymap(name: &str) -> String {
    std::fs::read_to_string(crate::source::root().join(format!("keymaps/{name}.toml"))).unwrap()
}

#[tokio::test]
async fn an_edited_list_changes_open_and_closed_files_as_one_step() {
    let mut desk = plan().start().await;
    desk.keys("Ctrl-End").await;
    desk.type_in("one").await;
    search(&mut desk, "one").await;
    desk.keys("Ctrl-f Ctrl-u").await;
    desk.type_in("one").await;
    desk.keys("Enter Alt-Shift-j").await;
    desk.type_in("1").await;
    assert_eq!(
        desk.text(),
        "notes.md:2:1\nsrc/lib.rs:1:use 1;\nsrc/lib.rs:3:let 1 = two();\nsrc/é.txt:1:One é 1\n"
    );
    // A line that is not there is left alone.
    desk.keys("Escape Ctrl-Home Down Alt-k l Ctrl-s").await;
    desk.snap("workspace-apply");
    desk.keys("y").await;
    assert_eq!(desk.message(), "Changed 3 places in 3 files. Undo: Alt-6 u");
    assert_eq!(desk.disk("src/lib.rs"), LIB.replace("let one", "let 1"));
    assert_eq!(desk.disk("src/é.txt"), "One é 1\r\nlast\r\n");
    assert_eq!(desk.disk("notes.md"), "nothing\n", "saving is the person's");
    assert!(!desk.state().buffers.current().unwrap().is_edited_list());
    desk.keys("Alt-6 u").await;
    assert_eq!(desk.message(), "Undone in 3 files");
    assert_eq!(desk.disk("src/lib.rs"), LIB);
    assert_eq!(desk.disk("src/é.txt"), "One é one\r\nlast\r\n");
    apply(&mut desk).await;
    assert_eq!(desk.disk("src/lib.rs"), LIB.replace("let one", "let 1"), "again from the list");
    desk.keys("Alt-6 u").await;
    desk.keys("Alt-w d").await;
    assert_eq!((desk.shown().as_str(), desk.text().as_str()), ("notes.md", "nothing\none"));
    desk.keys("Alt-6 u").await;
    assert_eq!(desk.message(), "No applied results to undo");
}

#[tokio::test]
async fn what_is_not_as_it_was_found_is_named_and_the_rest_goes_on() {
    let mut desk = plan().start().await;
    replace(&mut desk, "", "one", "uno").await;
    let other = LIB.replace("let one", "let  one");
    desk.write("src/lib.rs", &other);
    desk.keys("Ctrl-End").await;
    desk.type_in("x").await;
    desk.keys("Alt-6 a").await;
    assert!(desk.picture().contains("src/lib.rs:3: is not what was found any more"), "{}", desk.picture());
    assert!(desk.picture().contains("line 4 of the list names no place"), "{}", desk.picture());
    desk.keys("y").await;
    assert!(desk.picture().contains("Unchanged"), "{}", desk.picture());
    desk.keys("Enter").await;
    assert_eq!(desk.disk("src/lib.rs"), other.replace("use one", "use uno"));
    assert_eq!(desk.disk("src/é.txt"), "uno é uno\r\nlast\r\n");
    assert!(desk.state().buffers.current().unwrap().is_edited_list(), "not all of it is done");
}

#[tokio::test]
async fn a_replacement_is_seen_before_it_is_made() {
    let mut desk = plan().start().await;
    replace(&mut desk, "Alt-r", r"(\w+) (one)", "$2 $1").await;
    assert_eq!(desk.text(), "src/lib.rs:1:one use;\nsrc/lib.rs:3:one let = two();\nsrc/é.txt:1:One one é\n");
    desk.keys("Alt-6 a").await;
    desk.keys("n").await;
    assert_eq!(desk.disk("src/lib.rs"), LIB);
    apply(&mut desk).await;
    assert_eq!(desk.disk("src/lib.rs"), "one use;\nfn two() {}\none let = two();\n");
}

#[tokio::test]
async fn lines_are_joined_and_split_from_the_list() {
    let mut desk = plan().start().await;
    replace(&mut desk, "Alt-r", r"one;\nfn", "1; fn").await;
    assert_eq!(desk.text(), "src/lib.rs:1-2:use 1; fn two() {}\n");
    desk.keys("End").await;
    desk.keys("Ctrl-j").await;
    desk.type_in(":// more").await;
    apply(&mut desk).await;
    assert_eq!(desk.disk("src/lib.rs"), "use 1; fn two() {}\n// more\nlet one = two();\n");
    desk.keys("Alt-6 u").await;
    assert_eq!(desk.disk("src/lib.rs"), LIB);
}

#[tokio::test]
async fn what_came_later_is_kept_or_refused_by_its_file() {
    let mut desk = plan().start().await;
    replace(&mut desk, "", "one", "uno").await;
    apply(&mut desk).await;
    desk.write("src/lib.rs", "// new\nuse uno;\nfn two() {}\nlet uno = two();\n");
    desk.write("src/é.txt", "Uno é uno\r\nlast\r\n");
    desk.keys("Alt-6 u").await;
    assert!(desk.picture().contains("src/é.txt: a later edit touched the same text"), "{}", desk.picture());
    desk.keys("Enter").await;
    assert_eq!(desk.disk("src/lib.rs"), format!("// new\n{LIB}"));
    assert_eq!(desk.disk("src/é.txt"), "Uno é uno\r\nlast\r\n");
    desk.write("src/é.txt", "uno é uno\r\nlast!\r\n");
    desk.keys("Alt-6 u").await;
    assert_eq!(desk.disk("src/é.txt"), "One é one\r\nlast!\r\n", "what was refused can be tried again");
}

#[tokio::test]
async fn what_cannot_be_written_is_told_and_the_rest_is_done() {
    let mut desk = plan().unwritable("src/lib.rs").start().await;
    replace(&mut desk, "", "one", "uno").await;
    apply(&mut desk).await;
    assert!(desk.picture().contains("src/lib.rs: not written"), "{}", desk.picture());
    desk.keys("Enter").await;
    assert_eq!(
        (desk.disk("src/lib.rs"), desk.disk("src/é.txt")),
        (LIB.to_string(), "uno é uno\r\nlast\r\n".to_string())
    );
}

#[tokio::test]
async fn other_encodings_are_searched_and_kept() {
    let latin = b"caf\xe9 one\r\nna\xefve d\xe9j\xe0 vu \xe0 la carte\r\n";
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("é one\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let mut desk = Plan::new().file("latin", latin).file("wide", &wide).start().await;
    replace(&mut desk, "", "é one", "é two").await;
    assert_eq!(desk.text(), "latin:1:café two\nwide:1:é two\n");
    apply(&mut desk).await;
    assert_eq!(desk.bytes("latin"), latin.to_vec().replacen_bytes(b"one", b"two"));
    assert_eq!(desk.bytes("wide").len(), wide.len());
    // What its encoding does not have is refused by name.
    desk.keys("Ctrl-Home").await;
    desk.keys("End").await;
    desk.type_in("漢").await;
    desk.keys("Alt-6 a").await;
    assert!(desk.picture().contains("latin: "), "{}", desk.picture());
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
async fn escape_ends_a_search_and_control_characters_stay_inside() {
    let mut desk = Plan::new().file("a", "one \x1b[31m red\n").file("b\x1b[2J", "one\n").start().await;
    search(&mut desk, "one").await;
    assert!(!desk.picture().contains('\x1b'));
    assert_eq!(desk.text(), "a:1:one \x1b[31m red\nb␛[2J:1:one\n");
    desk.keys("Down Enter").await;
    assert_eq!(desk.shown(), "b\x1b[2J");
    desk.keys("Alt-6 s Ctrl-u").await;
    desk.type_in("red").await;
    desk.ide.press("Enter");
    desk.ide.press("Escape");
    desk.ide.idle().await;
    let ended = desk.message();
    assert!(ended.contains("search canceled"), "{ended}");
}

#[tokio::test]
async fn maps_with_modes_go_and_end_searches_too() {
    for map in ["vim", "helix"] {
        let mut desk = plan().keymap(&keymap(map)).start().await;
        search(&mut desk, "one").await;
        desk.keys("j Enter").await;
        assert_eq!((desk.shown(), desk.cursor().0), ("lib.rs".to_string(), 3), "{map}");
        desk.keys("Alt-6 s Enter").await;
        desk.keys("Alt-6 s").await;
        desk.ide.press("Enter");
        desk.ide.press("Escape");
        desk.ide.idle().await;
        assert!(desk.message().contains("search canceled"), "{map}: {}", desk.message());
    }
}

/// The rows of the picker on top.
fn rows(desk: &mut Desk) -> Vec<String> {
    let Some(picker) = desk.state().layers.top::<Picker>() else { panic!("no picker") };
    picker.rows(0, 100).map(|row| row.text.clone()).collect()
}

#[tokio::test]
async fn every_key_searches_anew_and_enter_goes_there() {
    let mut desk = plan().start().await;
    desk.keys("Alt-6 g").await;
    assert_eq!(rows(&mut desk), [""; 0]);
    desk.type_in("on").await;
    assert_eq!(rows(&mut desk).len(), 3);
    desk.type_in("e =").await;
    assert_eq!(rows(&mut desk), ["src/lib.rs:3: let one = two();"]);
    desk.snap("workspace-grep");
    desk.type_in("x").await;
    assert_eq!(rows(&mut desk), [""; 0]);
    desk.keys("Ctrl-u Alt-r").await;
    desk.type_in("^(").await;
    assert!(desk.message().contains("unclosed group"), "{}", desk.message());
    desk.type_in("let|fn)").await;
    assert_eq!(rows(&mut desk), ["src/lib.rs:2: fn two() {}", "src/lib.rs:3: let one = two();"]);
    desk.keys("Down Enter").await;
    assert_eq!((desk.shown(), desk.cursor()), ("lib.rs".to_string(), (3, 1)));
    desk.keys("Alt-' o").await;
    assert_eq!(desk.shown(), "notes.md");
}

#[tokio::test]
async fn the_picker_begins_with_what_is_selected() {
    let mut desk = plan().with("z", "\té two\n").start().await;
    desk.keys("Alt-PageDown Ctrl-Home Ctrl-Right Ctrl-Right Ctrl-Shift-Left").await;
    assert_eq!(desk.selected(), ["two"]);
    desk.keys("Alt-6 g").await;
    let found = ["src/lib.rs:2: fn two() {}", "src/lib.rs:3: let one = two();", "z:1: é two"];
    assert_eq!(rows(&mut desk), found);
    desk.keys("Down Down Enter").await;
    assert_eq!((desk.shown(), desk.cursor()), ("z".to_string(), (1, 7)));
}

#[tokio::test]
async fn links_on_the_way_hide_no_open_text() {
    let mut desk = Plan::new().file("real/a.txt", "old\n").with("b", "").start().await;
    std::os::unix::fs::symlink("real", desk.path("link")).unwrap();
    desk.keys("Ctrl-o Ctrl-u").await;
    desk.type_in("link/a.txt").await;
    desk.keys("Enter").await;
    desk.keys("Alt-2 Ctrl-Home").await;
    desk.type_in("one ").await;
    replace(&mut desk, "", "one", "1").await;
    assert_eq!(desk.text(), "real/a.txt:1:1 old\n");
    apply(&mut desk).await;
    assert_eq!(desk.disk("real/a.txt"), "old\n", "the open text is changed, not the file below it");
}

#[tokio::test]
async fn an_edited_list_is_not_left_by_accident() {
    let mut desk = plan().keymap(&keymap("vim")).start().await;
    search(&mut desk, "one").await;
    desk.keys("A x Escape Ctrl-q").await;
    assert!(desk.picture().contains("search: one (not applied to the files)"), "{}", desk.picture());
    desk.keys("n").await;
    desk.keys(": w Enter").await;
    assert!(desk.picture().contains("Change 1 place in 1 file?"), "{}", desk.picture());
    desk.keys("y").await;
    assert_eq!(desk.disk("src/lib.rs"), LIB.replace("use one;", "use one;x"));
}

#[tokio::test]
async fn leaving_waits_until_all_files_are_written() {
    let mut desk = plan().keymap(include_str!("../../keymaps/vim.toml")).start().await;
    replace(&mut desk, "", "one", "uno").await;
    desk.keys("Alt-6 a").await;
    desk.ide.press("y");
    for c in [":", "q", "a", "!", "Enter"] {
        desk.ide.press(c);
    }
    assert!(!desk.state().quit, "not while files are being written");
    desk.ide.idle().await;
    assert!(desk.state().quit);
    assert_eq!(desk.disk("src/lib.rs"), LIB.replace("one", "uno"));
    assert_eq!(desk.disk("src/é.txt"), "uno é uno\r\nlast\r\n");
}

#[tokio::test]
async fn replacement_that_search_results_refuse_goes_on_behind_the_match() {
    let mut desk = Plan::new().with("a.txt", "x\n").start().await;
    search(&mut desk, "x").await;
    assert_eq!(desk.text(), "a.txt:1:x\n");
    desk.keys("Ctrl-r Alt-r Ctrl-u").await;
    desk.type_in("a.txt").await;
    desk.keys("Enter Ctrl-u").await;
    desk.type_in("a name that is longer than all of the text").await;
    desk.keys("Enter").await;
    desk.keys("y").await;
    assert_eq!((desk.text().as_str(), desk.message().as_str()), ("a.txt:1:x\n", "No more matches below"));
}
