//! TOML that a user wrote, with its mistakes: all rows that are well-formed, and where the others are. So a missing
//! quote in one line does not take away the rest of a file. Must not know what the rows mean.
//!
//! Without serde: such files are read at every start, and this is half the time.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

/// Mistakes of a file that are repaired and reported.
const MISTAKES_MAX: usize = 20;

/// A mistake of syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where its line begins, in bytes.
    pub at: usize,
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong, in one line.
    pub message: String,
}

/// Returns the rows of the text without the lines in which there is a mistake, and the mistakes. Where the header of a
/// table is wrong, its rows are left out, too: they belong nowhere. With more mistakes than are reported there are no
/// rows at all. `repaired` gets the text without these lines, of which the rows are; their positions are those in `text`.
pub fn parse<'a>(text: &'a str, repaired: &'a mut String) -> (DeTable<'a>, Vec<Mistake>) {
    let mut error = match DeTable::parse(text) {
        Ok(table) => return (table.into_inner(), Vec::new()),
        Err(error) => error,
    };
    text.clone_into(repaired);
    let lines = Lines::new(text);
    let mut mistakes: Vec<Mistake> = Vec::new();
    let mut is_repaired = false;
    while !is_repaired && mistakes.len() < MISTAKES_MAX {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        // A value that is not closed takes the rows behind it in: the mistake is where it begins.
        let open = open_value(repaired, at).map(|start| lines.of(start));
        let Some(line) = open.or_else(|| lines.text_before(repaired, at)) else { break };
        let message = error.message().trim().replace('\n', ", ");
        mistakes.push(Mistake { at: lines.starts[line], line: line + 1, message });
        let wrong = if open.is_some() { lines.value(line) } else { lines.statement(line) };
        lines.blank(repaired, wrong);
        match DeTable::parse(repaired) {
            Ok(_) => is_repaired = true,
            Err(next) => error = next,
        }
    }
    mistakes.sort_by_key(|mistake| mistake.at);
    if !is_repaired {
        repaired.clear();
        let (at, line) = mistakes.last().map_or((0, 1), |last| (last.at, last.line));
        let message = "there are more mistakes, so that nothing of the file counts".to_string();
        mistakes.push(Mistake { at, line, message });
    }
    (DeTable::parse(repaired).map(Spanned::into_inner).unwrap_or_default(), mistakes)
}

/// Returns where the row begins whose value is still open at a position: in brackets, or in a text of several lines.
fn open_value(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut row, mut depth, mut position) = (0, 0_usize, 0);
    // The quotes that end the text at the position.
    let mut quotes: Option<&str> = None;
    while position < at {
        let rest = &bytes[position..];
        let step = match (quotes, rest[0]) {
            (Some(end), b'\\') if end.starts_with('"') => 2,
            (Some(end), _) if rest.starts_with(end.as_bytes()) => {
                quotes = None;
                end.len()
            }
            // A text of one line ends with it, closed or not.
            (Some(end), b'\n') if end.len() == 1 => {
                quotes = None;
                0
            }
            (None, b'"' | b'\'') => {
                let all = ["\"\"\"", "'''", "\"", "'"];
                quotes = all.into_iter().find(|all| rest.starts_with(all.as_bytes()));
                quotes.map_or(1, str::len)
            }
            (None, b'#') => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            (None, b'[' | b'{') => {
                depth += 1;
                1
            }
            (None, b']' | b'}') => {
                depth = depth.saturating_sub(1);
                1
            }
            (None, b'\n') => {
                if depth == 0 {
                    row = position + 1;
                }
                1
            }
            _ => 1,
        };
        position += step;
    }
    (depth > 0 || quotes.is_some_and(|end| end.len() > 1)).then_some(row)
}

/// The lines of a text.
struct Lines<'a> {
    text: &'a str,
    /// Where each begins.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// Returns the line of a position, from 0.
    fn of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    fn is_header(&self, line: usize) -> bool {
        self.starts
            .get(line)
            .is_some_and(|start| self.text[*start..].trim_start_matches([' ', '\t']).starts_with('['))
    }

    /// Returns the last line at or before a position that has text.
    fn text_before(&self, text: &str, at: usize) -> Option<usize> {
        (0..=self.of(at)).rev().find(|line| !text[self.bytes(*line..line + 1)].trim().is_empty())
    }

    /// Returns the lines that a mistake in one makes unusable: those of its table if it is a header.
    fn statement(&self, line: usize) -> Range<usize> {
        if !self.is_header(line) {
            return line..line + 1;
        }
        let next = (line + 1..self.starts.len()).find(|line| self.is_header(*line));
        line..next.unwrap_or(self.starts.len())
    }

    /// Returns the lines of a value that is not closed: up to the next line that looks like a row or a header.
    fn value(&self, line: usize) -> Range<usize> {
        if self.is_header(line) {
            return self.statement(line);
        }
        let is_row = |line: &usize| {
            let text = self.text[self.bytes(*line..*line + 1)].trim_start();
            let key = text.trim_start_matches(|c: char| c.is_alphanumeric() || "-_.\"' ".contains(c));
            key.len() < text.len() && key.starts_with('=') || self.is_header(*line) && !text.contains(',')
        };
        let next = (line + 1..self.starts.len()).find(is_row);
        line..next.unwrap_or(self.starts.len())
    }

    fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        start(lines.start)..start(lines.end)
    }

    /// Replaces lines by blanks of the same length.
    fn blank(&self, text: &mut String, lines: Range<usize>) {
        let range = self.bytes(lines);
        let blanks: String =
            text[range.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(range, &blanks);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use toml::de::DeValue;

    use super::*;

    /// What can be read, as `key=value` rows with dots, and the lines of the mistakes.
    fn read(text: &str) -> (Vec<String>, Vec<usize>) {
        fn rows(table: &DeTable<'_>, before: &str, out: &mut Vec<String>) {
            for (key, value) in table {
                match value.get_ref() {
                    DeValue::Table(inner) => rows(inner, &format!("{before}{}.", key.get_ref()), out),
                    DeValue::Integer(number) => out.push(format!("{before}{}={number}", key.get_ref())),
                    other => out.push(format!("{before}{}={}", key.get_ref(), other.as_str().unwrap_or("?"))),
                }
            }
        }
        let mut repaired = String::new();
        let (table, mistakes) = parse(text, &mut repaired);
        let mut out = Vec::new();
        rows(&table, "", &mut out);
        out.sort();
        (out, mistakes.into_iter().map(|mistake| mistake.line).collect())
    }

    #[test]
    fn partial_toml_drops_only_rows_with_a_mistake() {
        let rows = |rows: &[&str]| -> Vec<String> { rows.iter().map(ToString::to_string).collect() };
        assert_eq!(read("a = 1\nb = = 2\nc = 3\n"), (rows(&["a=1", "c=3"]), vec![2]));
        assert_eq!(read("a = 1\nb = \"x\nc = 3\n"), (rows(&["a=1", "c=3"]), vec![2]));
        assert_eq!(read("a = 1\nb\nc = 3\n"), (rows(&["a=1", "c=3"]), vec![2]));
        assert_eq!(read("[t]\na = 1\nb = rouge\n[u]\na = 2\n"), (rows(&["t.a=1", "u.a=2"]), vec![3]));
        assert_eq!(read("a = 1\n"), (rows(&["a=1"]), vec![]));
        assert_eq!(read("a = 1\na = 2\n"), (rows(&["a=1"]), vec![2]), "a key twice");
        assert_eq!(read("a = 1\nb = [1,\n"), (rows(&["a=1"]), vec![2]), "an end that is missing");
        assert_eq!(
            read("b = [\n 1,\n 2\na = 1\nc = 2\n"),
            (rows(&["a=1", "c=2"]), vec![1]),
            "of rows behind it"
        );
        assert_eq!(read("b = [1\na = 1\n[t]\nc = 2\n"), (rows(&["a=1", "t.c=2"]), vec![1]));
        assert_eq!(read("b = [\n 1\n 2,\n]\na = 1\n"), (rows(&["a=1"]), vec![1]), "a comma that is missing");
        assert_eq!(
            read("b = \"\"\"one\ntwo\na = 1\n"),
            (rows(&["a=1"]), vec![1]),
            "a text that is not closed"
        );
    }

    #[test]
    fn partial_toml_says_that_too_many_mistakes_take_all_rows() {
        let text = format!("{}a = 1\n", "b = = 1\n".repeat(MISTAKES_MAX + 1));
        let mut repaired = String::new();
        let (table, mistakes) = parse(&text, &mut repaired);
        assert!(table.is_empty());
        assert_eq!(mistakes.len(), MISTAKES_MAX + 1);
        assert!(mistakes[MISTAKES_MAX].message.contains("nothing of the file counts"));
    }

    #[test]
    fn partial_toml_rows_below_a_wrong_header_belong_nowhere() {
        let (rows, lines) = read("[t]\na = 1\n[u\na = 2\nb = 3\n[v]\na = 4\n");
        assert_eq!((rows, lines), (vec!["t.a=1".to_string(), "v.a=4".to_string()], vec![3]));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]

        #[test]
        fn partial_toml_any_text_is_safe(text in "([a-c]|=|\"|'|\\[|\\]|\\{|\\}|,|\n| |1|#|\\.|é){0,30}") {
            let (_, lines) = read(&text);
            prop_assert!(lines.len() <= MISTAKES_MAX + 1);
        }

        #[test]
        fn partial_toml_keeps_all_other_rows(
            rows in 1usize..12,
            at in any::<prop::sample::Index>(),
            wrong in prop::sample::select(vec!["x = = 1", "x = \"open", "x", "x = rouge", "= 1", "x = [1 2]", "x = }", "x = [", "x = [\n 1", "x = [\n 1\n 2,\n]", "x = {", "x = '''", "x = [ # ]\n \"a]\","]),
        ) {
            let at = at.index(rows + 1);
            let (mut text, mut wanted) = ("[t]\n".to_string(), Vec::new());
            for n in 0..=rows {
                if n == at {
                    text.push_str(wrong);
                    text.push('\n');
                }
                writeln!(text, "row{n:02} = {n}").unwrap();
                wanted.push(format!("t.row{n:02}={n}"));
            }
            let (found, lines) = read(&text);
            prop_assert_eq!(found, wanted, "{}", text);
            prop_assert_eq!(lines, vec![at + 2]);
        }
    }
}
