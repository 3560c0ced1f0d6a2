//! Chains find what the library's own query finds.

use std::collections::HashSet;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::syntax::languages::detect::by_name;
use crate::syntax::languages::table::{LANGUAGES, Language as Row};
use crate::syntax::tree::Syntax;
use crate::text::rope::Text;

type Match = (usize, String, Range<usize>);

fn far() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

fn ours(rules: &Rules, root: Node<'_>, text: &Text, range: &Range<usize>) -> HashSet<Match> {
    let mut out = HashSet::new();
    rules.for_each_match(root, TextChunks(text), range, far(), |found| {
        for (capture, node) in found.captures {
            out.insert((found.pattern, rules.names[usize::from(*capture)].clone(), node.byte_range()));
        }
    });
    out
}

fn theirs(query: &Query, root: Node<'_>, text: &Text, range: &Range<usize>) -> HashSet<Match> {
    let mut cursor = cursor(range);
    let mut matches = cursor.matches(query, root, TextChunks(text));
    let mut out = HashSet::new();
    while let Some(found) = matches.next() {
        for capture in found.captures() {
            let name = query.capture_names()[capture.index as usize].to_owned();
            out.insert((found.pattern_index, name, capture.node.byte_range()));
        }
    }
    out
}

/// Both, of a whole text. Pieces of nothing paint nothing: they do not count.
fn compare(row: &'static Row, query: &str, code: &str) -> usize {
    let text = Text::from(code);
    let syntax = Syntax::parse(row, &text, None, Duration::from_mins(1)).unwrap();
    let grammar = Language::new(row.grammar);
    let whole = Query::new(&grammar, query).unwrap();
    let rules = Rules::new(&grammar, query).unwrap();
    let (root, range) = (syntax.tree.root_node(), 0..code.len());
    let mut wanted = theirs(&whole, root, &text, &range);
    wanted.retain(|(.., range)| !range.is_empty());
    let mut found = ours(&rules, root, &text, &range);
    found.retain(|(.., range)| !range.is_empty());
    let (more, less): (Vec<_>, Vec<_>) =
        (found.difference(&wanted).collect(), wanted.difference(&found).collect());
    assert!(more.is_empty() && less.is_empty(), "{}: more {more:?}, less {less:?}", row.name);
    wanted.len()
}

fn highlights(row: &Row) -> String {
    format!("{}\n{}", row.highlights.join("\n"), row.extra_highlights)
}

/// One text of every kind of sign, which most grammars have something to say about.
const MIXED: &str = "// c\n/* d */ # e\nfn f(x: A) { if (a.b == \"s\\n\") return g(1, 2.5)[0]; }\n\
    class A extends B: def m(self): pass\nlet x = 'c'; const Y = { \"k\": true };\n\
    <p a=\"b\">t</p>\n--- a\n+++ b\nkey: [1, null]\n[t]\nk = \"v\"\nSELECT a FROM b;\n\n# H\n\n- i\n<?php $x = 1; ?>\n";

#[test]
fn query_rules_match_tree_sitter() {
    for row in LANGUAGES {
        let found = compare(row, &highlights(row), MIXED);
        assert!(found > 0, "{}", row.name);
        if !row.injections.is_empty() {
            compare(row, &row.injections.join("\n"), MIXED);
        }
    }
}

#[test]
fn query_rules_match_tree_sitter_on_own_code() {
    let found =
        compare(by_name("rust").unwrap(), &highlights(by_name("rust").unwrap()), include_str!("../rules.rs"));
    assert!(found > 1000);
    let toml = include_str!("../../../../Cargo.toml");
    assert!(compare(by_name("toml").unwrap(), &highlights(by_name("toml").unwrap()), toml) > 100);
    let readme = include_str!("../../../../README.md");
    assert!(compare(by_name("markdown").unwrap(), &highlights(by_name("markdown").unwrap()), readme) > 10);
}

#[test]
fn query_rules_part_equals_full_text() {
    let code = include_str!("../rules.rs");
    let row = by_name("rust").unwrap();
    let text = Text::from(code);
    let syntax = Syntax::parse(row, &text, None, Duration::from_mins(1)).unwrap();
    let rules = Rules::new(&Language::new(row.grammar), &highlights(row)).unwrap();
    let root = syntax.tree.root_node();
    let whole = ours(&rules, root, &text, &(0..code.len()));
    let part = code.len() / 3..code.len() / 2;
    let touches = |found: &&Match| found.2.start < part.end && found.2.end > part.start;
    let wanted: HashSet<_> = whole.iter().filter(touches).cloned().collect();
    assert!(wanted.len() > 100);
    assert_eq!(ours(&rules, root, &text, &part), wanted);
}

#[test]
fn query_rules_rust_needs_no_tree_sitter_query() {
    let row = by_name("rust").unwrap();
    let grammar = Language::new(row.grammar);
    assert!(Rules::new(&grammar, &highlights(row)).unwrap().fallback.is_none());
    assert!(Rules::new(&grammar, &row.injections.join("\n")).unwrap().fallback.is_none());
}

proptest! {
    // Each makes the library's query anew.
    #![proptest_config(crate::base::seeds::cases(64))]
    #[test]
    fn query_rules_match_tree_sitter_on_malformed_code(code in "[a-zA-Z0-9_ (){}\\[\\]<>:;,.!&'\"=+*/#\n\té-]{0,200}", at in 0..LANGUAGES.len()) {
        let row = &LANGUAGES[at];
        compare(row, &highlights(row), &code);
    }
}
