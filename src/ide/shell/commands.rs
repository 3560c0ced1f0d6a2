//! Commands of the editor and of lists; those of features are in the features' rows. A command is one row and
//! one function in the file of its area; help, palette, key hints and the `:id` form are derived from the
//! row.

use crate::ide::core::context::Command;
use crate::ide::editor;

/// All areas, by file.
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
