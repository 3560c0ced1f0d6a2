//! The Helix map: what keys select and change, at one cursor and at many.

use bowline::text::marked;

use crate::support::test_ide::{IdeSetup, TestIde};

const HELIX: &str = include_str!("../../keymaps/helix.toml");

async fn ide(marked_text: &str) -> TestIde {
    let (text, selection) = marked::parse(marked_text);
    let mut ide = IdeSetup::new().keymap(HELIX).with("a.txt", text.to_string()).start().await;
    ide.keys("Alt-2").await;
    ide.state().text_options.auto_pairs = false;
    ide.state().buffers.current_mut().unwrap().area.selection = selection;
    ide.state().damage.add_all();
    ide
}

#[track_caller]
fn expect(ide: &mut TestIde, after: &str, what: &str) {
    let area = &ide.state().buffers.current().unwrap().area;
    assert_eq!(marked::show(area.text(), &area.selection), after, "{what}");
}

async fn check(before: &str, keys: &str, after: &str) {
    let mut ide = ide(before).await;
    ide.keys(keys).await;
    expect(&mut ide, after, &format!("{keys} from {before:?}"));
}

#[tokio::test]
async fn helix_motions_select_text() {
    check("|one twö\n", "w", "«one »twö\n").await;
    check("|one twö\n", "w w", "one «twö»\n").await;
    check("|one twö\n", "e", "«one» twö\n").await;
    check("one twö|\n", "b", "one »twö«\n").await;
    check("|one twö three\n", "v w w", "«one twö »three\n").await;
    check("|a.b c\n", "W", "«a.b »c\n").await;
    check("|one twö\n", "f ö", "«one twö»\n").await;
    check("|one twö\n", "t ö", "«one tw»ö\n").await;
    check("one tw|ö\n", "F n", "o»ne twö«\n").await;
    check("|one\n|twö x\n", "w", "«one»\n«twö »x\n").await;
    check("|one\ntwö\n", "l j", "one\nt«w»ö\n").await;
    check("|one\n", "g l", "on«e»\n").await;
    check("a\n  b|c\n", "g s", "a\n  «b»c\n").await;
    check("|a\nb\nc\n", "g e", "a\nb\n«c»\n").await;
    check("a\nb|\nc\n", "g g", "«a»\nb\nc\n").await;
    check("|a\nb\nc\n", "2 G", "a\n«b»\nc\n").await;
    check("|(é) x\n", "m m", "(é«)» x\n").await;
}

#[tokio::test]
async fn helix_selection_commands_split_filter_and_extend() {
    check("o|ne\ntwö\nx\n", "x", "«one\n»twö\nx\n").await;
    check("o|ne\ntwö\nx\n", "x x", "«one\ntwö\n»x\n").await;
    check("o|ne\ntwö\n", "2 x", "«one\ntwö\n»").await;
    check("|a b a\n", "% s a Enter", "«a» b «a»\n").await;
    check("«a, é, c»\n", "S , Enter", "«a»,« é»,« c»\n").await;
    check("«one» «twö»\n", "K ö Enter", "one «twö»\n").await;
    check("«one» «twö»\n", "Alt-k ö Enter", "«one» twö\n").await;
    check("«a\né\n»", "Alt-s", "«a»\n«é»\n").await;
    check("«a»b\nöc\n", "C", "«a»b\n«ö»c\n").await;
    check("«a» «b»\n", ",", "«a» b\n").await;
    check("«a» «b»\n", "Alt-,", "a «b»\n").await;
    check("«one» x\n", ";", "on«e» x\n").await;
    check("«one» x\n", "Alt-;", "»one« x\n").await;
    check("« é »\n", "_", " «é» \n").await;
    check("a (b| é) c\n", "m i (", "a («b é») c\n").await;
    check("a (b| é) c\n", "m a (", "a «(b é)» c\n").await;
    check("on|e twö\n", "m i w", "«one» twö\n").await;
}

#[tokio::test]
async fn helix_operators_change_selections() {
    check("«one» twö\n", "d", "« »twö\n").await;
    check("«one» «twö»\n", "d", "« »«\n»").await;
    check("«one» twö\n", "c é Escape", "é« »twö\n").await;
    check("«a\n»b\n", "c x Escape", "x«\n»b\n").await;
    check("«one» x\n", "y p", "one«one» x\n").await;
    check("«one\n»x\n", "y p", "one\n«one\n»x\n").await;
    check("«one» x\n", "y P", "«one»one x\n").await;
    check("«a» «b»\n", "y p", "a«a» b«b»\n").await;
    check("«one» twö\n", "y w w R", "one «one»\n").await;
    check("«öne»\n", "r x", "«xxx»\n").await;
    check("«öNe»\n", "~", "«ÖnE»\n").await;
    check("«ÖNE»\n", "`", "«öne»\n").await;
    check("«öne»\n", "Alt-`", "«ÖNE»\n").await;
    check("|a\n", ">", "    «a»\n").await;
    check("    «a»\n", "<", "«a»\n").await;
    check("«a»\nb\n", "J", "«a» b\n").await;
    check("«7» x\n", "Ctrl-a", "«8» x\n").await;
    check("«é»\n", "m s (", "(«é»)\n").await;
    check("(«é»)\n", "m d (", "«é»\n").await;
}

#[tokio::test]
async fn helix_insert_commands_start_at_selection_edges() {
    check("«one»\n", "i x Escape", "x«o»ne\n").await;
    check("«one»\n", "a x Escape", "one«x»\n").await;
    check("  o|ne\n", "I x Escape", "  x«o»ne\n").await;
    check("o|ne\n", "A x Escape", "onex«\n»").await;
    check("o|ne\n", "o x Escape", "one\nx«\n»").await;
    check("o|ne\n", "O x Escape", "x«\n»one\n").await;
    check("«a» «b»\n", "i x Escape", "x«a» x«b»\n").await;
    check("«one» twö three\n", "c x Escape w .", "x x«t»hree\n").await;
}

#[tokio::test]
async fn helix_undo_redo_macro_and_mode_indicator() {
    let mut ide = ide("«one» x\n").await;
    ide.keys("d u").await;
    assert_eq!(ide.text(), "one x\n");
    ide.keys("U").await;
    assert_eq!(ide.text(), " x\n");
    ide.keys("Q i z Escape Q q").await;
    assert_eq!(ide.text(), "zz x\n");
    assert!(ide.picture().contains("NORMAL a.txt"), "{}", ide.picture());
    ide.keys("v").await;
    assert!(ide.picture().contains("SELECT a.txt"), "{}", ide.picture());
}

#[tokio::test]
async fn helix_search_selects_matches() {
    let mut ide = ide("|aé b aé c\n").await;
    ide.keys("w * n").await;
    expect(&mut ide, "aé b «aé »c\n", "the next place");
    ide.keys("N").await;
    expect(&mut ide, "«aé »b aé c\n", "the place before");
    ide.keys("v n").await;
    expect(&mut ide, "«aé »b «aé »c\n", "extending adds it");
}

#[tokio::test]
async fn helix_line_broken_at_several_cursors_in_its_indentation_loses_it_once() {
    for keys in ["Escape", "Enter Escape", "x Escape"] {
        let mut ide = ide("    one|\n").await;
        ide.keys("2 o").await;
        let text = ide.state().buffers.current().unwrap().area.text().to_string();
        assert_eq!(text, "    one\n    \n");
        // As a click with Alt adds cursors.
        let (_, selection) = marked::parse("    one\n | | |\n");
        ide.state().buffers.current_mut().unwrap().area.selection = selection;
        ide.keys(keys).await;
        let text = ide.state().buffers.current().unwrap().area.text().to_string();
        let rest = text.strip_prefix("    one\n").unwrap_or_else(|| panic!("{keys}: {text:?}"));
        assert!(rest.chars().all(|c| c.is_whitespace() || c == 'x'), "{keys}: {text:?}");
    }
}

#[tokio::test]
async fn helix_counted_insertion_that_ends_in_the_prompt_types_nothing_there() {
    for keys in ["2 o", "2 o x", "3 i y"] {
        let mut ide = ide("    one two three four|\n").await;
        ide.keys(keys).await;
        let before = ide.state().buffers.current().unwrap().area.text().to_string();
        ide.keys("Alt-3 F1").await;
        ide.type_in("helix.normal").await;
        ide.keys("Enter").await;
        let after = ide.state().buffers.current().unwrap().area.text().to_string();
        assert_eq!(after, before, "{keys}: the file is as it was");
        assert_eq!(ide.state().prompt.area.text().to_string(), "", "{keys}: nothing is typed in the prompt");
        assert!(!ide.state().modal.mode.is_typing(), "{keys}");
    }
}
