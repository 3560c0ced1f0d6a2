//! Limits on an output for a model: for pi's tools 2000 lines or 50 KiB, whichever is reached first; others
//! use `truncation`.
//!
//! Must not know tools. Pure; cuts at line ends, and within a line between characters.

/// Maximum lines of a result.
pub const LINES_MAX: usize = 2000;
/// Maximum bytes of a result.
pub const BYTES_MAX: usize = 50 * 1024;

/// Limits on a tool's text: characters first, since two lines can be as long as a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum characters.
    pub chars: usize,
    /// Which part is kept.
    pub keep: Keep,
    /// Maximum lines after that.
    pub lines: Option<usize>,
}

/// Which part of a long text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Half of the limit from each end.
    Ends,
    /// The end.
    Tail,
}

/// A text truncated at one end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutText<'a> {
    /// The remaining text.
    pub text: &'a str,
    /// Its number of lines.
    pub lines: usize,
    /// The limit that was exceeded.
    pub limited_by: Option<Limit>,
    /// Whether the first (head) or last (tail) line alone exceeds the limit, so that only a part of it is
    /// included.
    pub partial: bool,
}

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Of lines.
    Lines,
    /// Of bytes.
    Bytes,
}

impl Limit {
    /// The limit's name in details.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Bytes => "bytes",
        }
    }
}

/// Counts the lines of a text; a trailing line feed does not start another one.
pub fn count_lines(text: &str) -> usize {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    feeds + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The first lines that fit.
pub fn head(text: &str, lines_max: usize, bytes_max: usize) -> CutText<'_> {
    let (mut end, mut lines) = (0, 0);
    for line in text.split_inclusive('\n') {
        let by = if lines == lines_max {
            Limit::Lines
        } else if end + line.trim_end_matches('\n').len() > bytes_max {
            Limit::Bytes
        } else {
            end += line.len();
            lines += 1;
            continue;
        };
        if lines == 0 && by == Limit::Bytes {
            let text = &line[..line.floor_char_boundary(bytes_max)];
            return CutText { text, lines: 1, limited_by: Some(by), partial: true };
        }
        return CutText { text: &text[..end], lines, limited_by: Some(by), partial: false };
    }
    CutText { text, lines, limited_by: None, partial: false }
}

/// The last lines that fit.
pub fn tail(text: &str, lines_max: usize, bytes_max: usize) -> CutText<'_> {
    let (mut start, mut lines) = (text.len(), 0);
    for line in text.split_inclusive('\n').rev() {
        let by = if lines == lines_max {
            Limit::Lines
        } else if text.len() - start + line.len() > bytes_max {
            Limit::Bytes
        } else {
            start -= line.len();
            lines += 1;
            continue;
        };
        if lines == 0 && by == Limit::Bytes {
            let text = &line[line.ceil_char_boundary(line.len() - bytes_max)..];
            return CutText { text, lines: 1, limited_by: Some(by), partial: true };
        }
        return CutText { text: &text[start..], lines, limited_by: Some(by), partial: false };
    }
    CutText { text, lines, limited_by: None, partial: false }
}

/// A size for the user: `512B`, `50.0KB`, `1.5MB`.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes}B"),
        1024..1_048_576 => format!("{:.1}KB", bytes as f64 / 1024.0),
        _ => format!("{:.1}MB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn output_limits_cut_at_line_ends() {
        let text = "one\ntwo\nthree\n";
        assert_eq!(
            (head(text, 2, 99).text, head(text, 2, 99).limited_by),
            ("one\ntwo\n", Some(Limit::Lines))
        );
        assert_eq!((head(text, 9, 8).text, head(text, 9, 8).limited_by), ("one\ntwo\n", Some(Limit::Bytes)));
        assert_eq!(
            (tail(text, 2, 99).text, tail(text, 2, 99).limited_by),
            ("two\nthree\n", Some(Limit::Lines))
        );
        assert_eq!((tail(text, 9, 6).text, tail(text, 9, 6).lines), ("three\n", 1));
        assert_eq!((head(text, 3, 14).limited_by, tail(text, 3, 14).limited_by), (None, None));
    }

    #[test]
    fn output_limits_long_line_is_cut_inside() {
        assert_eq!(
            head("ééé\nx", 9, 3),
            CutText { text: "é", lines: 1, limited_by: Some(Limit::Bytes), partial: true }
        );
        assert_eq!(
            tail("x\nééé", 9, 3),
            CutText { text: "é", lines: 1, limited_by: Some(Limit::Bytes), partial: true }
        );
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]

        #[test]
        fn output_limits_cuts_respect_limits(text in "[aé\n]{0,60}", lines in 1usize..6, bytes in 4usize..20) {
            for (cut, end) in [(head(&text, lines, bytes), true), (tail(&text, lines, bytes), false)] {
                prop_assert!(count_lines(cut.text) <= lines);
                prop_assert!(cut.text.trim_end_matches('\n').len() <= bytes + 1);
                let part = if end { text.starts_with(cut.text) } else { text.contains(cut.text) };
                prop_assert!(part, "{:?}", cut);
                prop_assert_eq!(cut.limited_by.is_none(), cut.text == text);
            }
        }
    }
}
