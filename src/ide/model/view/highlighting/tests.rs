//! Colors of a file while it is edited, without tasks: the tests run the jobs.

use std::path::PathBuf;

use super::*;
use crate::text::changes::ChangeSet;
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

struct File {
    document: Document,
    coloring: Highlighting,
    path: PathBuf,
}

fn file(path: &str, text: &str) -> File {
    let document = Document::new(text, crate::text::file_format::format::Format::default());
    File { document, coloring: Highlighting::default(), path: PathBuf::from(path) }
}

impl File {
    fn at_once(&mut self) -> Option<HighlightJob> {
        let all = Byte(0)..self.document.text().end();
        self.coloring.next_job(&mut self.document, Some(&self.path), &[all], Duration::ZERO)
    }

    /// After a long pause.
    fn next(&mut self) -> Option<HighlightJob> {
        self.at_once().or_else(|| {
            let all = Byte(0)..self.document.text().end();
            self.coloring.next_job(&mut self.document, Some(&self.path), &[all], Duration::from_hours(1))
        })
    }

    fn edit(&mut self, range: Range<usize>, new: &str) {
        let len = self.document.text().end().0;
        let changes = ChangeSet::replace(len, [(Byte(range.start)..Byte(range.end), new.to_string())]);
        self.document.apply(Transaction::new(changes), &Selection::cursor(Byte(0)), 0);
        self.coloring.apply_changes(&mut self.document);
    }

    fn scopes(&self) -> Vec<(String, &'static str)> {
        let all = Byte(0)..self.document.text().end();
        let text = |span: &crate::syntax::Span| self.document.text().slice(span.range.clone()).into_owned();
        self.coloring.within(&all).map(|span| (text(&span), span.scope)).collect()
    }

    fn has(&self, text: &str, scope: &str) -> bool {
        self.scopes().iter().any(|(is, of)| is == text && of.starts_with(scope))
    }
}

#[test]
fn highlight_colors_shift_with_edits() {
    let mut file = file("a.rs", "let x = 1;\n");
    let job = file.next().unwrap();
    assert!(file.next().is_none(), "one job at a time");
    assert_ne!(file.coloring.apply_result(job.run()), HighlightChange::Nothing);
    assert!(file.has("let", "keyword") && file.has("1", "constant"));
    assert!(file.next().is_none(), "nothing has changed");
    file.edit(0..0, "// é\n");
    assert!(file.has("let", "keyword"), "{:?}", file.scopes());
    assert!(file.coloring.tree().is_none());
    let job = file.next().unwrap();
    // Typed while the job is under way.
    file.edit(6..6, "\n\n");
    assert_ne!(file.coloring.apply_result(job.run()), HighlightChange::Nothing);
    assert!(file.has("// é", "comment") && file.has("1", "constant"), "{:?}", file.scopes());
    let job = file.next().unwrap();
    assert_eq!(
        file.coloring.apply_result(job.run()),
        HighlightChange::Nothing,
        "what was carried along was right"
    );
    assert!(file.coloring.tree().is_some() && file.next().is_none());
}

#[test]
fn highlight_visible_parts_get_colors_and_outline() {
    let code = "fn a() {\n    1;\n}\n".repeat(4000);
    let mut file = file("a.rs", &code);
    let end = Byte(code.len());
    let shown = [Byte(0)..Byte(40), end.back(40)..end];
    let job = file.coloring.next_job(&mut file.document, Some(&file.path), &shown, Duration::ZERO).unwrap();
    assert_ne!(file.coloring.apply_result(job.run()), HighlightChange::Nothing);
    assert!(shown.iter().all(|part| file.coloring.within(part).len() > 0));
    assert_eq!(file.coloring.within(&(Byte(code.len() / 2)..Byte(code.len() / 2 + 40))).len(), 0);
    assert!(file.coloring.outline().iter().any(|named| named.name == "a"));
    assert!(file.coloring.next_job(&mut file.document, Some(&file.path), &shown, Duration::ZERO).is_none());
}

#[test]
fn highlight_rows_between_folds_get_colors() {
    let code = format!("fn a() {{\n{}}}\n", "    1;\n".repeat(500));
    let mut file = file("a.rs", &code.repeat(60));
    let rows = (0..60).map(|n| Byte(n * code.len())..Byte(n * code.len() + 8));
    let shown: Vec<Range<Byte>> = rows.collect();
    let job = file.coloring.next_job(&mut file.document, Some(&file.path), &shown, Duration::ZERO).unwrap();
    assert_ne!(file.coloring.apply_result(job.run()), HighlightChange::Nothing);
    let plain = shown.iter().filter(|row| file.coloring.within(row).len() == 0).count();
    assert_eq!(plain, 0);
    assert!(file.coloring.next_job(&mut file.document, Some(&file.path), &shown, Duration::ZERO).is_none());
}

#[test]
fn highlight_many_edits_restart_job() {
    let mut file = file("a.rs", "let x = 1;\n");
    let late = file.next().unwrap();
    for _ in 0..600 {
        let changes = ChangeSet::replace(file.document.text().end().0, [(Byte(0)..Byte(0), " ".to_string())]);
        file.document.apply(Transaction::new(changes), &Selection::cursor(Byte(0)), 0);
    }
    file.coloring.apply_changes(&mut file.document);
    assert_eq!(
        file.coloring.apply_result(late.run()),
        HighlightChange::Nothing,
        "it is about a text that is long gone"
    );
    let job = file.next().unwrap();
    assert_ne!(file.coloring.apply_result(job.run()), HighlightChange::Nothing);
    assert!(file.has("let", "keyword"));
}

#[test]
fn highlight_result_for_replaced_text_is_dropped() {
    let mut file = file("a.rs", "let x = 1;\n");
    let late = file.next().unwrap();
    // The whole of a file of which the beginning was shown.
    file.document =
        Document::new("// let\nlet y = 2;\n", crate::text::file_format::format::Format::default());
    file.coloring.reset();
    let job = file.next().unwrap();
    assert_eq!(
        file.coloring.apply_result(late.run()),
        HighlightChange::Nothing,
        "it is about the text before"
    );
    assert!(file.coloring.tree().is_none() && file.next().is_none(), "the job is still under way");
    assert_ne!(file.coloring.apply_result(job.run()), HighlightChange::Nothing);
    assert!(file.has("// let", "comment") && file.has("2", "constant"), "{:?}", file.scopes());
}

#[test]
fn highlight_path_change_switches_language() {
    let mut file = file("a.txt", "#!x\n{\"a\": 1}\n");
    assert!(file.next().is_none() && file.coloring.language().is_none());
    file.path = PathBuf::from("a.json");
    let job = file.next().unwrap();
    file.coloring.apply_result(job.run());
    assert!(file.has("1", "constant"));
    file.path = PathBuf::from("b.txt");
    assert!(file.next().is_none() && file.scopes().is_empty());
}

#[test]
fn highlight_too_long_text_recovers_when_cut() {
    let mut file = file("a.json", &format!("[\"{}\"]", "x".repeat(tree::SIZE_MAX)));
    assert!(file.next().is_none());
    assert_eq!(file.coloring.trouble(), Some(ParseError::TooLong));
    file.edit(2..tree::SIZE_MAX, "");
    let job = file.next().unwrap();
    assert!(file.coloring.trouble().is_none());
    assert_ne!(file.coloring.apply_result(job.run()), HighlightChange::Nothing);
}

#[test]
fn highlight_ranges_are_bounded() {
    let text = Text::from(format!("{}\n", "x".repeat(1 << 20)).repeat(3).as_str());
    for parts in [1, 3, 20] {
        let line = text.line_start(Line(1));
        let shown: Vec<_> = (0..parts).map(|n| line + n * 9000..line + n * 9000 + 8000).collect();
        let (visible, around) = visible_and_near(&text, &shown);
        let bytes =
            |ranges: &[Range<Byte>]| ranges.iter().map(|range| range.end - range.start).sum::<usize>();
        assert!(bytes(&visible) <= highlight::RANGE_MAX / 2);
        assert!(
            bytes(&around) <= highlight::RANGE_MAX && around.windows(2).all(|two| two[0].end < two[1].start)
        );
        assert!(visible.iter().all(|seen| around.iter().any(|a| a.start <= seen.start && seen.end <= a.end)));
    }
}

#[test]
fn highlight_broken_query_is_reported_and_stops() {
    let mut file = file("a.rs", "let x = 1;\n");
    let job = file.next().unwrap();
    assert_eq!(file.coloring.apply_result(job.failed_result()), HighlightChange::Everything);
    assert_eq!(file.coloring.trouble(), Some(ParseError::Broken));
    assert!(file.next().is_none());
    file.edit(0..0, "y");
    assert!(file.next().is_none());
}

#[test]
fn highlight_long_text_waits_for_pause() {
    let mut file = file("a.rs", &"let x = 1;\n".repeat(30_000));
    let job = file.at_once().unwrap();
    file.edit(0..0, "a");
    assert!(
        file.at_once().is_none() && file.coloring.deadline(file.document.text()).is_none(),
        "one is under way"
    );
    file.coloring.apply_result(job.run());
    let due = file.coloring.deadline(file.document.text()).expect("what came meanwhile is not forgotten");
    assert!(due > Duration::ZERO && file.at_once().is_none());
    let at = |file: &mut File, start, now| {
        let shown = Byte(start)..Byte(start + 100);
        file.coloring.next_job(&mut file.document, Some(&file.path), &[shown], now)
    };
    assert!(at(&mut file, 250_000, Duration::ZERO).is_some(), "what is not coloured yet waits for nothing");
    let mut again = self::file("a.rs", &"let x = 1;\n".repeat(30_000));
    let job = again.at_once().unwrap();
    again.coloring.apply_result(job.run());
    again.edit(0..0, "a");
    assert!(again.at_once().is_none());
    let due = again.coloring.deadline(again.document.text()).unwrap();
    assert!(at(&mut again, 0, due).is_some());
}

#[test]
fn highlight_redraws_only_changed_range() {
    let mut file = file("a.rs", "let x = 1;\nlet y = 2;\nlet z = 3;\n");
    let job = file.next().unwrap();
    file.coloring.apply_result(job.run());
    // A word that becomes another one, on the second line only.
    file.edit(11..14, "use");
    file.edit(11..11, "//");
    let job = file.next().unwrap();
    let HighlightChange::Colors(range) = file.coloring.apply_result(job.run()) else {
        panic!("colours differ")
    };
    assert!(range.start >= Byte(11) && range.end <= Byte(24), "{range:?}");
}

#[test]
fn highlight_colors_during_typing_wait_for_next_frame() {
    let at = Duration::from_secs(10);
    let pause = Duration::from_millis(200);
    let seen = [Byte(0)..Byte(300 << 10)];
    let mut file = file("a.rs", &"let x = 1;\n".repeat(30_000));
    let text = |file: &File| file.document.text().clone();
    let differs = HighlightChange::Colors(Byte(4)..Byte(5));
    assert_eq!(file.coloring.defer(differs.clone(), &text(&file), at), differs, "nobody types");

    let job =
        file.coloring.next_job(&mut file.document, Some(&file.path), &seen, at).expect("a first search");
    file.edit(0..0, "é");
    assert!(
        file.coloring.next_job(&mut file.document, Some(&file.path), &seen, at).is_none(),
        "one at a time"
    );
    assert_eq!(file.coloring.defer(differs.clone(), &text(&file), at), differs, "the first is wanted");
    file.coloring.apply_result(job.run());
    let later = Duration::from_secs(20);
    file.coloring
        .next_job(&mut file.document, Some(&file.path), &seen, later)
        .expect("one for what was typed");
    file.edit(0..0, "x");
    file.coloring.next_job(&mut file.document, Some(&file.path), &seen, later);
    let at = later;
    let first = file.coloring.defer(differs.clone(), &text(&file), at);
    assert_eq!(first, HighlightChange::Nothing, "somebody types");
    assert_eq!(file.coloring.take_overdue(&text(&file), at), HighlightChange::Nothing);
    assert!(file.coloring.deadline(&text(&file)).is_some_and(|due| due > at && due < at + pause));

    file.edit(0..0, "ab");
    let moved = HighlightChange::Colors(Byte(6)..Byte(7));
    assert_eq!(
        file.coloring.take_overdue(&text(&file), at + pause),
        moved,
        "the pause shows it, where it is now"
    );
    assert_eq!(file.coloring.take_deferred(), HighlightChange::Nothing, "once");

    file.coloring.defer(differs, &text(&file), at);
    let both = file.coloring.defer(HighlightChange::Colors(Byte(1)..Byte(2)), &text(&file), at + pause);
    assert_eq!(both, HighlightChange::Colors(Byte(1)..Byte(5)), "what waited comes along");
    file.coloring.defer(HighlightChange::Everything, &text(&file), at);
    assert_eq!(
        file.coloring.take_deferred(),
        HighlightChange::Everything,
        "a frame that comes anyway takes it along"
    );
}
