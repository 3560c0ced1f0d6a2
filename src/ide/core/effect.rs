//! Effects: requests of a command to the owner of the state, performed once the command has returned. Plain
//! data.

use crate::text::position::Line;
use crate::tui::input::Key;

/// A single request.
pub enum Effect {
    /// Press keys that waited for the command, as if they were pressed now.
    ReleaseHeldKeys(Vec<Key>),
    /// Run a command of a plugin, by its id.
    RunPlugin(String),
    /// Press keys in order.
    Keys(Vec<Key>),
    /// Press the typed keys again several times, then end typing.
    Retype {
        /// The typed keys.
        keys: Vec<Key>,
        /// The number of repetitions.
        times: usize,
    },
    /// Press keys on several lines, or at the cursor if there are none.
    NormalKeys {
        /// The keys to press on each line.
        keys: Vec<Key>,
        /// The number of lines.
        lines: usize,
        /// The first line; `None` if the lines are remembered positions of the text.
        first: Option<Line>,
    },
    /// The keys of a register were pressed.
    MacroPlayed,
    /// The last change of a modal key map was repeated.
    ChangeRepeated,
    /// Run a command, by its id.
    Run(&'static str),
    /// Open a picker, by its id in the table.
    Picker(&'static str),
    /// Accept the selected row of the topmost picker.
    Accept,
    /// Put a text on the system clipboard.
    Copy(String),
    /// Redraw everything from scratch.
    Repaint,
}
