//! Events from the terminal, as plain data.
//!
//! Must not know their encoding.

use crate::tui::input::key::{Key, Mods};

/// One event from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed, repeated or released.
    Key(Key),
    /// A mouse event.
    Mouse(Mouse),
    /// Pasted text; line feeds are its only line endings.
    Paste(String),
    /// The paste just delivered was cut: this many bytes were dropped.
    PasteCut(usize),
    /// The window got (true) or lost the focus.
    Focus(bool),
    /// The terminal answered a query.
    Reply(Reply),
}

/// A mouse button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Button {
    /// The main button.
    Left,
    /// The wheel, pressed.
    Middle,
    /// The menu button.
    Right,
}

/// Kind of a mouse event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MouseKind {
    /// A button went down.
    Down(Button),
    /// A button went up.
    Up(Button),
    /// The mouse moved with a button down.
    Drag(Button),
    /// The mouse moved with no button down.
    Moved,
    /// The wheel turned away from the user.
    ScrollUp,
    /// The wheel turned towards the user.
    ScrollDown,
    /// The wheel was tilted to the left.
    ScrollLeft,
    /// The wheel was tilted right.
    ScrollRight,
}

/// A mouse event. Column and row are zero-based from the top left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mouse {
    /// The kind of event.
    pub kind: MouseKind,
    /// Column.
    pub col: u16,
    /// Cell from the top.
    pub row: u16,
    /// Modifier keys held.
    pub mods: Mods,
}

/// A reply to a query; it may come at any time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// DA1: the terminal's class and features. Every terminal answers it, so it comes last.
    Attributes(Vec<u16>),
    /// The Kitty keyboard protocol is known; these flags are in force.
    KittyFlags(u8),
    /// DECRPM: state of a private mode; 0 means that the mode is unknown.
    Mode {
        /// The mode's number, such as 2026.
        mode: u16,
        /// 0 unknown, 1 set, 2 reset, 3 always set, 4 always reset.
        state: u16,
    },
    /// OSC 10: the text color as 8-bit red, green, blue.
    Foreground(u8, u8, u8),
    /// OSC 11: the background color as 8-bit red, green, blue.
    Background(u8, u8, u8),
    /// Width and height of the text area in pixels.
    WindowPixels(u16, u16),
    /// Width and height of one cell in pixels.
    CellPixels(u16, u16),
    /// The color scheme changed (mode 2031); true for dark.
    ColorScheme(bool),
    /// XTSMGRAPHICS: the number of colors of Sixel images.
    SixelColors(u16),
    /// The terminal knows Kitty's graphics protocol; whether it could show the image of the query.
    KittyGraphics(bool),
    /// XTVERSION: the terminal's name and version.
    Version(String),
}
