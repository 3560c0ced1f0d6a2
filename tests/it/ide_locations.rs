//! Registers, marks and jumps with the default keys: what is kept under a name, and how one
//! comes back to a place.

use bowline::text::marked;

use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide(marked_text: &str) -> TestIde {
    let (text, selection) = marked::parse(marked_text);
    let mut ide =
        IdeSetup::new().with("a.txt", text.to_string()).file("b.txt", "b one\nb two\n").start().await;
    ide.keys("Alt-2").await;
    ide.state().buffers.current_mut().unwrap().area.selection = selection;
    ide.state().damage.add_all();
    ide
}

fn marked_text(ide: &mut TestIde) -> String {
    let area = &ide.state().buffers.current().unwrap().area;
    marked::show(area.text(), &area.selection)
}

#[tokio::test]
async fn register_copy_cut_and_paste_work_per_cursor() {
    let mut ide = ide("«größe» and «ñ»").await;
    ide.keys("Alt-' c a").await;
    assert_eq!(ide.status_message(), "Copied to register a");
    ide.keys("Alt-' x B").await;
    assert_eq!(marked_text(&mut ide), "| and |");
    ide.keys("Alt-' v a").await;
    assert_eq!(marked_text(&mut ide), "größe| and ñ|");
    ide.keys("Alt-' v z").await;
    assert_eq!(ide.status_message(), "Register is empty: z");
    ide.keys("Ctrl-y").await;
    assert_eq!(marked_text(&mut ide), "größegröße| and ññ|", "what was cut is the ring's newest");
}

#[tokio::test]
async fn registers_are_shared_by_all_text_fields() {
    let mut ide = ide("«one»").await;
    ide.keys("Alt-' c q Alt-3 Alt-' v q").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "one");
    ide.keys("Ctrl-u Alt-2 Ctrl-f Ctrl-u Alt-' v q").await;
    assert!(ide.picture().contains("1 of 1"), "{}", ide.picture());
}

#[tokio::test]
async fn register_read_only_rejects_copy() {
    let mut ide = ide("«one» |").await;
    ide.keys("Alt-' c %").await;
    assert_eq!(ide.status_message(), "Register is read-only: %");
    ide.keys("Alt-' v %").await;
    assert_eq!(ide.text(), "a.txt a.txt", "the file's name can be put in");
    ide.keys("Alt-' c Left").await;
    assert_eq!(ide.status_message(), "Canceled");
}

#[tokio::test]
async fn register_picker_pastes_selected_register() {
    let mut ide = ide("«é\nx» |").await;
    ide.keys("Alt-' c k Ctrl-End Alt-' r").await;
    ide.snap("registers_picker");
    ide.type_in("k").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "é\nx é\nx\n");
}

#[tokio::test]
async fn marks_follow_edits_and_jump_back() {
    let mut ide = ide("one\ntw|ö\nthree").await;
    ide.keys("Alt-' s m Ctrl-Home").await;
    ide.type_in("new ").await;
    ide.keys("Enter Ctrl-End Alt-' g m").await;
    assert_eq!(marked_text(&mut ide), "new \none\ntw|ö\nthree");
    ide.keys("Alt-' g '").await;
    assert_eq!(marked_text(&mut ide), "new \none\ntwö\nthree|", "where the jump began");
    ide.keys("Alt-' g m Alt-k l Alt-' g m").await;
    assert_eq!(ide.status_message(), "Mark not set: m", "it went with its line");
    ide.keys("Alt-' s 7").await;
    assert_eq!(ide.status_message(), "Mark must be a letter, not 7");
}

#[tokio::test]
async fn global_marks_and_jumps_work_across_files() {
    let mut ide = ide("one\nt|wo\n").await;
    ide.keys("Alt-' s A Ctrl-p").await;
    ide.type_in("b.txt").await;
    ide.keys("Enter").await;
    ide.keys("Down").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("b.txt".into(), (2, 1)));
    ide.keys("Alt-' g A").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("a.txt".into(), (2, 2)));
    ide.keys("Alt-' o").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("b.txt".into(), (2, 1)));
    ide.keys("Alt-' i").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("a.txt".into(), (2, 2)));
    ide.keys("Alt-' m").await;
    ide.snap("marks_picker");
    ide.keys("Escape Alt-' j").await;
    ide.snap("jumps_picker");
    ide.keys("Escape Alt-w Alt-' g A").await;
    assert_eq!(
        (ide.current_file_name(), ide.cursor()),
        ("a.txt".into(), (2, 2)),
        "a closed file is opened again"
    );
}

#[tokio::test]
async fn jump_list_records_long_motions() {
    let mut ide = ide("one|\n(two)\nthree\nfour\n").await;
    ide.keys("Ctrl-End Alt-' o").await;
    assert_eq!(ide.cursor(), (1, 4));
    ide.keys("Ctrl-g").await;
    ide.type_in("3").await;
    ide.keys("Enter Alt-' o").await;
    assert_eq!(ide.cursor(), (1, 4));
    ide.keys("Ctrl-f").await;
    ide.type_in("four").await;
    ide.keys("Escape Alt-' o").await;
    assert_eq!(ide.cursor(), (1, 4));
    ide.keys("Ctrl-Home Alt-' o Alt-' o Alt-' o Alt-' o Alt-' o").await;
    assert_eq!(ide.status_message(), "No older jump");
}

#[tokio::test]
async fn change_list_navigates_older_and_newer() {
    let mut ide = ide("|a\nb\nc\nd\n").await;
    ide.type_in("x").await;
    ide.keys("Down Down").await;
    ide.type_in("y").await;
    ide.keys("Down Alt-' e").await;
    assert_eq!(ide.cursor(), (3, 2));
    ide.keys("Alt-' e").await;
    assert_eq!(ide.cursor(), (1, 1));
    ide.keys("Alt-' e").await;
    assert_eq!(ide.status_message(), "At oldest change");
    ide.keys("Alt-' E").await;
    assert_eq!(ide.cursor(), (3, 2));
}

#[tokio::test]
async fn marks_show_their_places_beside_the_list() {
    let text = (1..=60).map(|n| format!("line {n} of b\n")).collect::<Vec<_>>().concat();
    let mut ide = IdeSetup::new().size(120, 30).with("b.txt", &text).with("a.txt", "one\n").start().await;
    ide.keys("Ctrl-g").await;
    ide.type_in("40").await;
    ide.keys("Enter Alt-' s b Ctrl-End Alt-' s C Ctrl-Home Alt-' m").await;
    for (query, line) in [("line 40", "40 line 40 of b"), ("C b.txt", "60 line 60 of b")] {
        ide.keys("Ctrl-u").await;
        ide.type_in(query).await;
        ide.headless.idle().await;
        assert!(ide.picture().contains(line), "{query}: {}", ide.picture());
    }
}

#[tokio::test]
async fn marked_rows_of_marks_open_their_files_together() {
    let mut ide = ide("one\n|two").await;
    ide.keys("Alt-' s A").await;
    ide.keys("Ctrl-p").await;
    ide.type_in("b.txt").await;
    ide.headless.idle().await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    ide.keys("Down Alt-' s B").await;
    ide.keys("Alt-' m Tab Tab").await;
    assert!(ide.picture().contains("2 marked"), "{}", ide.picture());
    ide.keys("Enter").await;
    ide.headless.idle().await;
    let shown = ide.state().buffers.current().map(bowline::ide::model::buffers::Buffer::name);
    assert_eq!((shown.as_deref(), ide.cursor()), (Some("b.txt"), (2, 1)), "the last one is shown");
    ide.keys("Alt-' m Tab Tab Ctrl-l").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "b.txt:2:b two\na.txt:2:two\n");
}
