//! Writes changes of keys to the user's file of the key map in use, and uses it from then on. Must not know screens.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::error::Report;
use crate::base::paths::shorten_home;
use crate::config::edit;
use crate::exec::Environment;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::keys::keymap::{BUILTIN, Binding, GROUP, KeyContext, Keymap, UNBOUND};
use crate::ide::features::palette::keymaps::{self, KEYMAPS};
use crate::ide::features::settings::store::change_file;
use crate::tui::input::Key;

/// A change of the keys of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyChange {
    /// Other keys in one context.
    Set {
        /// The command's id.
        command: &'static str,
        /// Its title.
        title: &'static str,
        /// The context.
        context: KeyContext,
        /// Keys that no longer run it.
        old: Option<Vec<Key>>,
        /// Keys that run it from now on.
        new: Option<Vec<Key>>,
    },
    /// Those of the map that the user's extends, in every context.
    Reset {
        /// The command's id.
        command: &'static str,
        /// Its title.
        title: &'static str,
    },
}

impl KeyChange {
    /// Returns what is said of it once it is saved.
    fn said(&self, file: &str) -> String {
        match self {
            Self::Set { title, new: Some(keys), .. } => {
                format!("Saved {} for \u{201c}{title}\u{201d} in {file}", sequence_text(keys))
            }
            Self::Set { title, new: None, .. } => {
                format!("Removed a key of \u{201c}{title}\u{201d} in {file}")
            }
            Self::Reset { title, .. } => format!("\u{201c}{title}\u{201d} has the keys of the key map again"),
        }
    }
}

/// Returns a sequence as key maps have it.
pub fn sequence_text(keys: &[Key]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Writes a change; `done` runs once the keys are in use.
pub fn change(cx: &mut Cx<'_>, change: KeyChange, done: fn(&mut Cx<'_>)) {
    let keymaps = &cx.state.slots[KEYMAPS];
    let (path, name) = (keymaps.user_file(), keymaps.name().to_string());
    let (env, shown) = (Arc::clone(cx.env), shorten_home(&path, &cx.state.home));
    let said = change.said(&shown);
    let work = async move { write(&*env, &path, &name, |text| changed(text, &change)).await };
    cx.tasks.spawn("keys.save", work, move |cx, written| {
        if success_or_error(cx, "save the key", written).is_some() {
            cx.state.set_status(said);
            keymaps::reload(cx, done);
        }
    });
}

/// Begins the user's file if there is none; then runs `done` with its path.
pub fn create(cx: &mut Cx<'_>, done: fn(&mut Cx<'_>, PathBuf)) {
    let keymaps = &cx.state.slots[KEYMAPS];
    let (path, name) = (keymaps.user_file(), keymaps.name().to_string());
    let env = Arc::clone(cx.env);
    let work = async move {
        let written = write(&*env, &path, &name, |text| Ok(text.to_string())).await;
        written.map(|()| path)
    };
    cx.tasks.spawn("keys.create", work, move |cx, written| {
        if let Some(path) = success_or_error(cx, "open the key map", written) {
            done(cx, path);
        }
    });
}

async fn write(
    env: &dyn Environment,
    path: &Path,
    name: &str,
    change: impl Fn(&str) -> Result<String, Report>,
) -> Result<(), Report> {
    // A file of one's own need not extend a built-in key map.
    let begun = match env.stat(path).await {
        Ok(_) => String::new(),
        Err(_) => begun(name)?,
    };
    change_file(env, path, begun, change).await
}

/// Returns the beginning of the user's file of a built-in key map.
fn begun(name: &str) -> Result<String, Report> {
    if BUILTIN.iter().any(|(known, _)| *known == name) {
        return Ok(format!("# My changes of the key map `{name}`.\nbase = \"{name}\"\n"));
    }
    let error = Report::new(format!("the key map {name} comes from a plugin"));
    Err(error.hint("choose a built-in key map or one of yours"))
}

/// Returns the text of a key map with a change.
fn changed(text: &str, change: &KeyChange) -> Result<String, Report> {
    match change {
        KeyChange::Reset { command, .. } => reset(text, command),
        KeyChange::Set { command, context, old, new, .. } => {
            let mut text = text.to_string();
            if let Some(old) = old {
                text = without(&text, *context, old)?;
                let bound = Binding::Command(command.to_string());
                if parse(&text).binding(*context, old).as_ref() == Some(&bound) {
                    // The base map has it, too.
                    text = with(&text, *context, old, UNBOUND)?;
                }
            }
            if let Some(new) = new {
                text = without(&text, *context, new)?;
                text = with(&text, *context, new, command)?;
            }
            Ok(text)
        }
    }
}

/// Returns the text without the rows that give a command keys, or take those of the base map from it.
fn reset(text: &str, command: &str) -> Result<String, Report> {
    let document = read(text)?;
    let base = document.get("base").and_then(toml::Value::as_str).unwrap_or_default();
    let base = parse(&format!("base = {base:?}\n"));
    let mut text = text.to_string();
    for context in KeyContext::ALL {
        let rows = document.get(context.name()).and_then(toml::Value::as_table).into_iter().flatten();
        let base_keys = base.bindings(context).into_iter().filter(|(_, id)| id == command);
        let base_keys: Vec<Vec<Key>> = base_keys.filter_map(|(keys, _)| sequence(&keys)).collect();
        for (spelled, value) in rows {
            let keys = sequence(spelled).unwrap_or_default();
            let is_title = value.as_str().is_some_and(|value| value.starts_with(GROUP));
            // A title before the keys of the base takes nothing away.
            let takes = |base: &Vec<Key>| {
                (base.starts_with(&keys) && !(is_title && keys.len() < base.len())) || keys.starts_with(base)
            };
            if value.as_str() == Some(command) || (!keys.is_empty() && base_keys.iter().any(takes)) {
                text = set(&text, context, spelled, None)?;
            }
        }
    }
    Ok(text)
}

fn read(text: &str) -> Result<toml::Table, Report> {
    text.parse().map_err(|error: toml::de::Error| Report::new(error.message()))
}

fn sequence(spelled: &str) -> Option<Vec<Key>> {
    spelled.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()
}

fn parse(text: &str) -> Keymap {
    Keymap::parse(text, |id| Some(id.to_string())).0
}

/// Returns the text without its own rows of a sequence, however it is spelled.
fn without(text: &str, context: KeyContext, keys: &[Key]) -> Result<String, Report> {
    let document = read(text)?;
    let rows = document.get(context.name()).and_then(toml::Value::as_table);
    let is_same = |spelled: &&String| sequence(spelled).is_some_and(|parsed| parsed == keys);
    let mut text = text.to_string();
    for spelled in rows.into_iter().flat_map(toml::Table::keys).filter(is_same) {
        text = set(&text, context, spelled, None)?;
    }
    Ok(text)
}

fn with(text: &str, context: KeyContext, keys: &[Key], command: &str) -> Result<String, Report> {
    set(text, context, &sequence_text(keys), Some(&format!("\"{command}\"")))
}

fn set(text: &str, context: KeyContext, keys: &str, value: Option<&str>) -> Result<String, Report> {
    edit::set_in(text, context.name(), keys, value).map_err(|error| Report::new(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        text.split_whitespace().map(|key| key.parse().unwrap()).collect()
    }

    fn save_as(old: Option<&str>, new: Option<&str>) -> KeyChange {
        let context = KeyContext::Global;
        let (command, title) = ("file.save", "Save file");
        KeyChange::Set { command, title, context, old: old.map(keys), new: new.map(keys) }
    }

    #[test]
    fn key_editor_adds_and_replaces_keys_with_comments_kept() {
        let begun = begun("default").unwrap();
        let text = changed(&begun, &save_as(None, Some("F7"))).unwrap();
        assert_eq!(text, format!("{begun}\n[global]\nF7 = \"file.save\"\n"));
        let text = text.replace("[global]", "# Often.\n[global]\n\"f7\" = \"app.quit\" # old");
        let text = text.replace("F7 = \"file.save\"\n", "");
        let text = changed(&text, &save_as(None, Some("F7"))).unwrap();
        assert!(text.contains("# Often.") && !text.contains("app.quit"), "{text}");
        assert_eq!(
            parse(&text).binding(KeyContext::Global, &keys("F7")),
            Some(Binding::Command("file.save".into()))
        );
    }

    #[test]
    fn key_editor_takes_keys_of_the_base_away() {
        let text = changed(&begun("default").unwrap(), &save_as(Some("Ctrl-s"), Some("F7"))).unwrap();
        assert!(text.contains("Ctrl-s = \"none\"") && text.contains("F7 = \"file.save\""), "{text}");
        let map = parse(&text);
        assert_eq!(map.binding(KeyContext::Global, &keys("Ctrl-s")), None);
        let back = changed(&text, &save_as(Some("F7"), Some("Ctrl-s"))).unwrap();
        assert!(!back.contains("none") && !back.contains("F7"), "{back}");
        assert_eq!(
            parse(&back).binding(KeyContext::Global, &keys("Ctrl-s")),
            Some(Binding::Command("file.save".into()))
        );
    }

    #[test]
    fn key_editor_resets_a_command_and_nothing_else() {
        let text = "base = \"default\"\n# Mine.\n[global]\n\"F7\" = \"file.save\"\n\"Ctrl-s\" = \"none\"\n\
                    \"F9\" = \"app.quit\"\n[editor]\n\"F7\" = \"file.save\"\n";
        let change = KeyChange::Reset { command: "file.save", title: "Save file" };
        let back = changed(text, &change).unwrap();
        assert!(back.contains("# Mine.") && back.contains("app.quit"), "{back}");
        assert!(!back.contains("none") && !back.contains("F7"), "{back}");
        // The title of a group stays.
        let window = KeyChange::Reset { command: "window.next", title: "Focus next window" };
        let titled = "base = \"default\"\n[global]\n\"Alt-, w\" = \"+my windows\"\n";
        assert_eq!(changed(titled, &window).unwrap(), titled);
        // A key of another command, and a longer sequence, which take the key of the base away.
        for row in ["\"Ctrl-s\" = \"app.quit\"", "\"Ctrl-s x\" = \"app.quit\""] {
            let text = format!("base = \"default\"\n[global]\n{row}\n");
            let map = parse(&changed(&text, &change).unwrap());
            let bound = map.binding(KeyContext::Global, &keys("Ctrl-s"));
            assert_eq!(bound, Some(Binding::Command("file.save".into())), "{row}");
        }
    }

    #[test]
    fn key_editor_refuses_broken_files_and_maps_of_plugins() {
        assert!(changed("[global\n", &save_as(None, Some("F7"))).is_err());
        assert!(
            changed("global = 3\n", &save_as(None, Some("F7"))).unwrap_err().message.contains("no table")
        );
        assert!(begun("theirs").is_err());
    }
}
