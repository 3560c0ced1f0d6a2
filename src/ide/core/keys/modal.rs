//! State of a modal key map between keys. Must not know what the keys do.

use std::collections::VecDeque;
use std::ops::Range as ByteRange;

use crate::ide::core::keys::background_work::Background;
use crate::ide::core::keys::keymap::{KeyContext, ModalStyle};
use crate::ide::model::buffers::BufferId;
use crate::text::modal::motion::find::Find;
use crate::text::modal::operator::operate::CaseChange;
use crate::text::modal::operator::spans::ForcedMotion;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::{Range, Selection};
use crate::tui::input::Key;

/// What keys do in an editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Keys are typed.
    #[default]
    Insert,
    /// Keys are commands.
    Normal,
    /// Keys extend a selection of characters.
    Visual,
    /// Keys extend a selection of lines.
    VisualLine,
    /// Keys extend a rectangular selection.
    VisualBlock,
    /// Typed keys overwrite text.
    Replace,
}

impl Mode {
    /// Returns its name for the status line.
    pub fn name(self, modes: ModalStyle) -> &'static str {
        match (self, modes) {
            (Self::Insert, _) => "INSERT",
            (Self::Normal, _) => "NORMAL",
            (Self::Visual, ModalStyle::Helix) => "SELECT",
            (Self::Visual, _) => "VISUAL",
            (Self::VisualLine, _) => "V-LINE",
            (Self::VisualBlock, _) => "V-BLOCK",
            (Self::Replace, _) => "REPLACE",
        }
    }

    /// Returns whether a selection is being made.
    pub fn is_visual(self) -> bool {
        matches!(self, Self::Visual | Self::VisualLine | Self::VisualBlock)
    }

    /// Whether keys are typed.
    pub fn is_typing(self) -> bool {
        matches!(self, Self::Insert | Self::Replace)
    }
}

/// An operator that waits for a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Deletes.
    Delete,
    /// Copies.
    Yank,
    /// Deletes and types.
    Change,
    /// Changes letters.
    ChangeCase(CaseChange),
    /// Moves lines to the right.
    Indent,
    /// Dedents lines.
    Dedent,
    /// Computes their indentation again.
    Reindent,
    /// Wraps them again.
    Format,
    /// Toggles comments.
    Comment,
}

/// An operator that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingOperator {
    /// The operator.
    pub op: Op,
    /// The count before it.
    pub count: Option<usize>,
    /// How the motion is applied, if the user forced that.
    pub forced: Option<ForcedMotion>,
}

/// Extent of a selection, so that a change can be repeated on as much text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectionExtent {
    /// In which mode it was made.
    pub mode: Mode,
    /// Number of lines after the first one.
    pub lines: usize,
    /// Characters after the first one, for one line and for rectangles; otherwise the column of its end.
    pub columns: usize,
    /// Whether each row went to its line's end.
    pub to_end: bool,
}

/// A change that can be repeated.
#[derive(Debug, Clone, Default)]
pub struct RepeatableChange {
    /// The keys that made it, without counts.
    pub keys: Vec<Key>,
    /// The count.
    pub count: Option<usize>,
    /// The selection that it was applied to.
    pub extent: Option<SelectionExtent>,
}

/// The rows of a rectangle that is typed into. The cursor is in the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRows {
    /// The first row's line.
    pub first: Line,
    /// The last row's.
    pub last: Line,
    /// The first column.
    pub left: Column,
    /// The column after the last one.
    pub right: Column,
    /// Whether each row went to its line's end.
    pub to_end: bool,
    /// Where the text is inserted.
    pub at: BlockInsert,
    /// Number of lines of the text before.
    pub lines: usize,
    /// Length of the first row's line before typing, and of its indentation, in bytes.
    pub length: (usize, usize),
    /// Bytes from the start of the first row's line to where typing began.
    pub insert_offset: usize,
}

/// Where text typed into the rows of a rectangle goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockInsert {
    /// Before the rows.
    Before,
    /// After the rows.
    After,
    /// In place of the rows.
    Replace,
}

/// How typing began, for what happens when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InsertState {
    /// How often the text is inserted.
    pub times: usize,
    /// Each repetition on its own line: `true` below, `false` above.
    pub lines: Option<bool>,
    /// The rectangle whose rows get the typed text when typing ends.
    pub block: Option<BlockRows>,
    /// Whether cursors stay in place when typing ends, instead of moving left.
    pub stays: bool,
    /// Version of the text in which the line was indented automatically. That indentation is removed unless
    /// something was typed since.
    pub indented: Option<u64>,
    /// Set if the cursor was moved by keys and nothing was typed since: the number of keys of the command
    /// before.
    pub moved: Option<usize>,
    /// Whether the limit for erasing is not decided yet: nothing was typed since typing began.
    pub untyped: bool,
    /// Whether erasing stops where typing first began, wherever the cursor moves.
    pub stops: bool,
    /// One command is run, then typing continues.
    pub once: Option<InsertNormal>,
}

/// A single command in the middle of typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsertNormal {
    /// Whether typing was at the end of its line.
    pub at_end: bool,
    /// The line, from 0.
    pub line: usize,
    /// Whether the command has not begun yet.
    pub begins: bool,
}

/// The selection as the user sees it: both ends are on characters.
#[derive(Debug, Clone, Default)]
pub struct Visual {
    /// Anchors and heads.
    pub ranges: Vec<Range>,
    /// Whether rows of a rectangle extend to the ends of their lines.
    pub to_end: bool,
    /// Width in columns of a repeated rectangle, wherever its corner is.
    pub width: Option<usize>,
    /// The selection that the editor shows for it, and of which file. If it differs, other code has changed the selection
    /// or shown another file, and the ranges are not of what is shown.
    pub shown: Option<(BufferId, Selection)>,
}

/// A remembered selection that can be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavedVisual {
    /// In which file.
    pub buffer: BufferId,
    /// In which mode it was made.
    pub mode: Mode,
    /// Whether each row of a rectangle extends to the end of its line.
    pub to_end: bool,
    /// Goal column of its head.
    pub goal: Option<Column>,
}

/// Purpose of the awaited character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModalChar {
    /// The register of the next command.
    Register,
    /// The character to find in the line.
    Find {
        /// To the right.
        forward: bool,
        /// Whether to stop before it.
        till: bool,
    },
    /// The character that replaces others.
    Replace,
    /// The mark to set.
    SetMark,
    /// The mark to jump to; to its line if `true`.
    GoMark(bool),
    /// The register to record keys into.
    Record,
    /// The register whose keys are replayed.
    Play,
    /// The register to insert while typing.
    Insert,
    /// The text object to select, in Helix; around rather than inside if `true`.
    Object(bool),
}

/// Replacements that the user confirms one by one.
#[derive(Debug)]
pub struct SubstituteConfirm {
    /// In which file.
    pub buffer: BufferId,
    /// Version of its text.
    pub version: u64,
    /// Replacements not answered yet.
    pub remaining: VecDeque<(ByteRange<Byte>, String)>,
    /// Accepted replacements.
    pub accepted: Vec<(ByteRange<Byte>, String)>,
}

/// State of a modal key map.
#[derive(Debug, Default)]
pub struct Modal {
    /// The current mode.
    pub mode: Mode,
    /// The count so far.
    pub count: Option<usize>,
    /// The register that was named.
    pub register: Option<char>,
    /// The operator that waits.
    pub operator: Option<PendingOperator>,
    /// Whether the operator's motion is a long one: the deleted text is then kept longer.
    pub is_far_motion: bool,
    /// The last search for a character in a line.
    pub find: Option<Find>,
    /// The selection.
    pub visual: Visual,
    /// Work that keys wait for.
    pub background: Background,
    /// Cursors that are already in allowed positions: the buffer, its text version and the selection.
    pub resting_cursors: Option<(BufferId, u64, Selection)>,
    /// The previous selection; its position is among the remembered positions of the file.
    pub last_visual: Option<SavedVisual>,
    /// Nesting depth of replays that count as one undo step; inside them no new step begins.
    pub group_depth: usize,
    /// The file whose edits form one undo step.
    pub grouped_buffer: Option<BufferId>,
    /// Keys since the last command ended, without counts.
    pub keys: Vec<Key>,
    /// The count used by this command.
    pub used_count: Option<usize>,
    /// The selection used by this command.
    pub used_extent: Option<SelectionExtent>,
    /// Whether these keys changed a text.
    pub changed: bool,
    /// The last change.
    pub last_change: Option<RepeatableChange>,
    /// Whether a change is being repeated.
    pub repeating: bool,
    /// How typing began.
    pub typing: InsertState,
    /// The version of the text and the main cursor before this key, while keys are typed.
    pub before_key: Option<(u64, Byte)>,
    /// Keys since typing began, for repetition by a count.
    pub typed: Vec<Key>,
    /// Overwritten text, so that it can be restored.
    pub overtyped: Vec<Vec<String>>,
    /// The keys that are being recorded, and for which register.
    pub recording: Option<(char, Vec<Key>)>,
    /// The register replayed last.
    pub last_macro: Option<char>,
    /// Whether a motion failed, which ends a replay.
    pub failed: bool,
    /// The text typed last.
    pub last_inserted: String,
    /// The last search as typed, and whether it went forward.
    pub last_search: Option<(String, bool)>,
    /// Whether searches ignore case, and whether that is smart case.
    pub ignore_case: (bool, bool),
    /// The last substitution: pattern, replacement, flags.
    pub last_substitution: Option<(String, String, String)>,
    /// The substitution that confirms each match.
    pub substitute_confirm: Option<SubstituteConfirm>,
    /// History of `:` lines, newest last.
    pub line_history: Vec<String>,
    /// Index of the shown history line, counted from the newest.
    pub line_shown: Option<usize>,
}

impl Modal {
    /// The start of a map.
    pub fn new(modes: ModalStyle) -> Self {
        let mode = if modes == ModalStyle::None { Mode::Insert } else { Mode::Normal };
        Self { mode, ..Self::default() }
    }

    /// Returns whether no key sequence has begun.
    pub fn is_idle(&self) -> bool {
        self.operator.is_none() && self.register.is_none() && self.count.is_none()
    }

    /// Returns the key context of an editor.
    pub fn key_context(&self, modes: ModalStyle) -> KeyContext {
        match (modes, self.mode) {
            (ModalStyle::None, _) => KeyContext::Editor,
            (_, Mode::Insert) => KeyContext::Insert,
            (_, Mode::Replace) => KeyContext::Replace,
            (_, Mode::Normal) if self.operator.is_some() => KeyContext::Operator,
            (_, Mode::Normal) => KeyContext::Normal,
            _ => KeyContext::Visual,
        }
    }

    /// Takes the count of this command combined with that of its operator.
    pub fn take_count(&mut self) -> Option<usize> {
        let before = self.operator.and_then(|waiting| waiting.count);
        let count = match (before, self.count.take()) {
            (None, count) => count,
            (Some(before), None) => Some(before),
            (Some(before), Some(count)) => Some(before.saturating_mul(count)),
        };
        self.used_count = count;
        count
    }

    /// Resets the state of the current key sequence.
    pub fn reset_pending(&mut self) {
        self.operator = None;
        self.register = None;
        self.count = None;
    }
}
