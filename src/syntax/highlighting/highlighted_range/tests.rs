//! Spans on their way through edits, in a notation of brackets.

use super::*;
use proptest::prelude::*;

/// `[ab]c` is a span over `ab`.
fn painted(marked: &str) -> (String, HighlightedRange) {
    let (mut text, mut spans, mut open) = (String::new(), Vec::new(), Byte(0));
    for c in marked.chars() {
        match c {
            '[' => open = Byte(text.len()),
            ']' => spans.push(Span { range: open..Byte(text.len()), scope: "s" }),
            _ => text.push(c),
        }
    }
    let end = Byte(text.len());
    (text, HighlightedRange::new(Byte(0)..end, spans))
}

fn after(marked: &str, edits: &[(usize, usize, &str)]) -> String {
    let (mut text, mut painted) = painted(marked);
    let edit = |(from, to, new): &(usize, usize, &str)| (Byte(*from)..Byte(*to), (*new).to_string());
    let changes = ChangeSet::replace(text.len(), edits.iter().map(edit));
    painted.map(&changes);
    for (from, to, new) in edits.iter().rev() {
        text.replace_range(*from..*to, new);
    }
    assert_eq!(painted.range(), Byte(0)..Byte(text.len()));
    for span in painted.spans().rev() {
        text.insert(span.range.end.0, ']');
        text.insert(span.range.start.0, '[');
    }
    text
}

#[test]
fn painted_typing_inside_or_at_end_extends_span() {
    assert_eq!(after("[let] x", &[(3, 3, "ä")]), "[letä] x");
    assert_eq!(after("[let] x", &[(1, 1, " ")]), "[l et] x");
    assert_eq!(after("[let] x", &[(3, 3, ";")]), "[let]; x");
    assert_eq!(after("[let] x", &[(0, 0, "a")]), "a[let] x");
    assert_eq!(after("[a][b]", &[(1, 1, "x")]), "[ax][b]");
}

#[test]
fn painted_deletion_removes_span() {
    assert_eq!(after("[let] [x]", &[(0, 4, "")]), "[x]");
    assert_eq!(after("[let] [x]", &[(2, 4, "")]), "[le][x]");
    assert_eq!(after("[let] [x]", &[(0, 5, "é")]), "é");
    assert_eq!(after("[let]", &[(1, 2, "")]), "[lt]");
}

#[test]
fn painted_several_edits_at_once() {
    assert_eq!(after("[ab] [cd] [ef]", &[(1, 1, "1"), (4, 4, "2"), (7, 7, "3")]), "[a1b] [c2d] [e3f]");
    assert_eq!(after("[ab] [cd]", &[(0, 0, "\n"), (2, 3, ""), (5, 5, "\n")]), "\n[ab][cd]\n");
}

#[test]
fn painted_within_returns_only_touching_spans() {
    let (_, painted) = painted("[ab] [cd] [ef]");
    let within = |from: usize, to: usize| painted.within(&(Byte(from)..Byte(to))).len();
    assert_eq!((within(0, 14), within(2, 3), within(1, 4), within(3, 3)), (3, 0, 2, 0));
    assert!(painted.covers(&(Byte(2)..Byte(8))) && !painted.covers(&(Byte(2)..Byte(9))));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn painted_spans_stay_sorted_and_inside(cuts in prop::collection::vec(1usize..5, 1..12), at in 0usize..40, gone in 0usize..20, new in "[a ]{0,3}") {
        let (mut start, mut spans) = (0, Vec::new());
        for pair in cuts.chunks(2) {
            spans.push(Span { range: Byte(start)..Byte(start + pair[0]), scope: "s" });
            start += pair[0] + pair.get(1).map_or(0, |gap| gap - 1);
        }
        let len = start;
        let (from, to) = (at.min(len), (at + gone).min(len));
        let mut painted = HighlightedRange::new(Byte(0)..Byte(len), spans);
        painted.map(&ChangeSet::replace(len, [(Byte(from)..Byte(to), new.clone())]));
        let mut last = Byte(0);
        for span in painted.spans() {
            prop_assert!(last <= span.range.start && span.range.start < span.range.end);
            last = span.range.end;
        }
        prop_assert!(last.0 <= len - (to - from) + new.len());
    }

    #[test]
    fn painted_lazy_edits_equal_moving_every_span(
        cuts in prop::collection::vec((0usize..3, 1usize..5), 0..20),
        edits in prop::collection::vec(prop::collection::vec((0usize..60, 0usize..6, "[a ]{0,3}"), 1..4), 1..12),
    ) {
        let (mut at, mut spans) = (0, Vec::new());
        for (gap, length) in cuts {
            spans.push(Span { range: Byte(at + gap)..Byte(at + gap + length), scope: "s" });
            at += gap + length;
        }
        let mut length = at;
        let mut painted = HighlightedRange::new(Byte(0)..Byte(length), spans.clone());
        for places in edits {
            let mut places: Vec<_> = places.iter().map(|(at, gone, new)| {
                let from = (*at).min(length);
                (Byte(from)..Byte((from + gone).min(length)), new.clone())
            }).collect();
            places.sort_by_key(|(range, _)| range.start);
            places.dedup_by(|next, last| next.0.start < last.0.end || next.0.start == last.0.start);
            let changes = ChangeSet::replace(length, places);
            for edit in changes.edits().collect::<Vec<_>>().iter().rev() {
                let word = edit.text.chars().all(char::is_alphanumeric);
                for span in &mut spans {
                    if span.range.end >= edit.old.start {
                        span.range = map_start(span.range.start, edit)..map_end(span.range.end, edit, word);
                    }
                }
                spans.retain(|span| !span.range.is_empty());
                length = length - (edit.old.end - edit.old.start) + edit.text.len();
            }
            painted.map(&changes);
            prop_assert_eq!(painted.spans().collect::<Vec<_>>(), spans.clone());
            for range in [Byte(0)..Byte(length / 2), Byte(length / 3)..Byte(length)] {
                let touching = spans.iter().filter(|s| s.range.end > range.start && s.range.start < range.end);
                prop_assert_eq!(painted.within(&range).collect::<Vec<_>>(), touching.cloned().collect::<Vec<_>>());
                let back: Vec<_> = painted.within(&range).rev().collect();
                prop_assert_eq!(back.into_iter().rev().collect::<Vec<_>>(), painted.within(&range).collect::<Vec<_>>());
            }
        }
    }
}
