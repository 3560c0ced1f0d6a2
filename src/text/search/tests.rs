//! Tests of searches, against the `regex` engine on a joined string where it can judge.

use proptest::prelude::*;

use super::*;

const PLAIN: SearchOptions = SearchOptions { regex: false, word: false, case: CaseMatching::Smart };
const REGEX: SearchOptions = SearchOptions { regex: true, ..PLAIN };
const WORD: SearchOptions = SearchOptions { word: true, ..PLAIN };

fn needle(text: &str, how: SearchOptions) -> Needle {
    Needle::new(text, how).unwrap().unwrap()
}

fn all(wanted: &str, how: SearchOptions, text: &str) -> Vec<String> {
    let text = Text::from(text);
    let needle = needle(wanted, how);
    needle.matches(&text, Byte(0)..text.end()).map(|found| text.slice(found).into_owned()).collect()
}

#[test]
fn search_matches_cross_chunks_and_wrap() {
    let plain = format!("{}Needle é\n{}needle", "x".repeat(5_000), "y".repeat(3_000));
    let text = Text::from(plain.as_str());
    for how in [PLAIN, REGEX, WORD] {
        let found =
            |wanted: &str, from| needle(wanted, how).find_wrapping(&text, Byte(from)).map(|r| r.start.0);
        if how != WORD {
            assert_eq!(found("needle", 0), Some(5_000), "lower case matches any");
            assert_eq!(found("Needle", 5_001), Some(5_000), "upper case matches itself, going round");
            let last = needle("needle", how).find_back(&text, text.end());
            assert_eq!(last, Some(Byte(plain.len() - 6)..Byte(plain.len())));
        }
        assert_eq!(found("absent", 0), None);
    }
    assert_eq!(needle("é\ny", PLAIN).find(&text, Byte(0)).unwrap().start, Byte(5_007));
    assert!(Needle::new("", REGEX).unwrap().is_none());
}

#[test]
fn search_case_is_smart_exact_or_ignored() {
    let text = "Äpfel äpfel ÄPFEL";
    assert_eq!(all("äpfel", PLAIN, text).len(), 3);
    assert_eq!(all("Äpfel", PLAIN, text), ["Äpfel"]);
    assert_eq!(all("äpfel", SearchOptions { case: CaseMatching::Sensitive, ..PLAIN }, text), ["äpfel"]);
    assert_eq!(all("ÄPFEL", SearchOptions { case: CaseMatching::Insensitive, ..PLAIN }, text).len(), 3);
}

#[test]
fn search_whole_word_and_literal_characters() {
    assert_eq!(all("is", WORD, "this is his").len(), 1);
    assert_eq!(all("a.b*(c)", WORD, "xa.b*(c) a.b*(c)d"), ["a.b*(c)"]);
    assert_eq!(
        all("a.b*", SearchOptions { case: CaseMatching::Sensitive, word: false, ..PLAIN }, "aXb a.b*"),
        ["a.b*"]
    );
    assert_eq!(all("a.b ü#-", WORD, "aXb ü#- a.b ü#-"), ["a.b ü#-"]);
    assert_eq!(all("ü", SearchOptions { case: CaseMatching::Insensitive, ..PLAIN }, "Ü.ü"), ["Ü", "ü"]);
}

#[test]
fn search_regex_lines_groups_and_replacement() {
    assert_eq!(all("^b.$", REGEX, "ab\r\nbc\r\nbd"), ["bc", "bd"]);
    assert_eq!(all("(?s)a.*c", REGEX, "a\nb\nc"), ["a\nb\nc"]);
    assert_eq!(all(r"fn (\w+)\(", REGEX, "fn é(x) fn two("), ["fn é(", "fn two("]);
    let text = Text::from("let first = second;\n");
    let swap = needle(r"(?<a>\w+) = (\w+)", REGEX);
    let found = swap.find(&text, Byte(0)).unwrap();
    assert_eq!(
        swap.replacement(&text, found.clone(), "$2 = ${a}, $0 $$ $9"),
        "second = first, let first = second $ ".replace("let ", "")
    );
    assert_eq!(needle("first", PLAIN).replacement(&text, found, "$1"), "$1", "a plain text has no groups");
}

#[test]
fn search_literal_escapes_regex_signs() {
    let every = r##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~ é"##;
    assert_eq!(all(every, PLAIN, &format!("x{every}y")), [every]);
    assert_eq!(all("É<b>", SearchOptions { case: CaseMatching::Insensitive, ..PLAIN }, "é<b> éb"), ["é<b>"]);
}

#[test]
fn search_invalid_regex_is_error() {
    for bad in ["(", "[a", "*", r"\p{Nope}"] {
        let error = Needle::new(bad, REGEX).unwrap_err();
        assert!(!error.to_string().is_empty() && !error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn search_range_start_sees_text_before() {
    let text = Text::from("aab\nab");
    let starts = |wanted, from| needle(wanted, REGEX).find(&text, Byte(from)).map(|found| found.start.0);
    assert_eq!(starts("^ab", 1), Some(4), "offset 1 is no line start");
    assert_eq!(starts(r"\bab", 1), Some(4), "nor the start of a word");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(96))]
    #[test]
    fn search_rope_matches_string_search(
        parts in prop::collection::vec("[ab]{1,40}|é|漢\n|\r\n| ", 0..120),
        pattern in prop::sample::select(vec!["a+b", "^a", "b$", r"\bab", "é|漢", "(a|b)*", "[^a]b", r"\s+a"]),
    ) {
        let plain = parts.concat();
        let text = Text::from(plain.as_str());
        let found: Vec<_> = needle(pattern, REGEX)
            .matches(&text, Byte(0)..text.end())
            .map(|found| found.start.0..found.end.0)
            .collect();
        let judge = regex_cursor::regex_automata::meta::Regex::new(&format!("(?imR){pattern}")).unwrap();
        let expected: Vec<_> = judge.find_iter(&plain).map(|found| found.range()).collect();
        prop_assert_eq!(found, expected);
    }
}
