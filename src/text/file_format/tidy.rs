//! Cleanup of a text before saving: trailing white space, line endings, the final line ending. Must not know
//! who requests it, or why.
//!
//! Linear in the text's length; call it off the event loop.

use crate::text::changes::ChangeSet;
use crate::text::file_format::format::LineEnding;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Cleanup options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tidy {
    /// Whether trailing spaces and tabs are removed.
    pub trim: bool,
    /// Whether the last line ends with a line ending (true), or without one (false).
    pub final_ending: Option<bool>,
    /// The line ending of every line.
    pub ending: Option<LineEnding>,
}

impl Tidy {
    /// Whether it changes no text.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// Returns the change for a text whose new lines end in `ending`, unless all are converted.
    pub fn change(self, text: &Text, ending: LineEnding) -> ChangeSet {
        let mut edits = Vec::new();
        let last = text.last_line();
        for line in (0..=last.0).map(Line) {
            let (start, end) = (text.line_start(line), text.line_end(line));
            let next = if line == last { text.end() } else { text.line_start(Line(line.0 + 1)) };
            let from = if self.trim { trimmed_end(text, start, end) } else { end };
            let is_last_ended = next == text.end() && next > end;
            let final_text = match (self.final_ending, next > end) {
                (Some(false), true) if is_last_ended => Some(""),
                (Some(true), false) if from > start => Some(self.ending.unwrap_or(ending).text()),
                (_, true) => self.ending.map(LineEnding::text),
                (_, false) => None,
            };
            let final_text = final_text.filter(|final_text| text.slice(end..next) != *final_text);
            match final_text {
                Some(final_text) => edits.push((from..next, final_text.to_string())),
                None if from < end => edits.push((from..end, String::new())),
                None => {}
            }
        }
        ChangeSet::replace(text.end().0, edits)
    }
}

/// Returns where the trailing spaces and tabs of `start..end` start.
fn trimmed_end(text: &Text, start: Byte, end: Byte) -> Byte {
    let mut at = end;
    while at > start && matches!(text.byte_at(at.back(1)), Some(b' ' | b'\t')) {
        at = at.back(1);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tidied(tidy: Tidy, text: &str) -> String {
        let mut rope = Text::from(text);
        tidy.change(&rope, LineEnding::Lf).apply(&mut rope);
        rope.to_string()
    }

    const TRIM: Tidy = Tidy { trim: true, final_ending: None, ending: None };

    #[test]
    fn tidy_trims_only_line_ends() {
        for (before, after) in [
            ("  a b \t\nc\n", "  a b\nc\n"),
            (" \n\t\n x", "\n\n x"),
            ("é \r\n漢\t", "é\r\n漢"),
            ("no-break\u{a0}\n", "no-break\u{a0}\n"),
            ("", ""),
        ] {
            assert_eq!(tidied(TRIM, before), after);
        }
    }

    #[test]
    fn tidy_final_newline_setting() {
        let ended = Tidy { final_ending: Some(true), ..Tidy::default() };
        let open = Tidy { final_ending: Some(false), ..Tidy::default() };
        for (before, with, without) in [
            ("", "", ""),
            ("a", "a\n", "a"),
            ("a\n", "a\n", "a"),
            ("a\r\n", "a\r\n", "a"),
            ("a\n\n", "a\n\n", "a\n"),
            ("a\nb", "a\nb\n", "a\nb"),
        ] {
            assert_eq!((tidied(ended, before).as_str(), tidied(open, before).as_str()), (with, without));
        }
        let both = Tidy { trim: true, ..ended };
        assert_eq!((tidied(both, "a\n  "), tidied(both, "a ")), ("a\n".into(), "a\n".into()));
        let crlf = Tidy { ending: Some(LineEnding::CrLf), ..ended };
        assert_eq!(tidied(crlf, "a\nb"), "a\r\nb\r\n");
    }

    #[test]
    fn tidy_line_endings_are_unified() {
        let lf = Tidy { ending: Some(LineEnding::Lf), ..Tidy::default() };
        let crlf = Tidy { ending: Some(LineEnding::CrLf), ..Tidy::default() };
        assert_eq!(tidied(lf, "a\r\nb\nc\r"), "a\nb\nc\r");
        assert_eq!(tidied(crlf, "a\r\nb\nc"), "a\r\nb\r\nc");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        /// Against plain strings, and twice is once.
        #[test]
        fn tidy_matches_string_model_and_is_idempotent(text in "([ab é\t]{0,4}(\n|\r\n)){0,6}[a \t]{0,3}", trim: bool, ending: bool) {
            let tidy = Tidy { trim, final_ending: None, ending: ending.then_some(LineEnding::Lf) };
            let model: Vec<String> = text.split('\n').map(|line| {
                let (content, cr) = line.strip_suffix('\r').map_or((line, ""), |content| (content, "\r"));
                let content = if trim { content.trim_end_matches([' ', '\t']) } else { content };
                format!("{content}{}", if ending { "" } else { cr })
            }).collect();
            let done = tidied(tidy, &text);
            prop_assert_eq!(&done, &model.join("\n"));
            prop_assert_eq!(&tidied(tidy, &done), &done);
        }
    }
}
