//! Symbols of a file as picker rows, computed in a task. Must not run anything: a job is data, and a task
//! runs it.

use std::sync::Arc;
use std::time::Duration;

use crate::base::width::visible;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::syntax::structure::symbols::Symbol;
use crate::syntax::tree::SIZE_MAX;
use crate::syntax::{Language, Syntax};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Time limit of a parse where there is no tree yet.
const BUDGET: Duration = Duration::from_secs(5);

/// Position of a symbol in a version of an open file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolLocation {
    /// Which file.
    pub buffer: BufferId,
    /// Version of its text.
    pub version: u64,
    /// Its position.
    pub at: Byte,
}

/// A text whose symbols are listed.
pub struct SymbolsJob {
    buffer: BufferId,
    version: u64,
    text: Text,
    language: &'static Language,
    tree: Option<Arc<Syntax>>,
}

impl SymbolsJob {
    /// Returns the job for an open file; `None` if it has no known language.
    pub fn of(buffer: &Buffer) -> Option<Self> {
        let text = buffer.area.text().clone();
        let readable = buffer.loading.is_none() && text.end().0 <= SIZE_MAX;
        let language = buffer.highlighting.language().filter(|_| readable)?;
        let (version, tree) = (buffer.area.document.version(), buffer.highlighting.tree().cloned());
        Some(Self { buffer: buffer.id, version, text, language, tree })
    }

    /// Returns the file and the version of its text.
    pub fn source(&self) -> (BufferId, u64) {
        (self.buffer, self.version)
    }

    /// Returns the symbols with their lines, from 1, in the order of the text. Expensive.
    pub fn symbols(&self) -> Vec<(Symbol, usize)> {
        let parse = || Syntax::parse(self.language, &self.text, None, BUDGET).ok().map(Arc::new);
        let Some(tree) = self.tree.clone().or_else(parse) else { return Vec::new() };
        let line = |symbol: Symbol| {
            let line = self.text.line_of(symbol.at).0 + 1;
            (symbol, line)
        };
        tree.symbols(&self.text).into_iter().map(line).collect()
    }

    /// Returns the rows, in the order of the text. Expensive.
    pub fn run(self) -> Vec<PickRow> {
        let row = |(symbol, line): (Symbol, usize)| PickRow {
            text: format!("{}{}", "  ".repeat(symbol.depth), visible(&symbol.name)),
            aliases: Vec::new(),
            group: None,
            detail: format!("{} {line}", symbol.kind),
            pick: Pick::new(SymbolLocation { buffer: self.buffer, version: self.version, at: symbol.at }),
        };
        self.symbols().into_iter().map(row).collect()
    }
}
