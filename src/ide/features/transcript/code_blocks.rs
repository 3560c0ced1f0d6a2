//! Colors of fenced code in answers, computed by a task once a block is complete. Must not know the position
//! of a block in its answer.

use std::time::Duration;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::features::transcript::agents;
use crate::syntax::Language;
use crate::syntax::Syntax;
use crate::syntax::highlighting::line_highlighter::LineHighlighter;
use crate::syntax::languages::detect;
use crate::syntax::languages::line_language;
use crate::syntax::languages::line_language::LineLanguage;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::tui::widgets::markdown::code_blocks::{Block, Colored};

/// Time limit for a block; beyond it the block stays plain.
const BUDGET: Duration = Duration::from_secs(1);

/// Runs after a frame: requests the colors of the blocks that it showed plain.
pub fn after_frame(cx: &mut Cx<'_>) {
    let blocks = agents::shown(&cx.state.slots).1.borrow_mut().take_blocks();
    for job in blocks.into_iter().filter_map(|(item, block)| CodeJob::new(item, block)) {
        cx.tasks.spawn_blocking(
            "transcript.color-code",
            move || job.run(),
            |cx, found| {
                if let Some(ColoredCode { item, block, colors }) = answer_or_error(cx, "color code", found) {
                    // If another conversation is shown by now, no item of it has this code.
                    let (transcript, view) = agents::shown(&cx.state.slots);
                    if view.borrow_mut().color(transcript, item, &block, &colors) {
                        cx.state.damage.add(Part::Transcript);
                    }
                }
            },
        );
    }
}

/// A job that computes a block's colors.
#[derive(Debug)]
struct CodeJob {
    item: u64,
    block: Block,
    language: CodeLanguage,
}

/// How the colors are computed.
#[derive(Debug)]
enum CodeLanguage {
    Grammar(&'static Language),
    Lines(&'static LineLanguage),
}

/// Result of a job.
#[derive(Debug)]
struct ColoredCode {
    /// The item that the block belongs to.
    item: u64,
    /// The block.
    block: Block,
    /// Its colors, in ranges of its code.
    colors: Vec<Colored>,
}

impl CodeJob {
    /// Returns a job for a block, if its language is known.
    fn new(item: u64, block: Block) -> Option<Self> {
        let language = match detect::by_name(&block.language) {
            Some(language) => CodeLanguage::Grammar(language),
            None => CodeLanguage::Lines(line_language::by_name(&block.language)?),
        };
        Some(Self { item, block, language })
    }

    /// Computes the colors. Expensive.
    fn run(self) -> ColoredCode {
        let text = Text::from(self.block.code.as_str());
        let all = Byte(0)..text.end();
        let painted = match self.language {
            CodeLanguage::Grammar(language) => {
                Syntax::parse(language, &text, None, BUDGET).map(|syntax| syntax.paint(&text, all))
            }
            CodeLanguage::Lines(language) => {
                let painted = LineHighlighter::new(language).paint(&text, &[all], BUDGET);
                painted.map(|mut painted| painted.swap_remove(0))
            }
        };
        let colors = painted.map(|painted| {
            painted.spans().map(|span| (span.range.start.0..span.range.end.0, span.scope)).collect()
        });
        // A block that cannot be parsed in time stays plain.
        ColoredCode { item: self.item, block: self.block, colors: colors.unwrap_or_default() }
    }
}
