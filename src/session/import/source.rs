//! Detection of the program that wrote a session.

use serde_json::Value;

use super::parts::Line;

/// Number of lines that are checked.
const LINES_MAX: usize = 50;

/// Programs whose sessions can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// pi, and bowline itself.
    Pi,
    /// Claude Code.
    Claude,
    /// codex.
    Codex,
}

impl Source {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Pi, Self::Claude, Self::Codex].into_iter().find(|source| source.name() == name)
    }

    /// Detects the program from the first conclusive line.
    pub fn of(lines: impl IntoIterator<Item = Line>) -> Option<Self> {
        lines.into_iter().take(LINES_MAX).find_map(|(_, line)| {
            let fields = line?;
            let has = |name: &str| fields.get(name).is_some();
            let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
            match kind {
                "session" if has("cwd") || has("version") => Some(Self::Pi),
                "session_meta" => Some(Self::Codex),
                "file-history-snapshot" => Some(Self::Claude),
                "summary" if has("leafUuid") => Some(Self::Claude),
                _ if has("sessionId") && (has("uuid") || has("type")) => Some(Self::Claude),
                _ if has("payload") && has("timestamp") => Some(Self::Codex),
                // Header of older codex files, whose lines had no types: id, time, instructions.
                "" if has("id") && has("timestamp") && has("instructions") => Some(Self::Codex),
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::import::parts::lines;

    #[test]
    fn import_source_is_detected_by_first_known_line() {
        let of = |text: &str| Source::of(lines(text));
        assert_eq!(
            of(r#"{"type":"session","version":3,"id":"a","timestamp":"t","cwd":"/"}"#),
            Some(Source::Pi)
        );
        assert_eq!(of("{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}"), Some(Source::Claude));
        assert_eq!(of("junk\n{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\"}"), Some(Source::Claude));
        assert_eq!(of(r#"{"timestamp":"t","type":"session_meta","payload":{}}"#), Some(Source::Codex));
        assert_eq!(of(r#"{"id":"a","timestamp":"t","instructions":null}"#), Some(Source::Codex));
        assert_eq!(of("# a readme\n{}\n[1]"), None);
        assert_eq!(Source::parse("codex"), Some(Source::Codex));
    }
}
