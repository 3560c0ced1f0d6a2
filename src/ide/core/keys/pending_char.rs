//! Commands that wait for one more character. Must not know what the command does with it.

use crate::ide::core::keys::modal::ModalChar;

/// The waiting command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingChar {
    /// The character to put around selections.
    SurroundAdd,
    /// The surrounding character to remove.
    SurroundDelete,
    /// The sign to exchange.
    SurroundChange,
    /// The replacement of this surrounding character.
    SurroundWith(char),
    /// The register to copy the selection into.
    RegisterCopy,
    /// The register to cut the selection into.
    RegisterCut,
    /// The register to paste.
    RegisterPaste,
    /// The letter of a mark to set.
    MarkSet,
    /// The name of a mark to jump to.
    MarkGo,
    /// A character for a modal key map.
    Modal(ModalChar),
    /// How often to replay the recorded keys.
    MacroCount,
}
