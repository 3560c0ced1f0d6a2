//! Commands on themes.

use crate::ide::core::context::{Command, command};

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "view.themes",
    "Choose theme",
    &["theme", "colors", "color scheme", "dark mode", "light mode"],
    |cx| cx.defer_picker("themes"),
)];
