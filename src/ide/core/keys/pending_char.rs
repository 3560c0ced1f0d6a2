//! A command that waits for one more character. Must not know what the command does with it.

use crate::ide::core::keys::modal::ModalChar;

/// Which command waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingChar {
    /// The sign to put around selections.
    SurroundAdd,
    /// The sign to take away.
    SurroundDelete,
    /// The sign to exchange.
    SurroundChange,
    /// The sign that takes this one's place.
    SurroundWith(char),
    /// The register to copy the selection into.
    RegisterCopy,
    /// The register to cut the selection into.
    RegisterCut,
    /// The register whose text is put in.
    RegisterPaste,
    /// The letter of a mark to set.
    MarkSet,
    /// The sign of a mark to go to.
    MarkGo,
    /// What a map with modes waits for.
    Modal(ModalChar),
    /// How often to replay the recorded keys.
    MacroCount,
}
