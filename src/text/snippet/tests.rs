//! Snippets as they are written, against what they become.

use proptest::prelude::*;

use super::*;

fn variable(name: &str) -> Option<String> {
    match name {
        "TM_FILENAME" => Some("größe.rs".to_string()),
        "TM_SELECTED_TEXT" => Some(String::new()),
        _ => None,
    }
}

/// The text with every stop marked `‹number:text›`; choices behind a bar.
fn shown(source: &str) -> String {
    let Expanded { text, stops } = Snippet::parse(source).unwrap().expand(&variable).unwrap();
    let mut marks: Vec<(usize, u8, usize, String)> = Vec::new();
    for stop in &stops {
        let choices =
            if stop.choices.is_empty() { String::new() } else { format!("|{}", stop.choices.join(",")) };
        for range in &stop.ranges {
            if range.is_empty() {
                marks.push((range.start, 1, 0, format!("‹{}:{choices}›", stop.number)));
                continue;
            }
            marks.push((range.start, 2, usize::MAX - range.end, format!("‹{}:", stop.number)));
            marks.push((range.end, 0, usize::MAX - range.start, format!("{choices}›")));
        }
    }
    marks.sort_by_key(|(at, kind, order, _)| (*at, *kind, *order));
    let (mut out, mut from) = (String::new(), 0);
    for (at, _, _, sign) in marks {
        out += &text[from..at];
        out += &sign;
        from = at;
    }
    out + &text[from..]
}

#[test]
fn snippet_stops_defaults_mirrors_and_choices() {
    assert_eq!(shown("plain é"), "plain é‹0:›");
    assert_eq!(shown("for $1 in ${2:it} {\n\t$0\n}"), "for ‹1:› in ‹2:it› {\n\t‹0:›\n}");
    assert_eq!(shown("${1:né} = $1;$0"), "‹1:né› = ‹1:né›;‹0:›");
    assert_eq!(shown("$1 ${1:later}"), "‹1:later› ‹1:later›‹0:›");
    assert_eq!(shown("${1|a,b\\,c,d\\|e|}"), "‹1:a|a,b,c,d|e›‹0:›");
    assert_eq!(shown("${1:a ${2:b} c}"), "‹1:a ‹2:b› c›‹0:›");
    assert_eq!(shown("${1:a ${2:b}} $1"), "‹1:a ‹2:b›› ‹1:a b›‹0:›");
    assert_eq!(shown("${10}${9}"), "‹9:›‹10:›‹0:›");
    let order = |source: &str| -> Vec<u32> {
        Snippet::parse(source)
            .unwrap()
            .expand(&variable)
            .unwrap()
            .stops
            .iter()
            .map(|stop| stop.number)
            .collect()
    };
    assert_eq!(order("$0 $3 $1 $2"), [1, 2, 3, 0]);
}

#[test]
fn snippet_self_reference_in_default_is_empty() {
    assert_eq!(shown("${1:a $1 b}"), "‹1:a  b›‹0:›");
    assert_eq!(shown("${1:$2}${2:$1}"), "‹1:›‹1:›‹2:›‹2:›‹0:›");
}

#[test]
fn snippet_variables_use_value_default_or_name() {
    assert_eq!(shown("$TM_FILENAME"), "größe.rs‹0:›");
    assert_eq!(shown("${TM_FILENAME:none}"), "größe.rs‹0:›");
    assert_eq!(shown("${TM_SELECTED_TEXT:${1:x}}"), "‹1:x›‹0:›");
    assert_eq!(shown("$TM_SELECTED_TEXT."), ".‹0:›");
    assert_eq!(shown("$unknown_1 ${other:d}"), "unknown_1 d‹0:›");
}

#[test]
fn snippet_unmatched_signs_are_text() {
    assert_eq!(shown("5 $ \\$1 \\\\ \\} } \\n $"), "5 $ $1 \\ } } \\n $‹0:›");
    assert_eq!(shown("${1:\\}}"), "‹1:}›‹0:›");
}

#[test]
fn snippet_malformed_or_excessive_is_refused() {
    let why = |source: &str| Snippet::parse(source).unwrap_err();
    assert_eq!(why("é ${1:a"), SnippetError::Unclosed(3));
    assert_eq!(why("${1"), SnippetError::Unclosed(1));
    assert_eq!(why("${1|a,b"), SnippetError::Unclosed(1));
    assert_eq!(why("${1|a|x}"), SnippetError::Unknown(1));
    assert_eq!(why("${}"), SnippetError::Unknown(1));
    assert_eq!(why("${TM_FILENAME/a/b/}"), SnippetError::Unknown(1));
    assert_eq!(why(&"${1:".repeat(40)), SnippetError::TooDeep);
    assert_eq!(why(&"x".repeat(LENGTH_MAX + 1)), SnippetError::TooLong);
    assert_eq!(why("${99999999999}"), SnippetError::Unknown(1));
    // Each doubles the one before it.
    let twice = |n: usize| format!("${{{n}:${}${}x}}", n + 1, n + 1);
    let doubling = (1..15).map(twice).collect::<Vec<_>>().concat();
    let bomb = Snippet::parse(&format!("{doubling}${{15:{}}}", "y".repeat(5_000))).unwrap();
    assert_eq!(bomb.expand(&variable), Err(SnippetError::TooLong));
    let of = |n: usize, inner: String| format!("${{{n}:{inner}}}");
    let nothing = (1..16).map(|n| of(n, format!("${}", n + 1).repeat(30))).collect::<Vec<_>>().concat();
    assert_eq!(Snippet::parse(&nothing).unwrap().expand(&variable), Err(SnippetError::TooLong));
    let chain = (1..4_000).map(|n| of(n, format!("${}", n + 1))).collect::<Vec<_>>().concat();
    assert_eq!(Snippet::parse(&chain).unwrap().expand(&variable), Err(SnippetError::TooDeep));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(512))]
    #[test]
    fn snippet_any_text_is_expanded_or_refused(source in "[${}:|,\\\\0-3a_é\n\t ]{0,60}|\\PC{0,40}") {
        if let Ok(snippet) = Snippet::parse(&source) {
            let Expanded { text, stops } = snippet.expand(&variable).unwrap();
            prop_assert_eq!(stops.last().map(|stop| stop.number), Some(0));
            prop_assert!(stops[..stops.len() - 1].is_sorted_by_key(|stop| stop.number));
            for range in stops.iter().flat_map(|stop| &stop.ranges) {
                prop_assert!(text.get(range.clone()).is_some(), "{:?}", range);
            }
            for stop in &stops {
                let texts: Vec<&str> = stop.ranges.iter().map(|range| &text[range.clone()]).collect();
                prop_assert!(stop.choices.is_empty() || texts.contains(&stop.choices[0].as_str()));
            }
        }
    }

    #[test]
    fn snippet_escaped_text_roundtrips(text in "\\PC{0,40}") {
        let escaped = text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}");
        let expanded = Snippet::parse(&escaped).unwrap().expand(&variable).unwrap();
        prop_assert_eq!(expanded.text, text);
    }
}
