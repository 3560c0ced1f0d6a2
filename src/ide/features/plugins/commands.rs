//! Commands about editor plugins; the commands that plugins provide are in `ide::features::plugins::run`.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, command};
use crate::ide::core::state::State;
use crate::ide::features::plugins;
use crate::ide::features::plugins::state::PLUGINS;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("plugins.reload", "Reload plugins", &["refresh extensions"], |cx| {
        plugins::run::read(cx, true, None);
    }),
    command("plugins.results", "Show plugin results", &["last list"], |cx| {
        cx.defer_picker("plugin-places");
    })
    .when(has_results)
    .with_former_ids(&["plugins.places"]),
];

/// A plugin has listed results.
fn has_results(state: &State) -> Result<(), Reason> {
    let has_any = !state.slots[PLUGINS].locations.1.is_empty();
    condition::require(has_any, Reason::new("No plugin results"))
}
