//! What a map with modes remembers between keys. Must not know what the keys do.

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
    /// They are typed.
    #[default]
    Insert,
    /// They are commands.
    Normal,
    /// They extend a selection of characters.
    Visual,
    /// They extend a selection of lines.
    VisualLine,
    /// They extend a rectangle.
    VisualBlock,
    /// They are typed over what is there.
    Replace,
}

impl Mode {
    /// Its name in the status line.
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

    /// Whether a selection is being made.
    pub fn is_visual(self) -> bool {
        matches!(self, Self::Visual | Self::VisualLine | Self::VisualBlock)
    }

    /// Whether keys are typed.
    pub fn is_typing(self) -> bool {
        matches!(self, Self::Insert | Self::Replace)
    }
}

/// What waits for a motion.
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
    /// Moves them to the left.
    Dedent,
    /// Indents them anew.
    Reindent,
    /// Breaks them anew.
    Format,
    /// Makes them comments, or text again.
    Comment,
}

/// An operator that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingOperator {
    /// Which one.
    pub op: Op,
    /// The count before it.
    pub count: Option<usize>,
    /// How the way is taken, if that was said.
    pub forced: Option<ForcedMotion>,
}

/// How far a selection reached, so that a change can be made again on as much text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectionExtent {
    /// In which mode it was made.
    pub mode: Mode,
    /// Lines further than the first one.
    pub lines: usize,
    /// In one line, and in a rectangle: characters further than the first one; else the column
    /// of its end.
    pub columns: usize,
    /// Whether each row went to its line's end.
    pub to_end: bool,
}

/// A change that can be made again.
#[derive(Debug, Clone, Default)]
pub struct RepeatableChange {
    /// The keys that made it, without counts.
    pub keys: Vec<Key>,
    /// The count.
    pub count: Option<usize>,
    /// The selection that it was made on.
    pub extent: Option<SelectionExtent>,
}

/// The rows of a rectangle that something is typed into, the first of which has the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRows {
    /// The first row's line.
    pub first: Line,
    /// The last row's.
    pub last: Line,
    /// The first column.
    pub left: Column,
    /// The one behind the last.
    pub right: Column,
    /// Whether each row went to its line's end.
    pub to_end: bool,
    /// Where it is typed.
    pub at: BlockInsert,
    /// How many lines the text had.
    pub lines: usize,
    /// How long the first row's line was before something was typed, and its indentation, in bytes.
    pub length: (usize, usize),
    /// Bytes from the start of the first row's line to where typing began.
    pub insert_offset: usize,
}

/// Where something is typed into rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockInsert {
    /// Before them.
    Before,
    /// Behind them.
    After,
    /// In place of them.
    Replace,
}

/// How typing began, for what follows its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InsertState {
    /// How often the text is wanted.
    pub times: usize,
    /// Each time on a line of its own: below, or above.
    pub lines: Option<bool>,
    /// What is typed goes into the rows of a rectangle when it ends.
    pub block: Option<BlockRows>,
    /// Cursors do not step back when it ends.
    pub stays: bool,
    /// The version of the text in which the line got its indentation by itself: it is removed while nothing else was
    /// typed since.
    pub indented: Option<u64>,
    /// The cursor was moved by keys, and nothing was typed since: how many keys of the command came before.
    pub moved: Option<usize>,
    /// Where erasing stops has yet to be settled: nothing was typed since the command that began to type.
    pub untyped: bool,
    /// Erasing stops where typing began first, wherever the cursor is moved to.
    pub stops: bool,
    /// One command is made, then typing goes on.
    pub once: Option<InsertNormal>,
}

/// One command between keys that are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsertNormal {
    /// Whether typing was at the end of its line.
    pub at_end: bool,
    /// The line, from 0.
    pub line: usize,
    /// Whether the command has yet to begin.
    pub begins: bool,
}

/// The selection as the user sees it: both ends on characters.
#[derive(Debug, Clone, Default)]
pub struct Visual {
    /// Anchors and heads.
    pub ranges: Vec<Range>,
    /// Whether rows of a rectangle reach to the ends of their lines.
    pub to_end: bool,
    /// How many columns a rectangle has that is made again, wherever its corner comes to.
    pub width: Option<usize>,
    /// What the editor shows for it; another selection was made by somebody else.
    pub shown: Option<Selection>,
}

/// What is remembered of a selection, so that it can be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavedVisual {
    /// In which file.
    pub buffer: BufferId,
    /// In which mode it was made.
    pub mode: Mode,
    /// Whether each row of a rectangle went to its line's end.
    pub to_end: bool,
    /// The column that its head aimed at.
    pub goal: Option<Column>,
}

/// What a character that is awaited is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModalChar {
    /// The register of the next command.
    Register,
    /// The character to find in the line.
    Find {
        /// To the right.
        forward: bool,
        /// Stops before it.
        till: bool,
    },
    /// The character to put in place of others.
    Replace,
    /// The mark to set.
    SetMark,
    /// The mark to go to; to its line when true.
    GoMark(bool),
    /// The register to record keys into.
    Record,
    /// The register whose keys are pressed.
    Play,
    /// The register to put in while typing.
    Insert,
    /// The thing to select, of Helix; with what is around it when true.
    Object(bool),
}

/// Replacements that a user is asked about one by one.
#[derive(Debug)]
pub struct SubstituteConfirm {
    /// In which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// Those that were not answered yet.
    pub remaining: VecDeque<(ByteRange<Byte>, String)>,
    /// Those that are wanted.
    pub accepted: Vec<(ByteRange<Byte>, String)>,
}

/// What a map with modes remembers.
#[derive(Debug, Default)]
pub struct Modal {
    /// What keys do.
    pub mode: Mode,
    /// The count so far.
    pub count: Option<usize>,
    /// The register that was named.
    pub register: Option<char>,
    /// The operator that waits.
    pub operator: Option<PendingOperator>,
    /// Whether the motion that an operator gets goes far: what it deletes is kept for longer.
    pub is_far_motion: bool,
    /// The last search for a character in a line.
    pub find: Option<Find>,
    /// The selection.
    pub visual: Visual,
    /// Work that keys wait for.
    pub background: Background,
    /// Cursors that rest where they may: the file, its text's version.
    pub resting_cursors: Option<(BufferId, u64, Selection)>,
    /// The selection before; where it was the file's places tell.
    pub last_visual: Option<SavedVisual>,
    /// Replays that are one step each, one inside the other: what happens in them begins no step of its own.
    pub group_depth: usize,
    /// The file whose edits are one step.
    pub grouped_buffer: Option<BufferId>,
    /// The keys since the last command ended, without counts.
    pub keys: Vec<Key>,
    /// The count that this command used.
    pub used_count: Option<usize>,
    /// The selection that this command was given to.
    pub used_extent: Option<SelectionExtent>,
    /// Whether they have changed a text.
    pub changed: bool,
    /// The last change.
    pub last_change: Option<RepeatableChange>,
    /// Whether it is being made again.
    pub repeating: bool,
    /// How typing began.
    pub typing: InsertState,
    /// The version of the text and the main cursor before this key, while keys are typed.
    pub before_key: Option<(u64, Byte)>,
    /// The keys since typing began, for a count.
    pub typed: Vec<Key>,
    /// What was overtyped, for taking it back.
    pub overtyped: Vec<Vec<String>>,
    /// The keys that are being recorded, and for which register.
    pub recording: Option<(char, Vec<Key>)>,
    /// The register whose keys were pressed last.
    pub last_macro: Option<char>,
    /// Whether a motion failed, which ends a replay.
    pub failed: bool,
    /// What was typed last.
    pub last_inserted: String,
    /// The last search, as typed, and whether it went forward.
    pub last_search: Option<(String, bool)>,
    /// Whether searches ignore case; smartly where the second one is set.
    pub ignore_case: (bool, bool),
    /// The last substitution: pattern, replacement, flags.
    pub last_substitution: Option<(String, String, String)>,
    /// The substitution that asks about each match.
    pub substitute_confirm: Option<SubstituteConfirm>,
    /// Lines that were typed behind `:`, newest last.
    pub line_history: Vec<String>,
    /// Which of them is shown, counted from the newest.
    pub line_shown: Option<usize>,
}

impl Modal {
    /// The start of a map.
    pub fn new(modes: ModalStyle) -> Self {
        let mode = if modes == ModalStyle::None { Mode::Insert } else { Mode::Normal };
        Self { mode, ..Self::default() }
    }

    /// Whether nothing has begun.
    pub fn is_idle(&self) -> bool {
        self.operator.is_none() && self.register.is_none() && self.count.is_none()
    }

    /// Where keys of an editor go.
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

    /// The count of this command, and that of its operator.
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

    /// Nothing has begun any more.
    pub fn reset_pending(&mut self) {
        self.operator = None;
        self.register = None;
        self.count = None;
    }
}
