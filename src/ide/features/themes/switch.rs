//! Changes the theme by name. Must not know where themes are stored.

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::options::{Options, ThemeSource};
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;

/// Slot of the feature's state.
pub const THEMES: Slot<Themes> = Slot::new();

/// The themes.
pub struct Themes {
    source: ThemeSource,
    names: Vec<String>,
    shown: String,
}

impl Themes {
    /// The theme of the start, before others were listed.
    pub fn new(options: &Options) -> Self {
        Self { source: options.themes.clone(), names: Vec::new(), shown: options.theme.name.clone() }
    }
}

/// Lists the names in a task.
pub fn list(cx: &mut Cx<'_>) {
    let source = cx.state.slots[THEMES].source.clone();
    cx.tasks.spawn_blocking(
        "themes.list",
        move || source.names(),
        |cx, names| {
            if let Some(names) = answer_or_error(cx, "list themes", names) {
                cx.state.slots[THEMES].names = names;
            }
        },
    );
}

/// Returns the names of all themes, each with whether it is the shown one.
pub fn names(state: &State) -> impl Iterator<Item = (&str, bool)> {
    let themes = &state.slots[THEMES];
    themes.names.iter().map(|name| (name.as_str(), *name == themes.shown))
}

/// Changes to the theme of that name until the program ends; without a name says which there are.
pub fn switch_by_name(cx: &mut Cx<'_>, name: &str) -> Result<(), String> {
    if name.is_empty() {
        let names: Vec<&str> = names(cx.state).map(|(name, _)| name).collect();
        let (names, shown) = (names.join(", "), &cx.state.slots[THEMES].shown);
        let message = format!("Theme: {shown}. /theme NAME changes it: {names}");
        cx.state.set_status(message);
        return Ok(());
    }
    let (source, name) = (cx.state.slots[THEMES].source.clone(), name.to_string());
    let loaded = {
        let name = name.clone();
        move || source.load(&name)
    };
    cx.tasks.spawn_blocking("themes.load", loaded, move |cx, loaded| {
        match answer_or_error(cx, "read the theme", loaded) {
            Some(Ok(theme)) => {
                cx.state.slots[THEMES].shown.clone_from(&name);
                cx.ui.theme = Some(theme);
                cx.state.damage.add_all();
                cx.state.set_status(format!("Theme: {name}. The setting theme = \"{name}\" keeps it"));
            }
            Some(Err(error)) => cx.state.set_error(error),
            None => {}
        }
    });
    Ok(())
}
