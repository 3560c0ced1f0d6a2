//! Texts read line by line, against the same read from the start.

use proptest::prelude::*;

use super::*;

const LONG: Duration = Duration::from_mins(1);

fn perl() -> &'static LineLanguage {
    line_language::by_name("perl").unwrap()
}

fn all(read: &mut LineHighlighter, text: &Text) -> HighlightedRange {
    read.paint(text, &[Byte(0)..text.end()], LONG).unwrap().remove(0)
}

fn scopes_of(name: &str, code: &str) -> Vec<(String, &'static str)> {
    let text = Text::from(code);
    let painted = all(&mut LineHighlighter::new(line_language::by_name(name).unwrap()), &text);
    painted.spans().map(|span| (text.slice(span.range.clone()).into_owned(), span.scope)).collect()
}

fn has(found: &[(String, &'static str)], text: &str, scope: &str) {
    assert!(found.iter().any(|(is, of)| is == text && of.starts_with(scope)), "{text}: {found:?}");
}

#[test]
fn textmate_keywords_strings_and_comments_have_scopes() {
    let found = scopes_of("perl", "# größe\r\nmy $x = \"é\"; # end\n\nif ($x == 17) { print 1; }");
    has(&found, "# größe", "comment");
    has(&found, "\"é\"", "string");
    has(&found, "# end", "comment");
    has(&found, "print", "function.builtin");
    has(&found, "if", "keyword");
    let found = scopes_of("latex", "\\section{One}\n% note\n");
    has(&found, "% note", "comment");
    let found = scopes_of("batch", "rem note\necho off\n");
    has(&found, "echo", "keyword");
}

#[test]
fn textmate_every_language_reads_any_text() {
    for row in line_language::LINE_LANGUAGES {
        let text = Text::from("x \"é\" 'a' <b> % # // /* {\n\t(1 2.5) \\begin{a}\n\r\n}\n\u{1}漢");
        let painted = all(&mut LineHighlighter::new(row), &text);
        assert!(painted.spans().all(|span| span.range.end <= text.end()), "{}", row.name);
    }
}

#[test]
fn textmate_edit_rereads_only_changed_lines() {
    let lines = "my $x = 1; # é\n".repeat(3_000);
    let text = Text::from(lines.as_str());
    let mut read = LineHighlighter::new(perl());
    let end = text.end();
    read.paint(&text, &[end.back(200)..end], LONG).unwrap();
    let places = read.checkpoint_count();
    assert!(places > 80, "{places}");
    let changes = ChangeSet::replace(text.end().0, [(Byte(40)..Byte(40), "y".to_string())]);
    let mut after = text.clone();
    changes.apply(&mut after);
    read.edit(&changes);
    assert!(read.checkpoint_count() < 3, "what is behind the change is not certain");
    let end = after.end();
    // Too little time for all lines, enough for those that a change concerns.
    read.paint(&after, &[end.back(200)..end], LONG).unwrap();
    assert!(read.checkpoint_count() >= places, "and certain again once reading comes to the same");
    assert!(read.stale_checkpoints.is_empty());
}

#[test]
fn textmate_long_lines_are_skipped_and_texts_refused() {
    let code = format!("# one\n\"{}\n# two\n", "x".repeat(LINE_MAX));
    let text = Text::from(code.as_str());
    let painted = all(&mut LineHighlighter::new(perl()), &text);
    assert_eq!(painted.spans().len(), 2, "an open string in a line that is passed over opens nothing");
    let text = Text::from("# x\n".repeat(SIZE_MAX / 4 + 1).as_str());
    assert_eq!(
        LineHighlighter::new(perl()).paint(&text, &[Byte(0)..Byte(4)], LONG),
        Err(ParseError::TooLong)
    );
    let text = Text::from("# x\n".repeat(50_000).as_str());
    let late = LineHighlighter::new(perl()).paint(&text, &[text.end().back(4)..text.end()], Duration::ZERO);
    assert_eq!(late, Err(ParseError::TooSlow));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(24))]
    /// After any edits a text has the colors that it has when it is read from the start.
    #[test]
    fn textmate_incremental_equals_full_read(
        edits in prop::collection::vec((0usize..200, 0usize..12, 0usize..6, 0usize..150), 1..8),
    ) {
        const PIECES: &[&str] = &["\"", "# é\n", "my $x = 1;\n", "\n", "=pod\n\n", "=cut\n\n"];
        let mut text = Text::from("my $x = \"a\"; # é\nif (1) { print 'b'; }\n\n".repeat(60).as_str());
        let mut read = LineHighlighter::new(perl());
        all(&mut read, &text);
        for (line, take, piece, look) in edits {
            let at = text.line_start(Line(line.min(text.last_line().0)));
            let end = text.char_floor((at + take).min(text.end()));
            let changes = ChangeSet::replace(text.end().0, [(at..end, PIECES[piece].to_string())]);
            changes.apply(&mut text);
            read.edit(&changes);
            let from = text.line_start(Line(look.min(text.last_line().0)));
            let range = from..(from + 100).min(text.end());
            let painted = read.paint(&text, std::slice::from_ref(&range), LONG).unwrap().remove(0);
            let anew = LineHighlighter::new(perl()).paint(&text, &[range], LONG).unwrap().remove(0);
            prop_assert_eq!(painted, anew);
        }
    }
}
