//! Scopes of one source over those of another one, such as what a language server knows of names over the syntax tree. Must
//! not know the sources.

use std::ops::Range;

use crate::syntax::highlighting::highlighted_range::Span;
use crate::text::position::Byte;

/// Returns the scopes of `upper` over those of `lower`; both must be sorted and disjoint, as is the result. A scope of
/// `lower` that says the same in more detail (`keyword.control` below `keyword`) stays.
pub fn overlay(lower: Vec<Span>, upper: Vec<Span>) -> Vec<Span> {
    let detailed = detailed_ranges(&lower, &upper);
    let upper = without(upper, &detailed);
    let covered: Vec<Range<Byte>> = upper.iter().map(|span| span.range.clone()).collect();
    let mut all = without(lower, &covered);
    all.extend(upper);
    all.sort_unstable_by_key(|span| span.range.start);
    all
}

/// Returns where `lower` has more detailed scopes than `upper`.
fn detailed_ranges(lower: &[Span], upper: &[Span]) -> Vec<Range<Byte>> {
    let mut found = Vec::new();
    let mut first = 0;
    for below in lower {
        first += upper[first..].iter().take_while(|above| above.range.end <= below.range.start).count();
        for above in upper[first..].iter().take_while(|above| above.range.start < below.range.end) {
            if is_detail(below.scope, above.scope) {
                let start = below.range.start.max(above.range.start);
                found.push(start..below.range.end.min(above.range.end));
            }
        }
    }
    found
}

/// Whether a scope is a part of another one.
fn is_detail(scope: &str, of: &str) -> bool {
    scope.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'))
}

/// Returns spans without the parts in some ranges; both must be sorted and disjoint.
fn without(spans: Vec<Span>, cuts: &[Range<Byte>]) -> Vec<Span> {
    let mut left = Vec::with_capacity(spans.len() + cuts.len());
    let mut first = 0;
    for Span { mut range, scope } in spans {
        first += cuts[first..].iter().take_while(|cut| cut.end <= range.start).count();
        for cut in cuts[first..].iter().take_while(|cut| cut.start < range.end) {
            if range.start < cut.start {
                left.push(Span { range: range.start..cut.start, scope });
            }
            range.start = cut.end.min(range.end);
        }
        if range.start < range.end {
            left.push(Span { range, scope });
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(usize, usize, &'static str)]) -> Vec<Span> {
        list.iter().map(|(from, to, scope)| Span { range: Byte(*from)..Byte(*to), scope }).collect()
    }

    fn over(lower: &[(usize, usize, &'static str)], upper: &[(usize, usize, &'static str)]) -> Vec<Span> {
        overlay(spans(lower), spans(upper))
    }

    #[test]
    fn overlay_splits_what_is_below() {
        let found = over(
            &[(0, 10, "variable"), (12, 14, "string")],
            &[(2, 4, "type"), (6, 7, "function"), (9, 13, "tag")],
        );
        let expected = [
            (0, 2, "variable"),
            (2, 4, "type"),
            (4, 6, "variable"),
            (6, 7, "function"),
            (7, 9, "variable"),
            (9, 13, "tag"),
            (13, 14, "string"),
        ];
        assert_eq!(found, spans(&expected));
        assert_eq!(over(&[], &[(1, 2, "type")]), spans(&[(1, 2, "type")]));
        assert_eq!(over(&[(1, 2, "type")], &[]), spans(&[(1, 2, "type")]));
    }

    #[test]
    fn overlay_keeps_what_says_the_same_in_more_detail() {
        let found = over(
            &[
                (0, 2, "keyword.control"),
                (3, 5, "string"),
                (5, 6, "string.escape"),
                (6, 9, "string"),
                (10, 12, "types"),
            ],
            &[(0, 2, "keyword"), (3, 9, "string"), (10, 12, "type")],
        );
        let expected = [
            (0, 2, "keyword.control"),
            (3, 5, "string"),
            (5, 6, "string.escape"),
            (6, 9, "string"),
            (10, 12, "type"),
        ];
        assert_eq!(found, spans(&expected));
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]
        #[test]
        fn overlay_colors_each_byte_as_a_walk_does(
            lower in proptest::collection::vec((0_usize..4, 1_usize..6, 0_usize..4), 0..9),
            upper in proptest::collection::vec((0_usize..4, 1_usize..6, 0_usize..4), 0..9),
        ) {
            const NAMES: [&str; 4] = ["type", "type.builtin", "string", "string.special.url"];
            let build = |list: &[(usize, usize, usize)]| {
                let mut at = 0;
                let one = |(gap, len, name): &(usize, usize, usize)| {
                    let start = at + gap;
                    at = start + len;
                    Span { range: Byte(start)..Byte(at), scope: NAMES[*name] }
                };
                list.iter().map(one).collect::<Vec<_>>()
            };
            let at = |spans: &[Span], n: usize| {
                spans.iter().find(|span| span.range.contains(&Byte(n))).map(|span| span.scope)
            };
            let (lower, upper) = (build(&lower), build(&upper));
            let found = overlay(lower.clone(), upper.clone());
            proptest::prop_assert!(found.is_sorted_by(|a, b| a.range.end <= b.range.start));
            for n in 0..90 {
                let expected = match (at(&lower, n), at(&upper, n)) {
                    (Some(below), Some(above)) if is_detail(below, above) => Some(below),
                    (below, above) => above.or(below),
                };
                proptest::prop_assert_eq!(at(&found, n), expected, "{}", n);
            }
        }
    }
}
