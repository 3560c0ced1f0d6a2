//! Questions about symbols: those of a file, and those of all files.

use std::path::Path;

use serde_json::Value;

use super::{AnsweredText, Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::symbols::{self, FileSymbol, ProjectSymbol};
use crate::lsp::position::Range;
use crate::lsp::uri;

/// Method for the symbols of a file.
pub const FILE_SYMBOLS: &str = "textDocument/documentSymbol";
/// Method for the symbols of all files.
pub const PROJECT_SYMBOLS: &str = "workspace/symbol";

impl Client {
    /// Asks for the symbols of an open text; each with its start in bytes of the text that is returned.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn file_symbols(
        &self,
        path: &Path,
    ) -> Result<(Vec<(FileSymbol, usize)>, AnsweredText), QuestionError> {
        let (answer, asked) = self.ask_text(FILE_SYMBOLS, path, |_| json!({})).await?;
        let encoding = self.encoding();
        let located = symbols::decode_file(answer).into_iter().map(|symbol| {
            let at = asked.text.offset(symbol.range.start, encoding);
            (symbol, at)
        });
        Ok((located.collect(), asked))
    }

    /// Asks for the symbols of all files that match a query, as the server understands it; those below its root first, before
    /// those of libraries.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn project_symbols(&self, query: &str) -> Result<Vec<ProjectSymbol>, QuestionError> {
        if !self.offers(PROJECT_SYMBOLS) {
            return Err(QuestionError::NotOffered);
        }
        let params = json!({ "query": query });
        let answer: Value = self.connection.request(PROJECT_SYMBOLS, params, self.timeout).await?;
        let root = uri::of_path(&self.options.root).unwrap_or_default();
        Ok(symbols::decode_project(answer, &root))
    }

    /// Returns where a symbol is in its file, for which the server is asked if it has not said so; `None` if it does not
    /// say so then, either.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn symbol_range(&self, symbol: &ProjectSymbol) -> Result<Option<Range>, QuestionError> {
        let resolves = {
            let shared = self.shared.lock();
            let options = shared.capabilities.options(PROJECT_SYMBOLS);
            options.is_some_and(|options| options["resolveProvider"] == Value::Bool(true))
        };
        if symbol.range.is_some() || !resolves {
            return Ok(symbol.range);
        }
        let answer = self.connection.request("workspaceSymbol/resolve", &symbol.sent, self.timeout).await?;
        Ok(symbols::resolved_range(answer))
    }
}
