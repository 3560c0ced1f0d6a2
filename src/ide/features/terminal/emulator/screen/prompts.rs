//! The shell's prompts in the grid: where they are, and the text of the last command.
//!
//! A mark is kept where it holds, as a link on the cells that are printed after it: so it moves with them, is wrapped
//! and dropped with them, and takes no other memory. The links are never shown.

use std::fmt::Write as _;

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};

use super::{Emulator, ScrollBy};
use crate::ide::features::terminal::emulator::prompt_marks::PromptMark;

/// Ids of the links.
const PROMPT: &str = "bowline-prompt";
const INPUT: &str = "bowline-input";
/// Maximum bytes of a command's output that are returned: the last ones.
const OUTPUT_MAX: usize = 48 << 10;
/// Maximum bytes of a command line.
const COMMAND_MAX: usize = 4 << 10;

/// A command and what it has printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandText {
    /// The command line.
    pub command: String,
    /// The output, its beginning removed if it is long.
    pub output: String,
    /// Whether the beginning of the output was removed.
    pub is_cut: bool,
}

impl Emulator {
    /// Applies a mark at the current position.
    pub(super) fn apply_mark(&mut self, mark: PromptMark) {
        let link = match mark {
            PromptMark::Prompt => {
                self.prompts = self.prompts.wrapping_add(1);
                self.runs_command = false;
                Some((PROMPT, self.prompts))
            }
            PromptMark::Input => Some((INPUT, self.prompts)),
            PromptMark::Output => {
                self.runs_command = true;
                None
            }
            PromptMark::Done => {
                self.runs_command = false;
                None
            }
        };
        let link = link.map(|(id, number)| Hyperlink::new(Some(id), number.to_string()));
        self.term.grid_mut().cursor.template.set_hyperlink(link);
    }

    /// Scrolls so that the nearest prompt before the first row is there, or the nearest one after it. Returns whether
    /// there is one.
    pub fn scroll_to_prompt(&mut self, is_back: bool) -> bool {
        let back = self.term.grid().display_offset();
        let top = -(back as i32);
        let mut starts = self.prompt_lines().into_iter().map(|line| line.0);
        let found = if is_back { starts.rfind(|line| *line < top) } else { starts.find(|line| *line > top) };
        match found {
            Some(line) if line < 0 => self.scroll(ScrollBy::Rows(top - line)),
            // The rest is on the last screen.
            Some(_) if back > 0 => self.scroll(ScrollBy::Bottom),
            _ => return false,
        }
        true
    }

    /// Returns whether the shell has marked any prompt that is still kept.
    pub fn has_prompts(&self) -> bool {
        !self.prompt_lines().is_empty()
    }

    /// Returns the last command that was run and its output so far; `None` without marks.
    pub fn last_command(&self) -> Option<CommandText> {
        let starts = self.prompt_lines();
        let (from, to) = match starts[..] {
            [.., last] if self.runs_command => (last.0, self.term.bottommost_line().0 + 1),
            [.., one, next] => (one.0, next.0),
            _ => return None,
        };
        let mut text = CommandText::default();
        for line in from..to {
            self.add_row(Line(line), &mut text);
        }
        text.command = text.command.trim().to_string();
        text.output = text.output.trim_matches('\n').trim_end().to_string();
        Some(text).filter(|text| !text.command.is_empty() || !text.output.is_empty())
    }

    /// Adds the text of a row without its prompt.
    fn add_row(&self, line: Line, text: &mut CommandText) {
        let row = &self.term.grid()[line];
        let mut output = String::new();
        let mut is_input = false;
        for cell in row.into_iter().filter(|cell| !is_spacer(cell)) {
            match mark_of(cell) {
                Some((PROMPT, _)) => {}
                Some(_) => {
                    is_input = true;
                    if text.command.len() < COMMAND_MAX {
                        text.command.push(cell.c);
                    }
                }
                None => output.push(cell.c),
            }
        }
        let wraps = row[Column(self.term.columns() - 1)].flags.contains(Flags::WRAPLINE);
        if is_input {
            // A command line of several rows keeps its line breaks.
            if !wraps && text.command.len() < COMMAND_MAX {
                text.command.truncate(text.command.trim_end().len());
                text.command.push('\n');
            }
            output.clear();
        }
        let output = if wraps { &output[..] } else { output.trim_end() };
        let end = if wraps || is_input { "" } else { "\n" };
        // Writing to a string cannot fail.
        let _ = write!(text.output, "{output}{end}");
        if text.output.len() > 2 * OUTPUT_MAX {
            cut(text);
        }
    }

    /// Returns the first row of each prompt, from the oldest.
    fn prompt_lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut before = None;
        for line in self.term.topmost_line().0..=self.term.bottommost_line().0 {
            let row = &self.term.grid()[Line(line)];
            let number = row.into_iter().find_map(|cell| match mark_of(cell) {
                Some((PROMPT, number)) => Some(number),
                _ => None,
            });
            if number.is_some() && number != before {
                before = number;
                lines.push(Line(line));
            }
        }
        lines
    }
}

/// Removes the beginning of a long output, up to a line.
fn cut(text: &mut CommandText) {
    let from = text.output.ceil_char_boundary(text.output.len().saturating_sub(OUTPUT_MAX));
    let from = text.output[from..].find('\n').map_or(from, |end| from + end + 1);
    text.output.drain(..from);
    text.is_cut = true;
}

fn is_spacer(cell: &Cell) -> bool {
    cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER)
}

/// Returns which mark a cell has, and its number.
fn mark_of(cell: &Cell) -> Option<(&'static str, u64)> {
    let link = cell.extra.as_ref().and_then(|_| cell.hyperlink())?;
    let id = [PROMPT, INPUT].into_iter().find(|id| *id == link.id())?;
    Some((id, link.uri().parse().ok()?))
}
