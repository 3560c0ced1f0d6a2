//! Runs a row of the palette.

use crate::ide::core::context::Cx;
use crate::ide::core::effect::Effect;
use crate::ide::core::layers::picker::Pick;

/// A command of the program or of a plugin, by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaletteTarget {
    /// A command of the program.
    Command(&'static str),
    /// A command of a plugin.
    Plugin(String),
}

/// Runs the command that a row represents.
pub fn run(cx: &mut Cx<'_>, pick: &Pick, _marked: &[Pick]) {
    cx.effects.extend(pick.get().map(|runs| match runs {
        PaletteTarget::Command(id) => Effect::Run(id),
        PaletteTarget::Plugin(id) => Effect::RunPlugin(id.clone()),
    }));
}
