//! A command that waits for one more character. Must not know what the command does with it.

/// Which command waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaiting {
    /// The sign to put around selections.
    SurroundAdd,
    /// The sign to take away.
    SurroundDelete,
    /// The sign to exchange.
    SurroundChange,
    /// The sign that takes this one's place.
    SurroundWith(char),
    /// How often to replay the recorded keys.
    MacroTimes,
}
