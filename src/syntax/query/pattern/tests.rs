//! What is a chain and what is not; what a chain says.

use super::*;
use crate::syntax::languages::detect::by_name;
use crate::syntax::query::lexer::forms;

fn read(query: &str) -> Option<(Vec<Chain>, PatternInfo, Vec<String>)> {
    let language = Language::new(by_name("rust").unwrap().grammar);
    let mut names = Vec::new();
    let all = forms(query);
    assert_eq!(all.len(), 1, "{all:?}");
    let (chains, rider) = chains(&all[0], 3, &language, &mut names)?;
    Some((chains, rider, names))
}

#[test]
fn query_pattern_nested_nodes_are_chain() {
    let (chains, _, names) =
        read("(call_expression function: (field_expression field: (_) @a) @b) @a").unwrap();
    assert_eq!((chains.len(), chains[0].pattern), (1, 3));
    let steps = &chains[0].steps;
    assert_eq!(names, ["a", "b"]);
    let captures: Vec<_> = steps.iter().map(|step| step.captures.clone()).collect();
    assert_eq!(captures, [vec![0], vec![1], vec![0]]);
    assert_eq!(steps[2].kind, Kind::Named);
    assert!(steps[0].field.is_none() && steps[1].field.is_some() && steps[2].field.is_some());
}

#[test]
fn query_pattern_alternatives_become_chains() {
    let (chains, ..) = read("(parameter [(identifier) @x (self) (_ \"fn\")] @y) @z").unwrap();
    assert_eq!(chains.len(), 3);
    assert_eq!(chains.iter().map(|chain| chain.steps.len()).collect::<Vec<_>>(), [2, 2, 3]);
    assert_eq!(chains[0].steps[1].captures.len(), 2);
}

#[test]
fn query_pattern_predicates_match_text() {
    let (_, rider, _) = read(
        "((identifier) @x (#match? @x \"^[A-Z]\") (#not-eq? @x \"É\") (#any-of? @x \"A\" \"BC\") (#set! k \"v\") (#is-not? local))",
    )
    .unwrap();
    assert_eq!(rider.settings, [("k".to_owned(), Some("v".to_owned()))]);
    let verdict =
        |text: &str| rider.predicates.iter().map(|one| one.matches(text.as_bytes())).collect::<Vec<_>>();
    assert_eq!(verdict("A"), [true, true, true]);
    assert_eq!(verdict("É"), [false, false, false]);
    assert_eq!(verdict("bc"), [false, true, false]);
    let (_, rider, _) = read("((identifier) @x (#not-match? @x \"a\"))").unwrap();
    assert!(rider.predicates[0].matches(b"b") && !rider.predicates[0].matches(b"a"));
}

#[test]
fn query_pattern_unsupported_is_none() {
    for query in [
        "(macro_invocation (identifier) @a \"!\" @b)",
        "((identifier) @a . (identifier))",
        "(block (identifier)* @a)",
        "(identifier)? @a",
        "(function_item !body) @a",
        "(no_such_kind) @a",
        "(parameter no_such_field: (identifier)) @a",
        "(ERROR) @a",
        "(_expression/identifier) @a",
        "((identifier) @a (#eq? @a @a))",
        "((identifier) @a (#any-eq? @a \"x\"))",
        "((identifier) @a",
        "[(identifier)",
        "(_expression) @a",
    ] {
        assert!(read(query).is_none(), "{query}");
    }
}
