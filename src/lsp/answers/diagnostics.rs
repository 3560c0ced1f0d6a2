//! Diagnostics: errors, warnings and hints about ranges of a text.

use std::sync::Arc;

use gen_lsp_types as types;
use serde_json::value::RawValue;

use crate::base::json::json;
use crate::lsp::answers::list::raw_list;
use crate::lsp::position::Range;

/// Maximum number of diagnostics that are kept of a file: nobody reads more.
pub const FILE_MAX: usize = 10_000;
/// Maximum bytes of a message.
const MESSAGE_MAX: usize = 8 << 10;

/// How bad it is, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A suggestion.
    Hint,
    /// A remark.
    Information,
    /// Likely wrong.
    Warning,
    /// Wrong.
    Error,
}

impl Severity {
    /// All, the worst first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Information, Self::Hint];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Information => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What it is about.
    pub range: Range,
    /// How bad it is.
    pub severity: Severity,
    /// The message. May contain control characters.
    pub message: String,
    /// Which check found it, such as `clippy`.
    pub source: Option<String>,
    /// Its code, such as `E0308`.
    pub code: Option<String>,
    /// Whether what it is about is not used.
    pub is_unnecessary: bool,
    /// Whether what it is about is deprecated.
    pub is_deprecated: bool,
    /// As the server sent it, as JSON, to be given back to it: it may recognize its own code and data only.
    pub sent: Arc<str>,
}

impl Diagnostic {
    /// Returns source and code in one: `rustc E0308`; empty if there is neither.
    pub fn origin(&self) -> String {
        let parts = [self.source.as_deref(), self.code.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// Maximum bytes of a message that is kept of a file that is not open.
const BRIEF_MAX: usize = 200;

/// What is kept of a diagnostic of a file that is not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefDiagnostic {
    /// What it is about.
    pub range: Range,
    /// How bad it is.
    pub severity: Severity,
    /// The begin of its message. May contain control characters.
    pub message: Box<str>,
    /// Source and code in one.
    pub origin: Box<str>,
}

impl From<&Diagnostic> for BriefDiagnostic {
    fn from(from: &Diagnostic) -> Self {
        let message = &from.message[..from.message.floor_char_boundary(BRIEF_MAX)];
        let origin = from.origin();
        let origin = &origin[..origin.floor_char_boundary(BRIEF_MAX)];
        Self { range: from.range, severity: from.severity, message: message.into(), origin: origin.into() }
    }
}

impl BriefDiagnostic {
    /// Returns what is known of it as a whole diagnostic.
    pub fn whole(&self) -> Diagnostic {
        // The protocol counts from 1 for errors to 4 for hints.
        let (severity, message, source) = (4 - self.severity as u8, &self.message, &self.origin);
        let sent = json!({ "range": self.range, "severity": severity, "message": message, "source": source });
        Diagnostic {
            range: self.range,
            severity: self.severity,
            message: self.message.to_string(),
            source: (!self.origin.is_empty()).then(|| self.origin.to_string()),
            code: None,
            is_unnecessary: false,
            is_deprecated: false,
            sent: sent.to_string().into(),
        }
    }
}

/// Decodes diagnostics; returns them by position, and how many there were. One without a severity is an error, and an odd one
/// costs itself.
pub fn decode(list: &RawValue) -> (Vec<Diagnostic>, usize) {
    let list = raw_list(list);
    let count = list.len();
    let one = |sent: &RawValue| match serde_json::from_str(sent.get()) {
        Ok(found) => Some(from_types(found, sent.get())),
        Err(error) => {
            tracing::debug!(%error, "language server: invalid diagnostic is left out");
            None
        }
    };
    let mut decoded: Vec<Diagnostic> = list.into_iter().take(FILE_MAX).filter_map(one).collect();
    decoded.sort_by_key(|diagnostic| (diagnostic.range, std::cmp::Reverse(diagnostic.severity)));
    (decoded, count)
}

fn from_types(from: types::Diagnostic, sent: &str) -> Diagnostic {
    let severity = match from.severity {
        Some(types::DiagnosticSeverity::Warning) => Severity::Warning,
        Some(types::DiagnosticSeverity::Information) => Severity::Information,
        Some(types::DiagnosticSeverity::Hint) => Severity::Hint,
        _ => Severity::Error,
    };
    let mut message = match from.message {
        types::Message::String(text) => text,
        types::Message::MarkupContent(content) => content.value,
    };
    message.truncate(message.floor_char_boundary(MESSAGE_MAX));
    let tags = from.tags.unwrap_or_default();
    Diagnostic {
        range: from.range.into(),
        severity,
        message,
        source: from.source,
        code: from.code.map(|code| match code {
            types::Code::Int(number) => number.to_string(),
            types::Code::String(text) => text,
        }),
        is_unnecessary: tags.contains(&types::DiagnosticTag::Unnecessary),
        is_deprecated: tags.contains(&types::DiagnosticTag::Deprecated),
        sent: sent.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::value::to_raw_value;

    use super::*;

    fn decoded(list: &Value) -> (Vec<Diagnostic>, usize) {
        decode(&to_raw_value(list).unwrap())
    }

    fn at(line: u32) -> Value {
        json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 3 } })
    }

    #[test]
    fn diagnostics_odd_item_costs_itself() {
        let list = json!([{ "message": "no range" }, { "range": at(2), "message": "b", "severity": 2, "code": 7 }, 5,
            { "range": at(1), "message": "a", "source": "s", "code": "E1", "tags": [1, 9], "severity": 99 }]);
        let (found, count) = decoded(&list);
        assert_eq!(count, 4);
        let short: Vec<_> = found.iter().map(|d| (d.message.as_str(), d.severity, d.origin())).collect();
        assert_eq!(short, [("a", Severity::Error, "s E1".into()), ("b", Severity::Warning, "7".into())]);
        assert!(found[0].is_unnecessary && !found[0].is_deprecated);
        assert_eq!(decoded(&Value::Null), (Vec::new(), 0));
        assert_eq!(decoded(&list[3]).0[0].message, "a", "a single one is a list, too");
        assert_eq!(decoded(&json!("x")), (Vec::new(), 1));
    }

    #[test]
    fn diagnostics_are_kept_as_they_were_sent() {
        let sent =
            json!({ "range": at(0), "message": "m", "code": 7, "source": "s", "data": { "fix": [1, "x"] } });
        let (found, _) = decoded(&json!([sent]));
        assert_eq!(*found[0].sent, *sent.to_string());
    }

    #[test]
    fn diagnostics_of_a_flood_are_cut() {
        let list = vec![json!({ "range": at(0), "message": "x".repeat(20_000) }); FILE_MAX + 5];
        let (found, count) = decoded(&Value::Array(list));
        assert_eq!((found.len(), count), (FILE_MAX, FILE_MAX + 5));
        assert_eq!(found[0].message.len(), MESSAGE_MAX);
    }
}
