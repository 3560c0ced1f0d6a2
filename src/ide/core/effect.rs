//! What a command asks of the owner of the state, done once the command has returned. Plain data.

use crate::text::position::Line;
use crate::tui::input::Key;

/// One thing that is asked for.
pub enum Effect {
    /// Press keys that waited for it, as if they came now.
    ReleaseHeldKeys(Vec<Key>),
    /// Run a command of a plugin, by its id.
    RunPlugin(String),
    /// Press keys, one after the other.
    Keys(Vec<Key>),
    /// Press the keys that were typed so many times more, then end typing.
    Retype {
        /// What was typed.
        keys: Vec<Key>,
        /// How often it comes again.
        times: usize,
    },
    /// Press keys on so many lines; at the cursor where there are none.
    NormalKeys {
        /// What is pressed on each.
        keys: Vec<Key>,
        /// How many lines there are.
        lines: usize,
        /// The first of them; where there is none they wait as places of the text.
        first: Option<Line>,
    },
    /// The keys of a register were pressed.
    MacroPlayed,
    /// The last change of a modal map was made again.
    ChangeRepeated,
    /// Run a command, by its id.
    Run(&'static str),
    /// Show a picker; by its id in the table.
    Picker(&'static str),
    /// Take the selected row of the picker on top.
    Accept,
    /// Put a text on the system's clipboard.
    Copy(String),
    /// Draw everything from scratch.
    Repaint,
}
