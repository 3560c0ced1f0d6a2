//! Registers, marks and jumps with the default keys: what is kept under a name, and how one
//! comes back to a place.

use bowline::text::marked;

use crate::support::desk::{Desk, Plan};

async fn desk(marked_text: &str) -> Desk {
    let (text, selection) = marked::parse(marked_text);
    let mut desk = Plan::new().with("a.txt", text.to_string()).file("b.txt", "b one\nb two\n").start().await;
    desk.keys("Alt-2").await;
    desk.state().buffers.current_mut().unwrap().area.selection = selection;
    desk.state().damage.all();
    desk
}

fn marked_text(desk: &mut Desk) -> String {
    let area = &desk.state().buffers.current().unwrap().area;
    marked::show(area.text(), &area.selection)
}

#[tokio::test]
async fn registers_keep_texts_and_give_them_back() {
    let mut desk = desk("«größe» and «ñ»").await;
    desk.keys("Alt-' c a").await;
    assert_eq!(desk.message(), "Copied to register a");
    desk.keys("Alt-' x B").await;
    assert_eq!(marked_text(&mut desk), "| and |");
    desk.keys("Alt-' v a").await;
    assert_eq!(marked_text(&mut desk), "größe| and ñ|");
    desk.keys("Alt-' v z").await;
    assert_eq!(desk.message(), "Register is empty: z");
    desk.keys("Ctrl-y").await;
    assert_eq!(marked_text(&mut desk), "größegröße| and ññ|", "what was cut is the ring's newest");
}

#[tokio::test]
async fn registers_are_shared_by_every_text_field() {
    let mut desk = desk("«one»").await;
    desk.keys("Alt-' c q Alt-3 Alt-' v q").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "one");
    desk.keys("Ctrl-u Alt-2 Ctrl-f Ctrl-u Alt-' v q").await;
    assert!(desk.picture().contains("1 of 1"), "{}", desk.picture());
}

#[tokio::test]
async fn registers_refuse_what_they_cannot_keep() {
    let mut desk = desk("«one» |").await;
    desk.keys("Alt-' c %").await;
    assert_eq!(desk.message(), "Register is read-only: %");
    desk.keys("Alt-' v %").await;
    assert_eq!(desk.text(), "a.txt a.txt", "the file's name can be put in");
    desk.keys("Alt-' c Left").await;
    assert_eq!(desk.message(), "Canceled");
}

#[tokio::test]
async fn a_registers_picker_puts_its_text_in() {
    let mut desk = desk("«é\nx» |").await;
    desk.keys("Alt-' c k Ctrl-End Alt-' r").await;
    desk.snap("registers_picker");
    desk.type_in("k").await;
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "é\nx é\nx\n");
}

#[tokio::test]
async fn marks_move_with_edits_and_lead_back() {
    let mut desk = desk("one\ntw|ö\nthree").await;
    desk.keys("Alt-' s m Ctrl-Home").await;
    desk.type_in("new ").await;
    desk.keys("Enter Ctrl-End Alt-' g m").await;
    assert_eq!(marked_text(&mut desk), "new \none\ntw|ö\nthree");
    desk.keys("Alt-' g '").await;
    assert_eq!(marked_text(&mut desk), "new \none\ntwö\nthree|", "where the jump began");
    desk.keys("Alt-' g m Alt-k l Alt-' g m").await;
    assert_eq!(desk.message(), "Mark not set: m", "it went with its line");
    desk.keys("Alt-' s 7").await;
    assert_eq!(desk.message(), "Mark must be a letter, not 7");
}

#[tokio::test]
async fn global_marks_and_jumps_lead_through_files() {
    let mut desk = desk("one\nt|wo\n").await;
    desk.keys("Alt-' s A Ctrl-p").await;
    desk.type_in("b.txt").await;
    desk.keys("Enter").await;
    desk.keys("Down").await;
    assert_eq!((desk.shown(), desk.cursor()), ("b.txt".into(), (2, 1)));
    desk.keys("Alt-' g A").await;
    assert_eq!((desk.shown(), desk.cursor()), ("a.txt".into(), (2, 2)));
    desk.keys("Alt-' o").await;
    assert_eq!((desk.shown(), desk.cursor()), ("b.txt".into(), (2, 1)));
    desk.keys("Alt-' i").await;
    assert_eq!((desk.shown(), desk.cursor()), ("a.txt".into(), (2, 2)));
    desk.keys("Alt-' m").await;
    desk.snap("marks_picker");
    desk.keys("Escape Alt-' j").await;
    desk.snap("jumps_picker");
    desk.keys("Escape Alt-w Alt-' g A").await;
    assert_eq!((desk.shown(), desk.cursor()), ("a.txt".into(), (2, 2)), "a closed file is opened again");
}

#[tokio::test]
async fn jumps_are_made_by_what_goes_far() {
    let mut desk = desk("one|\n(two)\nthree\nfour\n").await;
    desk.keys("Ctrl-End Alt-' o").await;
    assert_eq!(desk.cursor(), (1, 4));
    desk.keys("Ctrl-g").await;
    desk.type_in("3").await;
    desk.keys("Enter Alt-' o").await;
    assert_eq!(desk.cursor(), (1, 4));
    desk.keys("Ctrl-f").await;
    desk.type_in("four").await;
    desk.keys("Enter Alt-' o").await;
    assert_eq!(desk.cursor(), (1, 4));
    desk.keys("Ctrl-Home Alt-' o Alt-' o Alt-' o Alt-' o Alt-' o").await;
    assert_eq!(desk.message(), "No older jump");
}

#[tokio::test]
async fn changes_are_a_list_of_their_own() {
    let mut desk = desk("|a\nb\nc\nd\n").await;
    desk.type_in("x").await;
    desk.keys("Down Down").await;
    desk.type_in("y").await;
    desk.keys("Down Alt-' e").await;
    assert_eq!(desk.cursor(), (3, 2));
    desk.keys("Alt-' e").await;
    assert_eq!(desk.cursor(), (1, 1));
    desk.keys("Alt-' e").await;
    assert_eq!(desk.message(), "At oldest change");
    desk.keys("Alt-' E").await;
    assert_eq!(desk.cursor(), (3, 2));
}
