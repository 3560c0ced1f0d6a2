//! Questions about ranges of a text: the uses of a name, and what is around a position.

use std::ops::Range;
use std::path::Path;

use super::{AnsweredText, Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::highlights;
use crate::lsp::answers::linked_editing::{self, NamePattern};
use crate::lsp::answers::selection;

/// Method for the uses of a name in its file.
pub const HIGHLIGHT: &str = "textDocument/documentHighlight";
/// Method for the ranges around a position.
pub const SELECTION_RANGE: &str = "textDocument/selectionRange";

/// Method for ranges that change together.
pub const LINKED_EDITING: &str = "textDocument/linkedEditingRange";

/// Ranges that change together, in bytes, and what they may contain.
pub type Linked = (Vec<Range<usize>>, NamePattern);

/// Uses of a name in bytes, each with whether it gets another value there.
pub type Uses = Vec<(Range<usize>, bool)>;

impl Client {
    /// Asks for the uses of what is at an offset, in bytes of the text that is returned.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn highlights(
        &self,
        path: &Path,
        offset: usize,
    ) -> Result<(Uses, AnsweredText), QuestionError> {
        let (answer, asked) = self.ask_at(HIGHLIGHT, path, offset, serde_json::Value::Null).await?;
        let encoding = self.encoding();
        let found = highlights::decode(answer).into_iter();
        let found = found.map(|one| (asked.text.offsets(one.range, encoding), one.is_write)).collect();
        Ok((found, asked))
    }

    /// Asks for the ranges that change together with the one at an offset, in bytes of the text that is returned; `None`
    /// where there is none.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn linked_ranges(
        &self,
        path: &Path,
        offset: usize,
    ) -> Result<(Option<Linked>, AnsweredText), QuestionError> {
        let (answer, asked) = self.ask_at(LINKED_EDITING, path, offset, serde_json::Value::Null).await?;
        let encoding = self.encoding();
        let found = linked_editing::decode(answer).map(|(ranges, names)| {
            let ranges = ranges.into_iter().map(|range| asked.text.offsets(range, encoding));
            (ranges.collect(), names)
        });
        Ok((found, asked))
    }

    /// Asks for the ranges around offsets, for each from the innermost to the outermost, in bytes of the text that is
    /// returned.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn selection_ranges(
        &self,
        path: &Path,
        offsets: &[usize],
    ) -> Result<(Vec<Vec<Range<usize>>>, AnsweredText), QuestionError> {
        let encoding = self.encoding();
        let params = |asked: &AnsweredText| {
            let positions = offsets.iter().map(|offset| asked.text.position(*offset, encoding));
            json!({ "positions": positions.collect::<Vec<_>>() })
        };
        let (answer, asked) = self.ask_text(SELECTION_RANGE, path, params).await?;
        let in_bytes = |range| asked.text.offsets(range, encoding);
        let found = selection::decode(answer).into_iter();
        let found = found.map(|ranges| ranges.into_iter().map(in_bytes).collect()).collect();
        Ok((found, asked))
    }
}
