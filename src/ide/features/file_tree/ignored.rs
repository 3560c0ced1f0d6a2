//! Shows files that ignore rules exclude, in the tree, its filter, and the lists of files and of hits, or hides them again.
//! What was chosen lasts until the program ends.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::last_picker;
use crate::ide::core::layers::picker::Picker;
use crate::ide::features::file_tree::filter::{self, TreeFilter};
use crate::ide::features::files::events::refresh_tree;

/// The id, which lists name that it means something in.
const TOGGLE: &str = "files.toggle-ignored";

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    TOGGLE,
    "Toggle ignored files",
    &["show ignored files", "hide ignored files", "gitignore", "excluded files"],
    toggle,
)];

fn toggle(cx: &mut Cx<'_>) {
    let list = cx.state.layers.top::<Picker>().map(|picker| picker.spec);
    let is_filter = cx.state.layers.top::<TreeFilter>().is_some();
    let has_files = list.map_or(is_filter, |list| list.commands.contains(&TOGGLE));
    if cx.state.layers.last().is_some() && !has_files {
        return cx.state.set_status("No ignored files to show here");
    }
    let with_ignored = !cx.state.files.with_ignored;
    cx.state.files.with_ignored = with_ignored;
    refresh_tree(cx);
    cx.state.damage.add(Part::Files);
    if list.is_some() {
        // Its title says which are listed.
        return last_picker::reload(cx);
    }
    filter::search(cx);
    cx.state.set_status(if with_ignored { "Ignored files are shown" } else { "Ignored files are hidden" });
}
