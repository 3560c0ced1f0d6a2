//! A table of command lines, and properties of any text.

use proptest::prelude::*;

use super::{NetworkTargets, Script, is_read_only, network_targets, network_targets_of_writes, parse};

/// One row each: verdict, command line, what is in it. `⏎` is a line feed, `⇥` a tab.
const TABLE: &str = include_str!("table.txt");

fn shown(script: &Script) -> String {
    let part = |part: &super::SimpleCommand| {
        let sets = part.sets.iter().map(|name| format!("{name}="));
        let words = part
            .words
            .iter()
            .map(|word| if word.is_dynamic { format!("‹{}›", word.text) } else { word.text.clone() });
        sets.chain(words).collect::<Vec<_>>().join(" ")
    };
    let parts = script.commands.iter().map(part);
    let writes = script.writes.iter().map(|word| format!(">{}", word.text));
    let unresolved = script.unresolved.iter().map(|why| format!("?{why}"));
    parts
        .chain(writes)
        .chain(unresolved)
        .collect::<Vec<_>>()
        .join(" | ")
        .replace('\n', "⏎")
        .replace('\t', "⇥")
}

fn row(line: &str) -> String {
    let command = line.replace('⏎', "\n").replace('⇥', "\t");
    let verdict = if is_read_only(&command) { "looks" } else { "asks" };
    format!("{verdict} ┃ {line} ┃ {}", shown(&parse(&command)))
}

#[test]
fn command_table_matches() {
    let rows: Vec<&str> = TABLE.lines().filter(|line| !line.is_empty()).collect();
    assert!(rows.len() >= 150, "{}", rows.len());
    let command = |row: &str| row.split(" ┃ ").nth(1).unwrap_or_default().to_string();
    let judged: Vec<String> = rows.iter().map(|expected| row(&command(expected))).collect();
    let wrong: Vec<&String> = judged.iter().zip(&rows).filter(|(a, b)| a != *b).map(|(a, _)| a).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One row each: command line, what each of its commands reaches; `?` for what cannot be
/// told, `only` for a command that does nothing but talk.
const HOSTS: &str = include_str!("hosts.txt");

fn reached(line: &str) -> String {
    let shown = |targets: &NetworkTargets| {
        let mut words: Vec<String> = targets.hosts.iter().map(ToString::to_string).collect();
        words.extend(
            [(targets.is_unresolved, "?"), (targets.network_only, "only")]
                .iter()
                .filter(|(is, _)| *is)
                .map(|(_, word)| word.to_string()),
        );
        words.join(" ")
    };
    let script = parse(line);
    let parts = script.commands.iter().map(|part| shown(&network_targets(part)));
    let all: Vec<String> =
        parts.chain([shown(&network_targets_of_writes(&script))]).filter(|words| !words.is_empty()).collect();
    format!("{line} ┃ {}", if all.is_empty() { "-".to_string() } else { all.join(" | ") })
}

#[test]
fn command_hosts_table_matches() {
    let rows: Vec<&str> = HOSTS.lines().collect();
    let judged: Vec<String> =
        rows.iter().map(|row| reached(row.split(" ┃ ").next().unwrap_or_default())).collect();
    assert!(rows.len() >= 120, "{}", rows.len());
    let wrong: Vec<&String> = judged.iter().zip(&rows).filter(|(a, b)| a != *b).map(|(a, _)| a).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn command_unusual_scripts_are_not_read_only() {
    for script in ["", " \n", "ls\r\nrm x", "ls\r", "ls \u{1b}[0m", "ls\u{a0}x"] {
        assert!(!is_read_only(script), "{script:?}");
    }
    let (long, deep) =
        (format!("ls {}", "x".repeat(10_000)), format!("{}ls{}", "(".repeat(200), ")".repeat(200)));
    let nested = (0..12).fold("ls".to_string(), |text, _| format!("eval {text}"));
    let many = "ls;".repeat(300);
    for script in [&long, &deep, &many] {
        assert!(!is_read_only(script) && !parse(script).unresolved.is_empty(), "{script}");
    }
    assert!(!parse(&nested).unresolved.is_empty());
}

/// Pieces of which command lines are made, so that many of them can be read.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "ls", "cat f", " ", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{ ", "}", "'", "\"", "$'",
    "\\", "`", "$(", "<(", "${", "$x", "<<E\n", "\nE\n", "<<'E'\n", "<<<", ">/dev/null ", "> f",
    "[ ", " ]", "[[ ", " ]]", "if ", "then ", "fi", "for i in a", " do ", "done", "case a in",
    "esac", "!", "x=", "*", "f()", "$((", "))", "eval ", "xargs ", "find . -exec ", "bash -c ",
    "ä", "日", "\t", "\r", "\0",
];

/// Lines made of such pieces.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn command_brace_before_wide_char_is_unresolved() {
    for c in ['\u{10ffff}', '\u{fffff}', '\u{20000}', '\u{ffff}', '\u{100}'] {
        for text in [format!("{{{c}"), format!("echo {{1..{c}}}")] {
            assert!(!is_read_only(&text) || parse(&text).unresolved.is_empty(), "{text:?}");
        }
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(400))]

    #[test]
    fn command_any_text_is_parsed_or_unresolved(text in prop_oneof![pieces(), any::<String>(), "[ -~\n]{0,60}"]) {
        let script = parse(&text);
        prop_assert!(!is_read_only(&text) || script.unresolved.is_empty() && !script.commands.is_empty());
    }

    /// Neither a comment nor a backslash can hide what stands behind it in another line.
    #[test]
    fn command_appended_rm_is_never_read_only(text in prop_oneof![pieces(), "[ -~]{0,40}"]) {
        prop_assume!(!text.ends_with('\\') && !text.contains('#'));
        for end in ["; rm -rf x", "\nrm -rf x"] {
            let longer = text.clone() + end;
            prop_assert!(!is_read_only(&longer), "{:?}", longer);
        }
    }

    #[test]
    fn command_quoted_text_is_one_word(text in "[^'\\p{C}\\p{Z}!\\\\]{0,30}") {
        let script = parse(&format!("echo '{text}'"));
        prop_assert_eq!(&script.unresolved, &Vec::<&str>::new());
        prop_assert_eq!(&script.commands[0].words[1].text, &text);
    }
}
