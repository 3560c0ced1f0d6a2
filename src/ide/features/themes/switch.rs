//! Changes the theme. Must not know where themes are stored.

use std::path::PathBuf;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::feature::SettingSpec;
use crate::ide::core::options::{Options, ThemeSource};
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::settings::store;
use crate::tui::theme::choice::AUTO;
use crate::tui::theme::{ColorDepth, ThemeChoice};

/// Slot of the feature's state.
pub const THEMES: Slot<Themes> = Slot::new();

/// The setting that it makes take effect.
pub const SETTINGS: &[SettingSpec] = &[SettingSpec {
    key: "theme",
    picker: Some("themes"),
    apply: |cx, new| {
        let choice = ThemeChoice::parse(&new.theme);
        show(cx, &choice);
        cx.state.slots[THEMES].choice = choice;
    },
}];

/// The themes.
pub struct Themes {
    source: ThemeSource,
    names: Vec<String>,
    /// What the user chose.
    pub choice: ThemeChoice,
    /// Whether the terminal's background is dark, as far as known.
    pub is_dark: bool,
    /// Folder of the program's persistent state.
    pub state: PathBuf,
    colors: ColorDepth,
    /// The theme on the screen.
    on_screen: String,
    /// The theme that was asked for last.
    shown: String,
    /// Counts the themes that were asked for.
    asked: u64,
    /// Choices whose theme is being read: they are saved after that.
    choosing: usize,
}

impl Themes {
    /// The theme of the start, before others were listed.
    pub fn new(options: &Options) -> Self {
        Self {
            source: options.themes.clone(),
            names: Vec::new(),
            choice: options.theme_choice.clone(),
            is_dark: options.is_dark_terminal,
            state: options.state.clone(),
            colors: options.colors,
            on_screen: options.theme.name.clone(),
            shown: options.theme.name.clone(),
            asked: 0,
            choosing: 0,
        }
    }

    /// Returns whether there is a choice that is not with the settings yet.
    pub fn is_choosing(&self) -> bool {
        self.choosing > 0
    }
}

/// Lists the names in a task.
pub fn list(cx: &mut Cx<'_>) {
    let source = cx.state.slots[THEMES].source.clone();
    let list = move || source.names();
    cx.tasks.spawn_blocking("themes.list", list, |cx, names| {
        if let Some(names) = answer_or_error(cx, "list themes", names) {
            cx.state.slots[THEMES].names = names;
        }
    });
}

/// Returns the names of all themes, each with whether it is the shown one.
pub fn names(state: &State) -> impl Iterator<Item = (&str, bool)> {
    let themes = &state.slots[THEMES];
    themes.names.iter().map(|name| (name.as_str(), *name == themes.shown))
}

/// Returns what the user chose, as in the settings.
pub fn chosen(state: &State) -> String {
    match &state.slots[THEMES].choice {
        ThemeChoice::Auto => AUTO.to_string(),
        ThemeChoice::Fixed(name) => name.clone(),
        ThemeChoice::Pair { light, dark } => format!("{light}/{dark}"),
    }
}

/// Shows the theme of a choice, without choosing it.
pub fn show(cx: &mut Cx<'_>, choice: &ThemeChoice) {
    let themes = &cx.state.slots[THEMES];
    let name = choice.name(themes.colors, themes.is_dark).to_string();
    if name != themes.shown {
        load(cx, name, |_, _| {});
    }
}

/// Reads a theme in a task, shows it, and goes on with `done` and whether it was read. A later theme that was asked for meanwhile is shown in its
/// place. If it cannot be read, the theme on the screen stays.
fn load(cx: &mut Cx<'_>, name: String, done: impl FnOnce(&mut Cx<'_>, bool) + Send + 'static) {
    let themes = &mut cx.state.slots[THEMES];
    themes.asked += 1;
    themes.shown.clone_from(&name);
    let (source, asked, wanted) = (themes.source.clone(), themes.asked, name.clone());
    cx.tasks.spawn_blocking(
        "themes.load",
        move || source.load(&wanted),
        move |cx, read| {
            let is_last = cx.state.slots[THEMES].asked == asked;
            match answer_or_error(cx, "read the theme", read) {
                Some(Ok(theme)) => {
                    if let Some(problem) = theme.problem() {
                        cx.state.set_error(problem);
                    }
                    if is_last {
                        cx.ui.theme = Some(theme);
                        cx.state.slots[THEMES].on_screen = name;
                        cx.state.damage.add_all();
                    }
                    return done(cx, true);
                }
                Some(Err(error)) => cx.state.set_error(error),
                None => {}
            }
            if is_last {
                let themes = &mut cx.state.slots[THEMES];
                themes.shown = themes.on_screen.clone();
            }
            done(cx, false);
        },
    );
}

/// Shows the theme of a choice as in the settings, and saves the choice there.
pub fn choose(cx: &mut Cx<'_>, text: &str) {
    let choice = ThemeChoice::parse(text);
    let themes = &cx.state.slots[THEMES];
    let (name, text) = (choice.name(themes.colors, themes.is_dark).to_string(), text.to_string());
    cx.state.slots[THEMES].choosing += 1;
    load(cx, name, move |cx, is_read| {
        cx.state.slots[THEMES].choosing -= 1;
        if !is_read {
            return;
        }
        cx.state.slots[THEMES].choice = choice;
        let message = format!("Theme: {text}");
        store::save(cx, "theme", Some(store::literal(&text)), move |cx| cx.state.set_status(message));
    });
}

/// Changes to the theme of that name; without one opens the picker.
pub fn switch_by_name(cx: &mut Cx<'_>, name: &str) -> Result<(), String> {
    // Themes of plugins are not listed.
    let is_known = |name: &str| name.contains(':') || names(cx.state).any(|(known, _)| known == name);
    let is_choice = match ThemeChoice::parse(name) {
        ThemeChoice::Auto => true,
        ThemeChoice::Fixed(name) => is_known(&name),
        ThemeChoice::Pair { light, dark } => is_known(&light) && is_known(&dark),
    };
    match name {
        "" => cx.defer_picker("themes"),
        _ if is_choice => choose(cx, name),
        _ => {
            let all: Vec<&str> = names(cx.state).map(|(name, _)| name).collect();
            return Err(format!("No theme {name}. One of {}", all.join(", ")));
        }
    }
    Ok(())
}
