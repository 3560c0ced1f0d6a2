//! The colours of fenced code in answers: found by a task once a block is complete. Must not
//! know where a block is shown.

use std::time::Duration;

use crate::syntax::{Language, Syntax, detect};
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::tui::widgets::markdown::{Block, Colored};

/// Time for a block; what takes longer stays plain.
const BUDGET: Duration = Duration::from_secs(1);

/// One search for a block's colours.
#[derive(Debug)]
pub struct CodeJob {
    item: u64,
    block: Block,
    language: &'static Language,
}

/// What one search found.
#[derive(Debug)]
pub struct CodeColored {
    /// The item that the block belongs to.
    pub item: u64,
    /// The block.
    pub block: Block,
    /// Its colours; ranges are those of its code.
    pub colors: Vec<Colored>,
}

impl CodeJob {
    /// A job for a block, where its language is known.
    pub fn new(item: u64, block: Block) -> Option<Self> {
        let language = detect::by_name(&block.language)?;
        Some(Self { item, block, language })
    }

    /// Looks for the colours. Takes its time.
    pub fn run(self) -> CodeColored {
        let text = Text::from(self.block.code.as_str());
        let colors = Syntax::parse(self.language, &text, None, BUDGET).map(|syntax| {
            let painted = syntax.paint(&text, Byte(0)..text.end());
            painted.spans().map(|span| (span.range.start.0..span.range.end.0, span.scope)).collect()
        });
        // A block that cannot be parsed in time stays as it is.
        CodeColored { item: self.item, block: self.block, colors: colors.unwrap_or_default() }
    }
}
