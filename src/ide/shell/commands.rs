//! The commands of the editor and of lists; features have theirs in their rows. A command is one row and one function
//! in its area's file; help, palette, key hints and the `:id` form come from the row.

use crate::ide::core::context::Command;
use crate::ide::editor;

/// Every area, by file.
pub static AREAS: &[&[Command]] = &[
    editor::commands::edit::COMMANDS,
    editor::commands::lines::COMMANDS,
    editor::commands::indent::COMMANDS,
    editor::commands::macros::COMMANDS,
    editor::commands::change::COMMANDS,
    editor::commands::motion::COMMANDS,
    editor::commands::select::COMMANDS,
    editor::commands::search::COMMANDS,
    editor::commands::registers::COMMANDS,
    editor::commands::locations::COMMANDS,
    editor::commands::syntax::COMMANDS,
    editor::commands::locals::COMMANDS,
    editor::commands::panes::COMMANDS,
    editor::commands::display::COMMANDS,
    editor::commands::fold::COMMANDS,
    editor::commands::window::COMMANDS,
    super::lists::COMMANDS,
    editor::modal::commands::moves::COMMANDS,
    editor::modal::commands::objects::COMMANDS,
    editor::modal::commands::edits::COMMANDS,
    editor::modal::commands::modes::COMMANDS,
    editor::modal::commands::helix::COMMANDS,
];
