//! Questions about what is shown in and beside a text: hints, kinds of names, lenses, links, colors, parts to fold. Must
//! not know who shows it, nor when it is asked for.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{AnsweredText, Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::code_lenses::{self, CodeLens};
use crate::lsp::answers::colors::{self, ColorPresentation, DocumentColor};
use crate::lsp::answers::folding;
use crate::lsp::answers::inlay_hints::{self, InlayHint};
use crate::lsp::answers::links::{self, DocumentLink};
use crate::lsp::answers::semantic_tokens::{self, Legend, Numbers, Token};
use crate::lsp::position::Encoding;
use crate::lsp::uri;

const TOKENS: &str = "textDocument/semanticTokens";
const CODE_LENS: &str = "textDocument/codeLens";
const LINK: &str = "textDocument/documentLink";
const COLOR: &str = "textDocument/documentColor";

/// Maximum number of numbers that are kept of a text.
const NUMBERS_MAX: usize = 5 * semantic_tokens::TOKENS_MAX;

/// What was found in a version of a text, each with its range in bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// The version, as the owner of the text counts.
    pub version: u64,
    /// What was found.
    pub all: Vec<(Range<usize>, T)>,
}

/// The tokens of a text, not decoded yet.
pub struct TokensAnswer {
    /// The text that they are about.
    pub text: AnsweredText,
    /// What their numbers stand for.
    pub legend: Legend,
    /// The parts of the text that they are about, by position, in bytes; `None`: all of it.
    pub parts: Option<Vec<Range<usize>>>,
    encoding: Encoding,
    /// The numbers of each part.
    numbers: Vec<Arc<Vec<u32>>>,
}

impl TokensAnswer {
    /// Decodes them: by position, none of which overlap. Expensive in a long text.
    pub fn tokens(&self) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        for numbers in &self.numbers {
            let end = tokens.last().map_or(0, |token| token.range.end);
            let found = semantic_tokens::decode(numbers, &*self.text.text, self.encoding);
            tokens.extend(found.into_iter().filter(|token| token.range.start >= end));
        }
        tokens
    }
}

/// The numbers of an answer, for the next question about the same text.
pub(super) struct KnownTokens {
    result_id: String,
    numbers: Arc<Vec<u32>>,
}

impl Client {
    /// Returns whether an option of a method is set.
    fn has_option(&self, method: &str, option: &str) -> bool {
        let shared = self.shared.lock();
        shared.capabilities.options(method).is_some_and(|options| options[option] == Value::Bool(true))
    }

    /// Asks something whose answer has ranges.
    async fn found<T>(
        &self,
        method: &str,
        path: &Path,
        decode: impl FnOnce(Value) -> Vec<(crate::lsp::position::Range, T)>,
    ) -> Result<Found<T>, QuestionError> {
        let asked = self.known_text(path)?;
        let answer = self.ask_about(method, path, json!({})).await?;
        let encoding = self.encoding();
        let in_bytes = |(range, found)| (asked.text.offsets(range, encoding), found);
        Ok(Found { version: asked.version, all: decode(answer).into_iter().map(in_bytes).collect() })
    }

    /// Asks for the hints in a part of a text. Each has an empty range.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn inlay_hints(
        &self,
        path: &Path,
        part: Range<usize>,
    ) -> Result<Found<InlayHint>, QuestionError> {
        let (asked, encoding) = (self.known_text(path)?, self.encoding());
        let params = json!({ "range": asked.text.range(part, encoding) });
        let answer = self.ask_about("textDocument/inlayHint", path, params).await?;
        let in_bytes = |hint: InlayHint| {
            let at = asked.text.offset(hint.position, encoding);
            (at..at, hint)
        };
        let all = inlay_hints::decode(answer).into_iter().map(in_bytes).collect();
        Ok(Found { version: asked.version, all })
    }

    /// Asks for the kinds of the names in a text; only in these parts of it if the server does not offer more. Where it
    /// offers that, it answers only what differs from its last answer.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn semantic_tokens(
        &self,
        path: &Path,
        parts: Vec<Range<usize>>,
    ) -> Result<TokensAnswer, QuestionError> {
        let options = {
            let shared = self.shared.lock();
            shared.capabilities.options(TOKENS).cloned().ok_or(QuestionError::NotOffered)?
        };
        let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let (text, encoding) = (self.known_text(path)?, self.encoding());
        let legend = semantic_tokens::legend(&options);
        if is_set(&options["full"]) {
            let numbers = self.all_tokens(path, options["full"]["delta"] == Value::Bool(true)).await?;
            return Ok(TokensAnswer { text, legend, parts: None, encoding, numbers: vec![numbers] });
        }
        if !is_set(&options["range"]) {
            return Err(QuestionError::NotOffered);
        }
        let mut numbers = Vec::new();
        for part in &parts {
            let range = text.text.range(part.clone(), encoding);
            let answer = self.token_numbers(path, "range", json!({ "range": range })).await?;
            let Some(Numbers::Full { data, .. }) = answer else { continue };
            numbers.push(Arc::new(data));
        }
        Ok(TokensAnswer { text, legend, parts: Some(parts), encoding, numbers })
    }

    /// Asks for the numbers of all tokens, or what differs if that is offered and an answer is known.
    async fn all_tokens(&self, path: &Path, has_delta: bool) -> Result<Arc<Vec<u32>>, QuestionError> {
        let known = self.shared.lock().documents.get_mut(path).and_then(|known| known.tokens.take());
        if let Some(known) = known.filter(|_| has_delta) {
            let params = json!({ "previousResultId": known.result_id });
            match self.token_numbers(path, "full/delta", params).await? {
                Some(Numbers::Full { result_id, data }) => return Ok(self.keep_tokens(path, result_id, data)),
                Some(Numbers::Delta { result_id, edits }) => {
                    if let Some(data) = semantic_tokens::apply(&known.numbers, edits) {
                        return Ok(self.keep_tokens(path, result_id, data));
                    }
                    tracing::debug!(
                        "language server: what differs in its tokens does not fit; they are asked for anew"
                    );
                }
                None => {}
            }
        }
        match self.token_numbers(path, "full", json!({})).await? {
            Some(Numbers::Full { result_id, data }) => Ok(self.keep_tokens(path, result_id, data)),
            Some(Numbers::Delta { .. }) => {
                Err(QuestionError::Answer("it says what differs from no answer".to_string()))
            }
            None => Ok(Arc::default()),
        }
    }

    /// Keeps the numbers of an answer that has a name, unless they are too many.
    fn keep_tokens(&self, path: &Path, result_id: Option<String>, numbers: Vec<u32>) -> Arc<Vec<u32>> {
        let numbers = Arc::new(numbers);
        let result_id = result_id.filter(|_| numbers.len() <= NUMBERS_MAX);
        if let Some(known) = self.shared.lock().documents.get_mut(path) {
            known.tokens = result_id.map(|result_id| KnownTokens { result_id, numbers: numbers.clone() });
        }
        numbers
    }

    async fn token_numbers(
        &self,
        path: &Path,
        what: &str,
        mut params: Value,
    ) -> Result<Option<Numbers>, QuestionError> {
        let uri = uri::of_path(path).ok_or(QuestionError::NotOpen)?;
        params["textDocument"] = json!({ "uri": uri });
        self.complete(&format!("{TOKENS}/{what}"), params).await
    }

    /// Sends a question that belongs to a method which is offered.
    async fn complete<T: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<T, QuestionError> {
        Ok(self.connection.request(method, params, self.timeout).await?)
    }

    /// Asks for the lenses of a text. Their commands may have to be asked for: [`Client::resolve_lens`].
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn code_lenses(&self, path: &Path) -> Result<Found<CodeLens>, QuestionError> {
        let decode =
            |answer| code_lenses::decode(answer).into_iter().map(|lens| (lens.range, lens)).collect();
        self.found(CODE_LENS, path, decode).await
    }

    /// Asks for the command of a lens that has none yet. It stays without one where the server has none.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn resolve_lens(&self, lens: &mut CodeLens) -> Result<(), QuestionError> {
        if lens.command.is_none() && self.has_option(CODE_LENS, "resolveProvider") {
            let answer: Value = self.complete("codeLens/resolve", &lens.sent).await?;
            lens.command = code_lenses::one(answer).and_then(|lens| lens.command);
        }
        Ok(())
    }

    /// Asks for the links of a text. Their addresses may have to be asked for: [`Client::resolve_link`].
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn links(&self, path: &Path) -> Result<Found<DocumentLink>, QuestionError> {
        let decode = |answer| links::decode(answer).into_iter().map(|link| (link.range, link)).collect();
        self.found(LINK, path, decode).await
    }

    /// Returns the address of a link; asks for it where it has none yet.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn resolve_link(&self, link: DocumentLink) -> Result<Option<String>, QuestionError> {
        if link.target.is_some() || !self.has_option(LINK, "resolveProvider") {
            return Ok(link.target);
        }
        let answer: Value = self.complete("documentLink/resolve", &link.sent).await?;
        Ok(links::decode(answer).into_iter().next().and_then(|link| link.target))
    }

    /// Asks for the colors that a text names.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn colors(&self, path: &Path) -> Result<Found<DocumentColor>, QuestionError> {
        let decode = |answer| colors::decode(answer).into_iter().map(|color| (color.range, color)).collect();
        self.found(COLOR, path, decode).await
    }

    /// Asks how a color of a text can be written, too. The edits are about the text that is returned.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn color_presentations(
        &self,
        path: &Path,
        color: &DocumentColor,
    ) -> Result<Vec<ColorPresentation>, QuestionError> {
        if !self.offers(COLOR) {
            return Err(QuestionError::NotOffered);
        }
        let uri = uri::of_path(path).ok_or(QuestionError::NotOpen)?;
        let params = json!({ "textDocument": { "uri": uri }, "color": color.sent, "range": color.range });
        let answer: Value = self.complete("textDocument/colorPresentation", params).await?;
        Ok(colors::presentations(answer, color.range))
    }

    /// Asks which lines of a text can be folded: first and last ones, and the version of the text.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn folding_ranges(&self, path: &Path) -> Result<(u64, Vec<Range<usize>>), QuestionError> {
        let asked = self.known_text(path)?;
        let answer = self.ask_about("textDocument/foldingRange", path, json!({})).await?;
        Ok((asked.version, folding::decode(answer)))
    }
}
