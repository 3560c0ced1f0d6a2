//! Asks servers for the lenses of a text, and for the commands of those that come without one. Must not know who shows them.

use std::ops::Range;
use std::path::Path;

use futures::StreamExt;

use crate::lsp::answers::code_lenses::CodeLens;
use crate::lsp::client::annotations::Found;
use crate::lsp::client::{Client, QuestionError};

/// Maximum number of lenses of a question whose commands are asked for: each may be a search of the server.
const RESOLVED_MAX: usize = 200;
/// How many are asked for at once.
const AT_ONCE: usize = 8;

/// Lenses with commands.
pub struct Lenses {
    /// The lenses, by position. Those without a command are left out.
    pub found: Found<CodeLens>,
    /// Whether they are all that the server has.
    pub is_complete: bool,
}

/// Returns the lenses in parts of a text, or in all of it, with their commands; there are limits to how many.
///
/// # Errors
///
/// See [`QuestionError`]. A lens whose command cannot be had is left out.
pub async fn lenses(
    client: &Client,
    path: &Path,
    parts: Option<&[Range<usize>]>,
) -> Result<Lenses, QuestionError> {
    let Found { version, all } = client.code_lenses(path).await?;
    let is_wanted = |(range, _): &(Range<usize>, CodeLens)| {
        parts
            .is_none_or(|parts| parts.iter().any(|part| part.start <= range.start && range.start <= part.end))
    };
    let count = all.len();
    let wanted: Vec<_> = all.into_iter().filter(is_wanted).collect();
    let is_elsewhere = wanted.len() < count;
    let mut unresolved = 0;
    let wanted = wanted.into_iter().filter(|(_, lens)| {
        unresolved += usize::from(lens.command.is_none());
        lens.command.is_some() || unresolved <= RESOLVED_MAX
    });
    let wanted: Vec<_> = wanted.collect();
    let asked = wanted.into_iter().map(|(range, mut lens)| async move {
        if let Err(error) = client.resolve_lens(&mut lens).await {
            tracing::debug!(%error, "a code lens stays without a command");
        }
        (range, lens)
    });
    let all = futures::stream::iter(asked).buffered(AT_ONCE);
    let all = all.filter(|(_, lens)| std::future::ready(lens.command.is_some())).collect().await;
    let is_complete = !is_elsewhere && unresolved <= RESOLVED_MAX;
    Ok(Lenses { found: Found { version, all }, is_complete })
}
