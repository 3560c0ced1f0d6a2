//! A command's output as a result, within the tool's limits.
//!
//! Must not know any tool's words.

use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::output::command_output::Output;
use crate::tools::output::limits::{Keep, Limits};
use crate::tools::output::truncate::truncate;

/// What a model gets of a command's output in the families that have their own tools; the
/// specification's numbers.
pub const LIMITS: Limits = Limits { chars: 30_000, keep: Keep::Ends, lines: Some(256) };

/// Roughly how many characters a token has.
const TOKEN: usize = 4;

/// What stands around an output.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// Before it.
    pub before: String,
    /// Behind it.
    pub behind: String,
    /// Tokens that the call allows for it.
    pub tokens: Option<usize>,
}

/// The output as the result of a tool.
pub fn report(call: &Invocation, tool: &str, output: Output, frame: &Frame) -> Outcome {
    let own = call.shared.config.limits.limits(tool, Kind::Bash, Some(LIMITS)).unwrap_or(LIMITS);
    let framed = frame.before.chars().count() + frame.behind.chars().count();
    let chars = frame.tokens.map_or(own.chars, |tokens| own.chars.min(tokens.saturating_mul(TOKEN)));
    let feeds = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let rows = feeds(&frame.before) + feeds(&frame.behind);
    let limits = Limits {
        chars: chars.saturating_sub(framed),
        lines: own.lines.map(|lines| lines.saturating_sub(rows).max(1)),
        keep: own.keep,
    };
    let (body, keep) = output.split();
    let truncated = truncate(body, limits, keep);
    let text = format!("{}{}{}", frame.before, truncated.text, frame.behind);
    Outcome { full_text: truncated.full_text, artifact: truncated.artifact, ..Outcome::text(text) }
}

/// Roughly how many tokens an output has.
pub fn tokens(output: &Output) -> usize {
    output.bytes.div_ceil(TOKEN)
}
