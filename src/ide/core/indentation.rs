//! Indentation settings and syntax tree of the shown file. Must not change anything.

use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::state::State;
use crate::syntax::Syntax;
use crate::text::file_format::format::LineEnding;
use crate::text::operations::block_words;
use crate::text::operations::comment_tokens;
use crate::text::operations::edit::indents_by_tabs;
use crate::text::operations::indent;
use crate::text::operations::pairs::LineStyle;

/// Maximum size in bytes of a text that is parsed while a key waits.
const READ_AT_ONCE: usize = 64 << 10;
/// Time limit of that parse.
const READ_BUDGET: Duration = Duration::from_millis(50);

impl State {
    /// Returns how lines are broken and indented: from the project's rules, else as detected in the text,
    /// else from the settings.
    pub fn line_style(&self) -> LineStyle {
        let (width, by_tabs) = self.indentation();
        let certain = self.rules().indent.is_some();
        let Some(buffer) = self.buffers.current() else {
            let (ending, words) = (LineEnding::default(), block_words::for_file(""));
            return LineStyle { ending, unit: " ".repeat(width), words, colon: false };
        };
        let (text, name) = (buffer.area.text(), buffer.name());
        let unit = if by_tabs.unwrap_or_else(|| indents_by_tabs(text)) {
            "\t".to_string()
        } else {
            " ".repeat(indent::detect_step(text).filter(|_| !certain).unwrap_or(width))
        };
        let ending = buffer.area.document.format().ending;
        let colon = comment_tokens::for_file(&name).is_some_and(|signs| signs.colon_opens_block);
        LineStyle { ending, unit, words: block_words::for_file(&name), colon }
    }

    /// Returns the syntax tree of the shown file, if there is one for its current text.
    pub fn tree(&mut self) -> Option<Arc<Syntax>> {
        let buffer = self.buffers.current_mut()?;
        // Several keys may come before a frame: the tree must know every edit.
        buffer.highlighting.apply_changes(&mut buffer.area.document);
        buffer.highlighting.tree().cloned()
    }

    /// Does the same; a short text without a current tree is parsed at once.
    pub fn tree_now(&mut self) -> Option<Arc<Syntax>> {
        if let Some(tree) = self.tree() {
            return Some(tree);
        }
        let buffer = self.buffers.current()?;
        let (text, language) = (buffer.area.text(), buffer.highlighting.language()?);
        let short = text.end().0 <= READ_AT_ONCE;
        let read = || Syntax::parse(language, text, None, READ_BUDGET).ok();
        short.then(read).flatten().map(Arc::new)
    }
}
