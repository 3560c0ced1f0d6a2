//! Line alignment of two texts of any size, and word diff of two lines. Must not know what the texts are or
//! who displays it. Slow: call it off the event loop.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::changes::ChangeSet;
use super::diff;
use super::position::{Byte, Line};
use super::rope::Text;
use crate::base::width::graphemes;

/// Maximum size in bytes of the differing parts together: larger ones are one difference, since a table of
/// their lines would take several times the memory.
const COMPARED_MAX: usize = 64 << 20;
/// Maximum number of line pairs compared, in total.
const PAIRED_MAX: usize = 1 << 20;
/// Maximum number of line pairs compared in one run.
const PAIRED_AT_ONCE: usize = 10_000;
/// Maximum bytes of two lines whose words are compared.
const WORDS_MAX: usize = 4 << 10;

/// Lines that replace others. One side may be empty, not both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLines {
    /// Lines of the old text.
    pub old: Range<usize>,
    /// Lines of the new text.
    pub new: Range<usize>,
    /// Pairs of lines that correspond, in order; `None` pairs all of them in order.
    pub pairs: Option<Vec<(usize, usize)>>,
}

impl ChangedLines {
    /// Returns the pair of a line, selected by `key`.
    fn pair_by(&self, key: impl Fn(&(usize, usize)) -> usize, line: usize) -> Option<(usize, usize)> {
        let pairs = self.pairs.as_deref()?;
        pairs.binary_search_by_key(&line, key).ok().map(|at| pairs[at])
    }

    /// Returns the pair of an old line, if it has one.
    pub fn pair_of_old(&self, line: usize) -> Option<(usize, usize)> {
        let other = self.new.start + line.checked_sub(self.old.start)?;
        let in_order = self.pairs.is_none() && self.old.contains(&line) && self.new.contains(&other);
        if in_order { Some((line, other)) } else { self.pair_by(|pair| pair.0, line) }
    }

    /// Returns the pair of a new line, if it has one.
    pub fn pair_of_new(&self, line: usize) -> Option<(usize, usize)> {
        let other = self.old.start + line.checked_sub(self.new.start)?;
        let in_order = self.pairs.is_none() && self.new.contains(&line) && self.old.contains(&other);
        if in_order { Some((other, line)) } else { self.pair_by(|pair| pair.1, line) }
    }
}

/// Returns the number of lines for the user: a trailing line feed starts none.
pub fn line_count(text: &Text) -> usize {
    let is_open = text.line_start(text.last_line()) < text.end();
    text.line_count() - usize::from(!is_open)
}

/// Returns the runs of differing lines, in order. The common beginning and end are not compared line by line.
pub fn runs(old: &Text, new: &Text) -> Vec<ChangedLines> {
    let (start, end) = common_ends(old, new);
    let (was, is) = (start..old.end().back(end), start..new.end().back(end));
    if was.is_empty() && is.is_empty() {
        return Vec::new();
    }
    let first = old.line_of(start).0;
    if (was.end - was.start) + (is.end - is.start) > COMPARED_MAX {
        let last = |text: &Text, at: Byte| {
            if at == text.end() { line_count(text) } else { text.line_of(at).0 }
        };
        return vec![ChangedLines {
            old: first..last(old, was.end),
            new: first..last(new, is.end),
            pairs: None,
        }];
    }
    let found = diff::line_runs(&old.slice(was), &new.slice(is));
    let lines = |lines: Range<Line>| first + lines.start.0..first + lines.end.0;
    let mut left = PAIRED_MAX;
    let made = found.into_iter().map(|(was, is)| {
        let (was, is) = (lines(was), lines(is));
        let pairs = pair_lines(old, new, (&was, &is), &mut left);
        ChangedLines { old: was, new: is, pairs }
    });
    made.collect()
}

/// Returns the corresponding lines of a run, unless all correspond in order; `left` is the remaining budget.
fn pair_lines(
    old: &Text,
    new: &Text,
    (was, is): (&Range<usize>, &Range<usize>),
    left: &mut usize,
) -> Option<Vec<(usize, usize)>> {
    let cost = was.len().saturating_mul(is.len());
    if was.len() == is.len() || cost == 0 || cost > PAIRED_AT_ONCE.min(*left) {
        return None;
    }
    *left -= cost;
    let bag = |text: &Text, line: usize| {
        let (start, end) = (text.line_start(Line(line)), text.line_end(Line(line)));
        let line = text.slice(start..end.min(text.char_floor(start + WORDS_MAX))).into_owned();
        let mut words: Vec<String> =
            split_words(&line).into_iter().map(|word| line[word].to_string()).collect();
        words.retain(|word| !word.trim().is_empty());
        words.sort_unstable();
        words
    };
    let olds: Vec<_> = was.clone().map(|line| bag(old, line)).collect();
    let news: Vec<_> = is.clone().map(|line| bag(new, line)).collect();
    let found = align(olds.len(), news.len(), |a, b| similarity(&olds[a], &news[b]));
    Some(found.into_iter().map(|(a, b)| (was.start + a, is.start + b)).collect())
}

/// Returns the similarity of two sorted word lists, in percent; 0 below half.
fn similarity(old: &[String], new: &[String]) -> usize {
    let (mut a, mut b, mut same) = (0, 0, 0);
    while a < old.len() && b < new.len() {
        match old[a].cmp(&new[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => (a, b, same) = (a + 1, b + 1, same + 1),
        }
    }
    let share = 200 * same / (old.len() + new.len()).max(1);
    if share < 50 { 0 } else { share }
}

/// Returns the order-preserving alignment of `olds` by `news` items with the highest total similarity.
fn align(olds: usize, news: usize, likeness: impl Fn(usize, usize) -> usize) -> Vec<(usize, usize)> {
    let mut likes = vec![0; olds * news];
    // Best totals for the remaining items, from the end.
    let mut best = vec![0; (olds + 1) * (news + 1)];
    let at = |a: usize, b: usize| a * (news + 1) + b;
    for a in (0..olds).rev() {
        for b in (0..news).rev() {
            let like = likeness(a, b);
            likes[a * news + b] = like;
            let paired = if like > 0 { like + best[at(a + 1, b + 1)] } else { 0 };
            best[at(a, b)] = paired.max(best[at(a + 1, b)]).max(best[at(a, b + 1)]);
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < olds && b < news {
        let like = likes[a * news + b];
        if like > 0 && best[at(a, b)] == like + best[at(a + 1, b + 1)] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if best[at(a, b)] == best[at(a + 1, b)] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// Returns the common whole lines of two texts: the length at the beginning as a position, and the bytes at
/// the end.
fn common_ends(old: &Text, new: &Text) -> (Byte, usize) {
    let start = old.line_start(old.line_of(Byte(common_start(old, new))));
    let most = (old.end() - start).min(new.end() - start);
    let begins_line = |text: &Text, at: Byte| text.line_start(text.line_of(at)) == at;
    let mut same = common_end(old, new, most);
    let (was, is) = (old.end().back(same), new.end().back(same));
    if !begins_line(old, was) || !begins_line(new, is) {
        let next = old.line_start(Line(old.line_of(was).0 + 1));
        same = old.end() - next;
    }
    (start, same)
}

fn common_start(old: &Text, new: &Text) -> usize {
    let (mut olds, mut news) = (old.chunks_from(Byte(0)), new.chunks_from(Byte(0)));
    let (mut was, mut is): (&[u8], &[u8]) = (&[], &[]);
    let mut same = 0;
    loop {
        if was.is_empty() {
            let Some(next) = olds.next() else { return same };
            was = next.as_bytes();
        }
        if is.is_empty() {
            let Some(next) = news.next() else { return same };
            is = next.as_bytes();
        }
        let n = was.len().min(is.len());
        if was[..n] != is[..n] {
            return same + was.iter().zip(is).take_while(|(a, b)| a == b).count();
        }
        (was, is, same) = (&was[n..], &is[n..], same + n);
    }
}

fn common_end(old: &Text, new: &Text, most: usize) -> usize {
    let mut same = 0;
    while same < most {
        let before = |text: &Text| {
            let end = text.end().back(same);
            let (_, start) = text.chunk_at(end.back(1));
            (start, end)
        };
        let ((old_start, old_end), (new_start, new_end)) = (before(old), before(new));
        let (was, is) = (old.slice(old_start..old_end), new.slice(new_start..new_end));
        let (was, is) = (was.as_bytes(), is.as_bytes());
        let n = was.len().min(is.len()).min(most - same);
        if was[was.len() - n..] != is[is.len() - n..] {
            return same + was.iter().rev().zip(is.iter().rev()).take_while(|(a, b)| a == b).count();
        }
        same += n;
    }
    same
}

/// Returns the change from one text to another in parts as small as words, so that cursors and marks between them are
/// preserved even where most lines differ, as after formatting.
pub fn fine_change(old: &Text, new: &Text) -> ChangeSet {
    let mut edits = Vec::new();
    for run in runs(old, new) {
        let in_order = run.old.len() == run.new.len();
        let pairs = run.pairs.clone().unwrap_or_else(|| {
            if in_order { run.old.clone().zip(run.new.clone()).collect() } else { Vec::new() }
        });
        let (mut was, mut is) = (run.old.start, run.new.start);
        for (old_line, new_line) in pairs {
            replace_lines(&mut edits, (old, was..old_line), (new, is..new_line));
            replace_words(&mut edits, (old, old_line), (new, new_line));
            (was, is) = (old_line + 1, new_line + 1);
        }
        replace_lines(&mut edits, (old, was..run.old.end), (new, is..run.new.end));
    }
    ChangeSet::replace(old.end().0, edits)
}

/// Replaced ranges, each with its new text.
type Edits = Vec<(Range<Byte>, String)>;

/// Returns the start of a line; the end of the text behind the last one.
fn start_of(text: &Text, line: usize) -> Byte {
    if line < text.line_count() { text.line_start(Line(line)) } else { text.end() }
}

fn replace_lines(edits: &mut Edits, (old, was): (&Text, Range<usize>), (new, is): (&Text, Range<usize>)) {
    if was.is_empty() && is.is_empty() {
        return;
    }
    let text = new.slice(start_of(new, is.start)..start_of(new, is.end)).into_owned();
    edits.push((start_of(old, was.start)..start_of(old, was.end), text));
}

fn replace_words(edits: &mut Edits, (old, was): (&Text, usize), (new, is): (&Text, usize)) {
    let start = start_of(old, was);
    let old = old.slice(start..start_of(old, was + 1));
    let new = new.slice(start_of(new, is)..start_of(new, is + 1));
    if old.len() + new.len() > WORDS_MAX {
        edits.extend(
            diff::change(&old, &new)
                .edits()
                .map(|edit| (start + edit.old.start.0..start + edit.old.end.0, edit.text.to_string())),
        );
        return;
    }
    let (was, is) = (split_words(&old), split_words(&new));
    let mut input = InternedInput::default();
    input.update_before(was.iter().map(|word| &old[word.clone()]));
    input.update_after(is.iter().map(|word| &new[word.clone()]));
    let bytes = |words: &[Range<usize>], run: &Range<u32>, end: usize| {
        let at = |n: u32| words.get(n as usize).map_or(end, |word| word.start);
        at(run.start)..at(run.end)
    };
    for hunk in Diff::compute(Algorithm::Histogram, &input).hunks() {
        let replaced = bytes(&was, &hunk.before, old.len());
        let text = new[bytes(&is, &hunk.after, new.len())].to_string();
        edits.push((start + replaced.start..start + replaced.end, text));
    }
}

/// Returns the byte ranges of differing words in two lines; empty if the lines have little in common or are
/// very long.
pub fn differing_words(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old.len() + new.len() > WORDS_MAX {
        return Default::default();
    }
    let (was, is) = (split_words(old), split_words(new));
    let mut input = InternedInput::default();
    input.update_before(was.iter().map(|word| &old[word.clone()]));
    input.update_after(is.iter().map(|word| &new[word.clone()]));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let to_range = |words: &[Range<usize>], run: Range<u32>| {
        let words = &words[run.start as usize..run.end as usize];
        words.first().zip(words.last()).map(|(first, last)| first.start..last.end)
    };
    let olds: Vec<_> = diff.hunks().filter_map(|hunk| to_range(&was, hunk.before)).collect();
    let news: Vec<_> = diff.hunks().filter_map(|hunk| to_range(&is, hunk.after)).collect();
    let kept = old.len() - olds.iter().map(Range::len).sum::<usize>();
    if kept * 4 < old.trim().len().max(new.trim().len()) {
        return Default::default();
    }
    (olds, news)
}

/// Returns the words of a line, and the characters between them.
fn split_words(line: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut goes_on = false;
    let mut at = 0;
    for grapheme in graphemes(line) {
        let is_word = grapheme.chars().all(|c| c.is_alphanumeric() || c == '_' || !c.is_ascii());
        let wide = grapheme.chars().any(|c| c >= '\u{2e80}');
        match words.last_mut() {
            Some(word) if goes_on && is_word && !wide => word.end += grapheme.len(),
            _ => words.push(at..at + grapheme.len()),
        }
        goes_on = is_word && !wide;
        at += grapheme.len();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn applied(old: &Text, new: &Text) -> String {
        let place = |text: &Text, line: usize| text.line_start(Line(line));
        let mut made = String::new();
        let mut at = 0;
        for run in runs(old, new) {
            made.push_str(&old.slice(place(old, at)..place(old, run.old.start)));
            made.push_str(&new.slice(place(new, run.new.start)..place(new, run.new.end)));
            at = run.old.end;
        }
        made.push_str(&old.slice(place(old, at)..old.end()));
        made
    }

    #[test]
    fn compare_line_count_matches_visible_lines() {
        let counts = ["", "\n", "a", "a\n", "a\nb", "é\r\n\r\n"].map(|text| line_count(&Text::from(text)));
        assert_eq!(counts, [0, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn compare_runs_between_equal_lines() {
        let found = |old: &str, new: &str| {
            let found = runs(&Text::from(old), &Text::from(new)).into_iter();
            found.map(|run| (run.old, run.new)).collect::<Vec<_>>()
        };
        assert_eq!(found("a\nb\nc\n", "a\nb\nc\n"), []);
        assert_eq!(found("a\nb\nc\n", "a\nB\nc\n"), [(1..2, 1..2)]);
        assert_eq!(found("a\nb\n", "a\nb"), [(1..2, 1..2)]);
        assert_eq!(found("", "é\n"), [(0..0, 0..1)]);
        assert_eq!(found("x\na\n", "xa\na\n"), [(0..1, 0..1)]);
        assert_eq!(found("a\nb\nc\nd\n", "b\nc\nx\nd\n"), [(0..1, 0..0), (3..3, 2..3)]);
        assert_eq!(found("b\na\n", "a\n"), [(0..1, 0..0)]);
    }

    #[test]
    fn compare_similar_lines_are_paired() {
        let pairs = |old: &str, new: &str| {
            let runs = runs(&Text::from(old), &Text::from(new));
            assert_eq!(runs.len(), 1);
            runs[0].pairs.clone()
        };
        assert_eq!(pairs("f()\nlet é = 漢 + b;\n", "let é = 漢字 + b;\n"), Some(vec![(1, 0)]));
        assert_eq!(pairs("a b c\nd e f\n", "x\na b C\ny\nd E f\n"), Some(vec![(0, 1), (1, 3)]));
        assert_eq!(pairs("a\nb\n", "x\n"), Some(vec![]));
        assert_eq!(pairs("a\nb\n", "x\ny\n"), None, "in their order");
        let runs = runs(&Text::from("f()\na b c\n"), &Text::from("a b d\n"));
        assert_eq!((runs[0].pair_of_old(1), runs[0].pair_of_new(0)), (Some((1, 0)), Some((1, 0))));
        assert_eq!((runs[0].pair_of_old(0), runs[0].pair_of_new(7)), (None, None));
    }

    #[test]
    fn compare_changed_words_are_marked() {
        let found = |old: &str, new: &str| {
            let (olds, news) = differing_words(old, new);
            let pick = |line: &str, places: Vec<Range<usize>>| {
                places.into_iter().map(|place| line[place].to_string()).collect::<Vec<_>>().join("|")
            };
            (pick(old, olds), pick(new, news))
        };
        let both = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(found("let größe = one;", "let größer = one;"), both("größe", "größer"));
        assert_eq!(found("f(a, b)", "f(a, b, c)"), both("", ", c"));
        assert_eq!(found("漢字です", "漢学です"), both("字", "学"));
        assert_eq!(found("all of it", "xyz"), both("", ""), "nothing in common");
        assert_eq!(found(&"a ".repeat(4000), "a"), both("", ""), "too long");
    }

    #[test]
    fn compare_fine_change_keeps_what_is_between_words() {
        let edits = |old: &str, new: &str| {
            let change = fine_change(&Text::from(old), &Text::from(new));
            change
                .edits()
                .map(|edit| (edit.old.start.0..edit.old.end.0, edit.text.to_string()))
                .collect::<Vec<_>>()
        };
        assert_eq!(edits("f( a,b)\n", "f(a, b)\n"), [(2..3, String::new()), (5..5, " ".to_string())]);
        assert_eq!(edits("{\na\nb\n}\n", "{\n  a\n  b\n}\n"), [(2..2, "  ".into()), (4..4, "  ".into())]);
        assert_eq!(edits("a\r\nb", "a\nb\n"), [(1..3, "\n".into()), (4..4, "\n".into())]);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn compare_fine_change_gives_the_new_text(
            old in "([ab é漢]{0,6}\r?\n){0,8}[ab ]{0,3}",
            new in "([ab é漢]{0,6}\n){0,8}[ab ]{0,3}",
        ) {
            let (mut text, new) = (Text::from(old.as_str()), Text::from(new.as_str()));
            fine_change(&text, &new).apply(&mut text);
            prop_assert_eq!(text.to_string(), new.to_string());
        }

        #[test]
        fn compare_runs_rebuild_new_text(
            head in 0usize..3,
            old in "([abé漢]{0,3}\r?\n){0,8}[ab]{0,2}",
            new in "([abé漢]{0,3}\n){0,8}[ab]{0,2}",
            tail in 0usize..3,
        ) {
            // Ends that are the same and longer than a piece of a rope.
            let (head, tail) = ("same é\n".repeat(head * 500), "\nit is\n".repeat(tail * 500));
            let (old, new) = (format!("{head}{old}{tail}"), format!("{head}{new}{tail}"));
            let (old, new) = (Text::from(old.as_str()), Text::from(new.as_str()));
            prop_assert_eq!(applied(&old, &new), new.to_string());
            let total: usize = runs(&old, &new).iter().map(|run| run.old.len() + run.new.len()).sum();
            prop_assert!(total <= 22);
        }
    }
}
