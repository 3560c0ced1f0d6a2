//! Numbers and marker texts of the specification, and what must hold for any text.

use proptest::prelude::*;

use super::*;

fn limits(chars: usize, keep: Keep, lines: Option<usize>) -> Limits {
    Limits { chars, keep, lines }
}

fn cut(text: &str, limits: Limits) -> Option<String> {
    truncate(&Body::Whole(text.to_string()), limits)
}

#[test]
fn truncation_markers_match_specification() {
    let text = format!("{}{}", "a".repeat(40), "b".repeat(60));
    assert_eq!(
        cut(&text, limits(20, Keep::Ends, None)).unwrap(),
        format!(
            "{}\n\n[WARNING: Tool output was truncated. 80 characters were removed from the middle. The full \
             output is available in the event stream. If you need to see specific parts, re-run the tool with \
             more targeted parameters.]\n\n{}",
            "a".repeat(10),
            "b".repeat(10)
        )
    );
    assert_eq!(
        cut(&text, limits(20, Keep::Tail, None)).unwrap(),
        format!(
            "[WARNING: Tool output was truncated. First 80 characters were removed. The full output is \
             available in the event stream.]\n\n{}",
            "b".repeat(20)
        )
    );
    assert_eq!(cut(&text, limits(100, Keep::Ends, None)), None);
}

#[test]
fn truncation_lines_are_cut_after_characters() {
    let text = (1..=10).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
    let few = |most| cut(&text, limits(1_000, Keep::Ends, Some(most)));
    assert_eq!(few(4).unwrap(), "1\n2\n[... 6 lines omitted ...]\n9\n10");
    assert_eq!(few(5).unwrap(), "1\n2\n[... 5 lines omitted ...]\n8\n9\n10");
    assert_eq!(few(1).unwrap(), "\n[... 9 lines omitted ...]\n10");
    assert_eq!(few(10), None);
    // Two lines as long as a book: lines alone would let them pass.
    let books = format!("{}\n{}", "x".repeat(10_000_000), "y".repeat(10_000_000));
    let short = cut(&books, limits(1_000, Keep::Ends, Some(256))).unwrap();
    assert!(short.len() < 1_300 && short.contains("19999001 characters were removed"), "{}", short.len());
    let both = cut(&text, limits(8, Keep::Tail, Some(2))).unwrap();
    assert!(both.starts_with("[WARNING") && both.ends_with("\n[... 4 lines omitted ...]\n10"), "{both}");
}

#[test]
fn truncation_without_middle_matches_full_text() {
    let whole: String = (0..1_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let body = Body::Ends { head: whole[..200].into(), tail: whole[800..].into(), chars: 1_000 };
    for keep in [Keep::Ends, Keep::Tail] {
        let own = limits(100, keep, None);
        assert_eq!(truncate(&body, own), cut(&whole, own));
        assert_eq!(truncate(&body.clone().within("<<", ">>"), own), cut(&format!("<<{whole}>>"), own));
    }
    // More is allowed than was kept: the marker tells what is really missing.
    let all = truncate(&body, limits(900, Keep::Ends, None)).unwrap();
    assert!(all.contains("600 characters were removed"), "{all}");
}

#[test]
fn truncation_override_by_name_beats_kind() {
    let mut said = LimitOverrides::default();
    let own = Some(limits(30_000, Keep::Ends, Some(256)));
    assert_eq!(said.limits("Bash", Kind::Bash, own), own);
    said.set("bash", LimitOverride { chars: Some(100), lines: Some(0) });
    said.set("Bash", LimitOverride { chars: Some(50), lines: None });
    assert_eq!(said.limits("Bash", Kind::Bash, own), Some(limits(50, Keep::Ends, None)));
    assert_eq!(said.limits("exec_command", Kind::Bash, own), Some(limits(100, Keep::Ends, None)));
    assert_eq!(said.limits("Read", Kind::Read, None), None);
    said.set("other", LimitOverride { chars: Some(1), lines: None });
    assert_eq!(said.limits("mine", Kind::Other, None), None, "`other` is no name of a kind");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(300))]

    #[test]
    fn truncation_head_tail_and_count_are_exact(
        text in "[aé😀\n]{0,80}", most in 0usize..50, front in any::<bool>(),
    ) {
        let keep = if front { Keep::Ends } else { Keep::Tail };
        let chars = text.chars().count();
        match cut(&text, limits(most, keep, None)) {
            None => prop_assert!(chars <= most),
            Some(cut) => {
                let (head, rest) = cut.split_once("[WARNING: Tool output was truncated. ").unwrap();
                let head = head.strip_suffix("\n\n").unwrap_or(head);
                let (told, tail) = rest.split_once("]\n\n").unwrap();
                prop_assert!(text.starts_with(head) && text.ends_with(tail));
                prop_assert_eq!(head.chars().count() + tail.chars().count(), most);
                let number: usize = told.split(' ').find_map(|word| word.parse().ok()).unwrap();
                prop_assert_eq!(number, chars - most);
            }
        }
    }

    #[test]
    fn truncation_lines_keep_head_and_tail(text in "[ab\n]{0,60}", most in 0usize..12) {
        let all: Vec<&str> = text.split('\n').collect();
        match lines(&text, most) {
            None => prop_assert!(all.len() <= most),
            Some(cut) => {
                let (head, tail) = cut.split_once("\n[... ").unwrap();
                let (told, tail) = tail.split_once(" lines omitted ...]\n").unwrap();
                prop_assert_eq!(told.parse::<usize>().unwrap(), all.len() - most);
                let (half, rest) = (most / 2, most - most / 2);
                prop_assert_eq!(head, all[..half].join("\n"));
                prop_assert_eq!(tail, all[all.len() - rest..].join("\n"));
            }
        }
    }
}
