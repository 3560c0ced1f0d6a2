//! What the checks found, as text and as JSON.
//!
//! Must not know any check. Text from outside, such as paths and names, is made visible here: it must not reach the
//! terminal with its control characters.

use serde_json::Value;

use super::facts::Facts;
use crate::base::json::json;
use crate::base::plural::pluralize;
use crate::base::width::{grapheme_width, graphemes, text_width, visible};

/// The state of what was checked, from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As it should be.
    Ok,
    /// Works, with less than there could be.
    Note,
    /// Something that the user configured is not in force, or will fail.
    Warning,
    /// Something that bowline needs does not work.
    Error,
}

impl State {
    /// The word for it, in both forms of the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// Its color: the parameter of SGR.
    fn color(self) -> &'static str {
        match self {
            Self::Ok => "32",
            Self::Note => "36",
            Self::Warning => "33",
            Self::Error => "31",
        }
    }
}

/// What a check found about one thing. All but [`State::Ok`] have advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about, if a check is about several things: a provider, a file.
    pub item: Option<String>,
    /// The state.
    pub state: State,
    /// What was found, in one line.
    pub value: String,
    /// What to do, in one line.
    pub advice: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn ok(value: impl Into<String>) -> Self {
        Self { item: None, state: State::Ok, value: value.into(), advice: None }
    }

    /// There could be more.
    pub fn note(value: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { item: None, state: State::Note, value: value.into(), advice: Some(advice.into()) }
    }

    /// Something configured is not in force, or will fail.
    pub fn warning(value: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Warning, ..Self::note(value, advice) }
    }

    /// Something needed does not work.
    pub fn error(value: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Error, ..Self::note(value, advice) }
    }

    /// Says what it is about.
    #[must_use]
    pub fn about(self, item: impl Into<String>) -> Self {
        Self { item: Some(item.into()), ..self }
    }
}

/// A check: one row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its name: stable, part of the JSON form.
    pub name: &'static str,
    /// Judges the facts; none, one or several findings.
    pub run: fn(&Facts) -> Vec<Finding>,
}

/// Checks that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// Its name: stable, part of the JSON form.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its checks.
    pub checks: &'static [Check],
}

/// A finding with its check.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    section: &'static str,
    title: &'static str,
    check: &'static str,
    finding: Finding,
}

/// What all checks found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoctorReport(Vec<Row>);

impl DoctorReport {
    /// Runs the checks. Blocks: some look at folders.
    pub fn new(sections: &[Section], facts: &Facts) -> Self {
        let one_line = |text: &str| visible(text.trim()).into_owned();
        let mut rows = Vec::new();
        for section in sections {
            for check in section.checks {
                rows.extend((check.run)(facts).into_iter().map(|finding| Row {
                    section: section.id,
                    title: section.title,
                    check: check.name,
                    finding: Finding {
                        item: finding.item.as_deref().map(one_line),
                        state: finding.state,
                        value: one_line(&finding.value),
                        advice: finding.advice.as_deref().map(one_line),
                    },
                }));
            }
        }
        Self(rows)
    }

    /// The worst state.
    pub fn state(&self) -> State {
        self.0.iter().map(|row| row.finding.state).max().unwrap_or(State::Ok)
    }

    /// The findings of a check, for tests.
    #[cfg(test)]
    pub(super) fn findings(&self, check: &str) -> Vec<&Finding> {
        self.0.iter().filter(|row| row.check == check).map(|row| &row.finding).collect()
    }

    /// The report as one JSON object; `docs/doctor.md` has its fields.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            let Finding { item, state, value, advice } = &row.finding;
            json!({"section": row.section, "check": row.check, "item": item, "state": state.name(),
                "value": value, "advice": advice})
        };
        let checks: Vec<Value> = self.0.iter().map(row).collect();
        json!({"version": env!("CARGO_PKG_VERSION"), "state": self.state().name(), "checks": checks})
    }

    /// The report as aligned text of this many columns, with colors if the terminal shows them.
    pub fn text(&self, is_colored: bool, cols: usize) -> String {
        let label = |row: &Row| match &row.finding.item {
            Some(item) => format!("{} {item}", row.check),
            None => row.check.to_string(),
        };
        let widest = self.0.iter().map(|row| text_width(&label(row))).filter(|width| *width <= LABEL_MAX);
        let width = widest.max().unwrap_or(0);
        let paint = |color: &str, text: &str| {
            if is_colored { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_string() }
        };
        let (mut out, mut section, mut last_advice) = (String::new(), "", None);
        for row in &self.0 {
            if row.section != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                out.push_str(&format!("{gap}{}\n", paint("1", row.title)));
                (section, last_advice) = (row.section, None);
            }
            let Finding { state, value, advice, .. } = &row.finding;
            let (name, label) = (state.name(), label(row));
            let state_gap = " ".repeat(STATE_WIDTH - name.len());
            let label_gap = " ".repeat(width.saturating_sub(text_width(&label)));
            let head = STATE_WIDTH + 6 + width.max(text_width(&label));
            let hang = " ".repeat(STATE_WIDTH + 6 + width);
            let mut lines = wrap(value, head, hang.len(), cols).into_iter();
            let first = lines.next().unwrap_or_default();
            let line = format!("  {}{state_gap}  {label}{label_gap}  {first}", paint(state.color(), name));
            out.push_str(line.trim_end());
            out.push('\n');
            // Several rows may need the same.
            let advice_lines = advice.as_ref().filter(|advice| last_advice != Some(*advice));
            let advice_lines = advice_lines.map(|advice| wrap(advice, hang.len(), hang.len(), cols));
            for line in lines.chain(advice_lines.into_iter().flatten()) {
                out.push_str(&format!("{hang}{line}\n"));
            }
            last_advice = advice.as_ref().or(last_advice);
        }
        out.push_str(&format!("\n{}\n", self.summary()));
        out
    }

    fn summary(&self) -> String {
        let count = |state| self.0.iter().filter(|row| row.finding.state == state).count();
        let part = |state, one, several| {
            let count = count(state);
            (count > 0).then(|| pluralize(count, one, several))
        };
        let parts = [
            part(State::Error, "error", "errors"),
            part(State::Warning, "warning", "warnings"),
            part(State::Note, "note", "notes"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "No problems found".to_string() } else { parts.join(", ") }
    }
}

/// Returns the lines of a text between the columns `hang` and `cols`, of which the first begins at `head`. A word that is
/// longer than a line, such as a path, is divided; lines are never shorter than [`VALUE_MIN`].
fn wrap(text: &str, head: usize, hang: usize, cols: usize) -> Vec<String> {
    let room = |from: usize| cols.saturating_sub(from).max(VALUE_MIN);
    let mut lines = vec![String::new()];
    let mut left = room(head);
    for word in text.split(' ') {
        let is_first = lines.last().is_some_and(String::is_empty);
        let gap = usize::from(!is_first);
        let width = text_width(word);
        if width + gap > left && !is_first && width <= room(hang) {
            lines.push(String::new());
            left = room(hang);
        } else if !is_first {
            left = left.saturating_sub(1);
            lines.last_mut().into_iter().for_each(|line| line.push(' '));
        }
        for grapheme in graphemes(word) {
            let width = grapheme_width(grapheme);
            if width > left {
                lines.push(String::new());
                left = room(hang);
            }
            left = left.saturating_sub(width);
            lines.last_mut().into_iter().for_each(|line| line.push_str(grapheme));
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_string()).collect()
}

/// Cells that a value has at least, however narrow the terminal is.
const VALUE_MIN: usize = 24;
/// Cells of the longest state.
const STATE_WIDTH: usize = 7;
/// Labels longer than this many cells do not widen the column.
const LABEL_MAX: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn report(findings: &[(&'static str, Finding)]) -> DoctorReport {
        let row = |(check, finding): &(&'static str, Finding)| Row {
            section: "s",
            title: "Section",
            check,
            finding: finding.clone(),
        };
        DoctorReport(findings.iter().map(row).collect())
    }

    #[test]
    fn doctor_text_is_aligned_and_repeats_no_advice() {
        let report = report(&[
            ("one", Finding::ok("fine")),
            ("longer", Finding::note("less", "do it").about("x")),
            ("two", Finding::note("less", "do it")),
            ("three", Finding::error("broken", "mend it")),
        ]);
        let expected = "\
Section
  ok       one       fine
  note     longer x  less
                     do it
  note     two       less
  error    three     broken
                     mend it

1 error, 2 notes
";
        assert_eq!(report.text(false, 80), expected);
        assert_eq!(report.state(), State::Error);
        let colored = report.text(true, 80);
        assert!(colored.contains("  \x1b[31merror\x1b[0m    three     broken\n"), "{colored}");
        assert_eq!(super::DoctorReport(Vec::new()).summary(), "No problems found");
    }

    #[test]
    fn doctor_text_is_wrapped_below_its_column_and_divides_only_long_words() {
        let long = format!("the file {}/x is too long", "/folder".repeat(8));
        let report = report(&[
            (
                "one",
                Finding::note(
                    long.clone(),
                    "Move it to a place with a name that is not that long".to_string(),
                ),
            ),
            ("two", Finding::ok("short")),
        ]);
        let text = report.text(false, 60);
        assert!(text.lines().all(|line| text_width(line) <= 60), "{text}");
        let expected = "\
Section
  note     one  the file /folder/folder/folder/folder/folder
                /folder/folder/folder/x is too long
                Move it to a place with a name that is not
                that long
  ok       two  short
";
        assert!(text.starts_with(expected), "{text}");
        assert!(report.text(false, 200).contains(&long));
    }

    #[test]
    fn doctor_report_shows_no_control_characters() {
        const CHECKS: &[Check] = &[Check {
            name: "evil",
            run: |_| vec![Finding::warning("a\x1b[31m\nb", "c\u{202e}").about("d\u{9b}")],
        }];
        let sections = [Section { id: "s", title: "S", checks: CHECKS }];
        let report = DoctorReport::new(&sections, &Facts::for_tests());
        let expected = Finding::warning("a␛[31m␊b", "c<U+202E>").about("d<9B>");
        assert_eq!(report.findings("evil"), [&expected]);
        assert!(!report.text(false, 80).contains('\x1b'));
    }
}
