//! Changes against a plain string.

use proptest::prelude::*;

use super::*;

/// A text and edits of it: sorted, not overlapping, on character boundaries.
fn edits_of(text: &str, cuts: &[(usize, usize, String)]) -> Vec<(Range<Byte>, String)> {
    let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut at = 0;
    let mut edits = Vec::new();
    for (skip, take, new) in cuts {
        let start = at + skip;
        let end = start + take;
        if end >= bounds.len() {
            break;
        }
        edits.push((Byte(bounds[start])..Byte(bounds[end]), new.clone()));
        at = end;
    }
    edits
}

fn replace_plain(text: &str, edits: &[(Range<Byte>, String)]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(&text[at..range.start.0]);
        out.push_str(new);
        at = range.end.0;
    }
    out + &text[at..]
}

type Cuts = Vec<(usize, usize, String)>;

fn cuts() -> impl Strategy<Value = Cuts> {
    prop::collection::vec((0..6usize, 0..4usize, "[xyzé漢]{0,4}"), 0..6)
}

fn apply(changes: &ChangeSet, text: &str) -> String {
    let mut rope = Text::from(text);
    changes.apply(&mut rope);
    rope.to_string()
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn changes_apply_and_invert(text in "[abcé漢\n]{0,40}", cuts in cuts()) {
        let edits = edits_of(&text, &cuts);
        let changes = ChangeSet::replace(text.len(), edits.clone());
        let after = apply(&changes, &text);
        prop_assert_eq!(&after, &replace_plain(&text, &edits));
        prop_assert_eq!(changes.len_after(), after.len());
        let inverse = changes.invert(&Text::from(text.as_str()));
        prop_assert_eq!(apply(&inverse, &after), text);
    }

    #[test]
    fn changes_compose_equals_apply_in_turn(text in "[abcé漢\n]{0,40}", first in cuts(), second in cuts()) {
        let a = ChangeSet::replace(text.len(), edits_of(&text, &first));
        let middle = apply(&a, &text);
        let b = ChangeSet::replace(middle.len(), edits_of(&middle, &second));
        let after = apply(&b, &middle);
        prop_assert_eq!(apply(&a.clone().compose(&b), &text), after);
    }

    #[test]
    fn changes_map_keeps_order_and_boundaries(text in "[abcé漢\n]{0,40}", cuts in cuts()) {
        let changes = ChangeSet::replace(text.len(), edits_of(&text, &cuts));
        let after = apply(&changes, &text);
        for side in [Side::Before, Side::After] {
            let mapped: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()])
                .map(|at| changes.map(Byte(at), side)).collect();
            prop_assert!(mapped.is_sorted(), "{:?} {:?}", side, mapped);
            prop_assert!(mapped.iter().all(|at| after.is_char_boundary(at.0)));
        }
        for (at, c) in text.char_indices() {
            let kept = !changes.edits().any(|e| e.old.start.0 < at + c.len_utf8() && at < e.old.end.0);
            if kept {
                let new = changes.map(Byte(at), Side::After);
                prop_assert!(after[new.0..].starts_with(c), "the character that a position stands before moves with it");
            }
        }
    }

    #[test]
    fn changes_map_equals_linear_walk(
        text in "[abcé漢\n]{0,200}",
        cuts in prop::collection::vec((0..4usize, 0..3usize, "[xyzé漢]{0,3}"), 0..60),
    ) {
        let changes = ChangeSet::replace(text.len(), edits_of(&text, &cuts));
        let edits: Vec<_> = changes.edits().collect();
        prop_assert_eq!(changes.last_edit(), edits.last().cloned());
        for at in (0..=text.len()).map(Byte) {
            for side in [Side::Before, Side::After] {
                let walked = changes.map_from(Entry::default(), at, side);
                prop_assert_eq!(changes.map(at, side), walked, "{:?} {:?}", at, side);
            }
            let inside = edits.iter().any(|edit| edit.old.start < at && at < edit.old.end);
            prop_assert_eq!(changes.is_inside(at), inside);
            let near: Vec<_> = edits.iter().filter(|edit| edit.old.end >= at).cloned().collect();
            prop_assert_eq!(changes.edits_from(at).collect::<Vec<_>>(), near);
        }
    }

    #[test]
    fn changes_edits_list_replacements(text in "[abcé漢\n]{0,40}", cuts in cuts()) {
        let changes = ChangeSet::replace(text.len(), edits_of(&text, &cuts));
        let told: Vec<_> = changes.edits().map(|e| (e.old, e.text.to_string())).collect();
        prop_assert_eq!(replace_plain(&text, &told), apply(&changes, &text));
    }
}

#[test]
fn changes_map_at_insertion_follows_side() {
    let changes = ChangeSet::replace(4, [(Byte(2)..Byte(2), "xy".to_string())]);
    assert_eq!(changes.map(Byte(2), Side::Before), Byte(2));
    assert_eq!(changes.map(Byte(2), Side::After), Byte(4));
    assert_eq!(changes.map(Byte(3), Side::Before), Byte(5));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(64))]
    #[test]
    fn changes_many_edits_match_plain_string(
        text in "[abcé漢\n]{300,600}",
        cuts in prop::collection::vec((0..2usize, 0..2usize, "[xyzé漢\n]{0,4}"), 80..200),
    ) {
        let edits = edits_of(&text, &cuts);
        let changes = ChangeSet::replace(text.len(), edits.clone());
        let after = apply(&changes, &text);
        prop_assert_eq!(&after, &replace_plain(&text, &edits));
        prop_assert_eq!(apply(&changes.invert(&Text::from(text.as_str())), &after), text);
    }
}

#[test]
fn changes_rebuilt_text_knows_long_lines() {
    let text = "ab\t".repeat(50_000);
    let edits = (0..50_000).map(|n| (Byte(n * 3)..Byte(n * 3 + 1), "é".to_string()));
    let mut rope = Text::from(text.as_str());
    ChangeSet::replace(text.len(), edits).apply(&mut rope);
    assert_eq!(rope.to_string(), text.replace('a', "é"));
    assert!(rope.long_lines().is_some());
}
