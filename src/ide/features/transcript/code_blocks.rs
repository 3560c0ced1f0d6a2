//! Colors of fenced code in answers, computed by a task once a block is complete. Must not know the position
//! of a block in its answer.

use std::time::Duration;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::features::transcript::{agents, diagrams};
use crate::syntax::highlighting::whole_text::CodeLanguage;
use crate::text::rope::Text;
use crate::tui::widgets::markdown::code_blocks::{Block, Colored};

/// Time limit for a block; beyond it the block stays plain.
const BUDGET: Duration = Duration::from_secs(1);

/// Runs after a frame: requests the colors of the blocks that it showed plain.
pub fn after_frame(cx: &mut Cx<'_>) {
    let blocks = agents::shown(&cx.state.slots).1.borrow_mut().take_blocks();
    // Neither is read: colored text would be spoken again, and a drawing is no text.
    if cx.state.is_accessible() {
        return;
    }
    for (item, block) in blocks {
        if diagrams::is_diagram(&block) {
            diagrams::draw(cx, item, block);
        } else if let Some(job) = CodeJob::new(item, block) {
            color(cx, job);
        }
    }
}

fn color(cx: &Cx<'_>, job: CodeJob) {
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

/// A job that computes a block's colors.
#[derive(Debug)]
struct CodeJob {
    item: u64,
    block: Block,
    language: CodeLanguage,
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
        let language = CodeLanguage::by_name(&block.language)?;
        Some(Self { item, block, language })
    }

    /// Computes the colors. Expensive.
    fn run(self) -> ColoredCode {
        let text = Text::from(self.block.code.as_str());
        let painted = self.language.paint(&text, BUDGET);
        let colors = painted.map(|painted| {
            painted.spans().map(|span| (span.range.start.0..span.range.end.0, span.scope)).collect()
        });
        // A block that cannot be parsed in time stays plain.
        ColoredCode { item: self.item, block: self.block, colors: colors.unwrap_or_default() }
    }
}
