//! Runs a row of the palette.

use crate::ide::core::condition::Reason;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::last_picker;
use crate::ide::core::layers::picker::Pick;
use crate::ide::features::palette::recent;
use crate::ide::features::plugins;

/// A command of the program or of a plugin, by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaletteTarget {
    /// A command of the program.
    Command(&'static str),
    /// A command of a plugin.
    Plugin(String),
    /// A command of the program that cannot run now.
    Unavailable(&'static str, Reason),
}

/// Runs the command that a row represents, or says why it cannot run.
pub fn run(cx: &mut Cx<'_>, pick: &Pick, _marked: &[Pick]) {
    let target = pick.get::<PaletteTarget>();
    if let Some(PaletteTarget::Command(id)) = target {
        recent::note(cx, id);
    } else if let Some(PaletteTarget::Plugin(id)) = target {
        recent::note(cx, id);
    }
    match target {
        Some(PaletteTarget::Command(id)) => {
            if *id == "list.resume" {
                // Not this list, which was closed last.
                last_picker::forget(cx.state);
            }
            cx.defer_command(id);
        }
        Some(PaletteTarget::Plugin(id)) => {
            let id = id.clone();
            cx.defer(move |cx| plugins::run::run(cx, &id));
        }
        // It is asked again: the reason may have gone meanwhile.
        Some(PaletteTarget::Unavailable(id, _)) => cx.defer_command(id),
        None => {}
    }
}
