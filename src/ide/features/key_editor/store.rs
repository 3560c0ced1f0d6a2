//! Writes changes of keys to the user's file of the key map in use, and uses it from then on. Must not know screens.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::error::Report;
use crate::base::paths::shorten_home;
use crate::config::edit;
use crate::exec::Environment;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::keys::keymap::{BUILTIN, Binding, KeyContext, Keymap, UNBOUND};
use crate::ide::features::palette::keymaps::{self, KEYMAPS};
use crate::ide::features::settings::store::change_file;
use crate::tui::input::Key;

/// A change of the keys of a command in one context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChange {
    /// The command's id.
    pub command: &'static str,
    /// The context.
    pub context: KeyContext,
    /// Keys that no longer run it.
    pub old: Option<Vec<Key>>,
    /// Keys that run it from now on.
    pub new: Option<Vec<Key>>,
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
    let said = match &change.new {
        Some(keys) => format!("Saved {} = {} in {shown}", sequence_text(keys), change.command),
        None => format!("Removed a key of {} in {shown}", change.command),
    };
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
    let mut text = text.to_string();
    if let Some(old) = &change.old {
        text = without(&text, change.context, old)?;
        let bound = Binding::Command(change.command.to_string());
        if parse(&text).binding(change.context, old).as_ref() == Some(&bound) {
            // The base map has it, too.
            text = with(&text, change.context, old, UNBOUND)?;
        }
    }
    if let Some(new) = &change.new {
        text = without(&text, change.context, new)?;
        text = with(&text, change.context, new, change.command)?;
    }
    Ok(text)
}

fn parse(text: &str) -> Keymap {
    Keymap::parse(text, |id| Some(id.to_string())).0
}

/// Returns the text without its own rows of a sequence, however it is spelled.
fn without(text: &str, context: KeyContext, keys: &[Key]) -> Result<String, Report> {
    let document: toml::Table =
        text.parse().map_err(|error: toml::de::Error| Report::new(error.message()))?;
    let rows = document.get(context.name()).and_then(toml::Value::as_table);
    let is_same = |spelled: &&String| {
        let parsed: Result<Vec<Key>, _> = spelled.split_whitespace().map(str::parse).collect();
        parsed.is_ok_and(|parsed| parsed == keys)
    };
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
        KeyChange { command: "file.save", context, old: old.map(keys), new: new.map(keys) }
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
    fn key_editor_refuses_broken_files_and_maps_of_plugins() {
        assert!(changed("[global\n", &save_as(None, Some("F7"))).is_err());
        assert!(
            changed("global = 3\n", &save_as(None, Some("F7"))).unwrap_err().message.contains("no table")
        );
        assert!(begun("theirs").is_err());
    }
}
