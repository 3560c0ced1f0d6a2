//! Commands about editor plugins; the commands that plugins provide are in `ide::features::plugins::run`.

use crate::ide::core::context::{Command, command};
use crate::ide::features::plugins;
use crate::ide::features::plugins::state::PLUGINS;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("plugins.reload", "Reload plugins", &["refresh extensions"], |cx| {
        plugins::run::read(cx, true, None);
    }),
    command("plugins.results", "Show plugin results", &["last list"], |cx| {
        if cx.state.slots[PLUGINS].locations.1.is_empty() {
            return cx.state.set_status("No plugin results");
        }
        cx.defer_picker("plugin-places");
    })
    .with_former_ids(&["plugins.places"]),
];
