//! Snippets put into marked texts and typed into.

use proptest::prelude::*;

use super::*;
use crate::text::marked;
use crate::text::operations::edit;

struct Desk {
    text: Text,
    selection: Selection,
    stops: Option<SnippetStops>,
}

fn desk(before: &str, source: &str) -> Desk {
    let (text, selection) = marked::parse(before);
    let snippet = Snippet::parse(source).unwrap();
    let style = SnippetStyle { indent: "  ", ending: "\n" };
    let variable = |range: Range, name: &str| match name {
        "TM_SELECTED_TEXT" => Some(text.slice(range.span()).into_owned()),
        _ => None,
    };
    let (edit, stops) = insert(&text, &selection, &snippet, &style, &variable).unwrap();
    let mut desk = Desk { text: text.clone(), selection, stops: None };
    desk.apply(edit);
    desk.stops = Some(stops);
    desk
}

impl Desk {
    fn apply(&mut self, edit: Transaction) {
        edit.changes.apply(&mut self.text);
        self.selection = edit.selection.unwrap_or_else(|| self.selection.map(&edit.changes));
        if let Some(mut stops) = self.stops.take() {
            self.stops = stops.map(&edit.changes).then_some(stops);
        }
    }

    fn types(&mut self, new: &str) {
        self.apply(edit::insert(&self.text, &self.selection, new));
    }

    fn go(&mut self, forward: bool) {
        self.selection = self.stops.as_mut().unwrap().go(forward).unwrap();
    }

    #[track_caller]
    fn is(&self, after: &str) {
        assert_eq!(marked::show(&self.text, &self.selection), after);
    }
}

#[test]
fn snippet_stops_are_navigated_and_typed() {
    let mut desk = desk("é |", "for ${1:x} in $2 {\n\t$0\n}");
    desk.is("é for «x» in  {\n  \n}");
    desk.types("größe");
    desk.go(true);
    desk.is("é for größe in | {\n  \n}");
    desk.types("y");
    desk.go(false);
    desk.is("é for «größe» in y {\n  \n}");
    desk.go(true);
    desk.go(true);
    desk.is("é for größe in y {\n  |\n}");
    assert!(desk.stops.as_ref().unwrap().is_last());
}

#[test]
fn snippet_mirrors_and_cursors_are_typed_together() {
    let mut desk = desk("|\n  |\n", "${1:né} = $1;$0");
    desk.is("«né» = «né»;\n  «né» = «né»;\n");
    desk.types("漢");
    desk.is("漢| = 漢|;\n  漢| = 漢|;\n");
    desk.types("!");
    desk.go(true);
    desk.is("漢! = 漢!;|\n  漢! = 漢!;|\n");
}

#[test]
fn snippet_touching_stops_keep_order() {
    let mut desk = desk("|", "$1$2${3}x");
    desk.types("a");
    desk.go(true);
    desk.types("b");
    desk.go(true);
    desk.types("c");
    desk.is("abc|x");
    desk.go(false);
    desk.is("a«b»cx");
    desk.types("B");
    desk.go(false);
    desk.is("«a»Bcx");
    let mut desk = self::desk("|", "$2$1");
    desk.types("one");
    desk.go(true);
    desk.types("two");
    desk.is("two|one");
}

#[test]
fn snippet_nested_stops_follow_outer_stop() {
    let mut desk = desk("|", "${1:a ${2:b} c} $0");
    desk.is("«a b c» ");
    desk.go(true);
    desk.types("Ü!");
    desk.go(false);
    desk.is("«a Ü! c» ");
    desk.types("x");
    desk.go(true);
    desk.is("x |");
}

#[test]
fn snippet_keeps_selected_text_and_indentation() {
    let text = desk("\t«é\n»x", "if {\n\t$TM_SELECTED_TEXT}\n");
    text.is("\tif {\n\t  é\n\t}\n\t|x");
    let crlf = Snippet::parse("a\n\tb$0").unwrap();
    let (text, selection) = marked::parse("  |");
    let style = SnippetStyle { indent: "\t", ending: "\r\n" };
    let (edit, stops) = insert(&text, &selection, &crlf, &style, &|_, _| None).unwrap();
    let mut after = text.clone();
    edit.changes.apply(&mut after);
    assert_eq!(after.to_string(), "  a\r\n  \tb");
    assert_eq!(stops.selection().primary().head, after.end());
}

#[test]
fn snippet_choices_cycle_in_every_mirror() {
    let mut desk = desk("|", "${1|let,var,größe|} $1;$0");
    desk.is("«let» «let»;");
    let mut stops = desk.stops.clone().unwrap();
    for after in ["«var» «var»;", "«größe» «größe»;", "«let» «let»;"] {
        let edit = stops.choose(&desk.text).unwrap();
        stops.map(&edit.changes);
        desk.apply(edit);
        desk.is(after);
    }
    desk.stops = Some(stops);
    desk.go(true);
    desk.is("let let;|");
}

#[test]
fn snippet_ends_when_left_or_deleted() {
    let mut desk = desk("x |\ny", "${1:a} $2");
    let stops = desk.stops.clone().unwrap();
    assert!(stops.contains(Range::cursor(Byte(2))) && stops.contains(Range::new(Byte(4), Byte(2))));
    assert!(!stops.contains(Range::cursor(Byte(0))) && !stops.contains(Range::cursor(Byte(6))));
    let all = ChangeSet::replace(desk.text.end().0, [(Byte(0)..desk.text.end(), String::new())]);
    desk.apply(Transaction::new(all));
    assert!(desk.stops.is_none_or(|stops| stops.selection().primary().end() == Byte(0)));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(128))]
    /// Whatever is edited, stops are in the text and in their order, and one can go through them.
    #[test]
    fn snippet_stops_stay_inside_text(
        source in prop::sample::select(vec!["$1$2$0", "${1:é ${2:b}}$1", "$0${1|a,b|} $2\n\t$1"]),
        edits in prop::collection::vec((0usize..30, 0usize..6, "[aé\n]{0,3}", 0u8..4), 0..12),
    ) {
        let mut desk = desk("one |\n\ttwö |", source);
        for (from, take, new, go) in edits {
            let start = desk.text.char_floor(Byte(from).min(desk.text.end()));
            let end = desk.text.char_floor((start + take).min(desk.text.end()));
            let changes = ChangeSet::replace(desk.text.end().0, [(start..end, new)]);
            desk.apply(Transaction::new(changes));
            let Some(stops) = &mut desk.stops else { return Ok(()) };
            if go < 2 {
                stops.go(go == 0);
            }
            for place in stops.stops.iter().flat_map(|stop| &stop.ranges) {
                prop_assert!(place.range.start <= place.range.end && place.range.end <= desk.text.end());
                prop_assert_eq!(desk.text.char_floor(place.range.start), place.range.start);
            }
            prop_assert!(stops.at < stops.stops.len());
        }
    }
}
