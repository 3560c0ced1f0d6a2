//! A command's output as a result, within the tool's limits.
//!
//! Must not know any tool's texts.

use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::output::command_output::Output;
use crate::tools::output::limits::{Keep, Limits};
use crate::tools::output::truncate::truncate;

/// Limits on a command's output in families with their own tools; from the specification.
pub const LIMITS: Limits = Limits { chars: 30_000, keep: Keep::Ends, lines: Some(256) };

/// Approximate characters per token.
const TOKEN: usize = 4;

/// Text around an output.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// Prefix.
    pub before: String,
    /// Suffix.
    pub after: String,
    /// Maximum tokens of output that the call allows.
    pub tokens: Option<usize>,
}

/// The output as the result of a tool.
pub fn report(call: &Invocation, tool: &str, output: Output, frame: &Frame) -> Outcome {
    let own = call.shared.config.limits.limits(tool, Kind::Bash, Some(LIMITS)).unwrap_or(LIMITS);
    let framed = frame.before.chars().count() + frame.after.chars().count();
    let chars = frame.tokens.map_or(own.chars, |tokens| own.chars.min(tokens.saturating_mul(TOKEN)));
    let feeds = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let rows = feeds(&frame.before) + feeds(&frame.after);
    let limits = Limits {
        chars: chars.saturating_sub(framed),
        lines: own.lines.map(|lines| lines.saturating_sub(rows).max(1)),
        keep: own.keep,
    };
    let (body, keep) = output.split();
    let truncated = truncate(body, limits, keep);
    let text = format!("{}{}{}", frame.before, truncated.text, frame.after);
    Outcome { full_text: truncated.full_text, artifact: truncated.artifact, ..Outcome::text(text) }
}

/// Returns the approximate number of tokens of an output.
pub fn tokens(output: &Output) -> usize {
    output.bytes.div_ceil(TOKEN)
}
