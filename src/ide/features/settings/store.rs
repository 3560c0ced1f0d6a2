//! Writes settings to the user's file. Must not know what a setting does.

use std::path::Path;
use std::sync::Arc;

use crate::base::error::Report;
use crate::config::edit;
use crate::exec::{EnvError, Environment, Stamp};
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;

/// How often a file is read again that other programs change meanwhile.
const TRIES: usize = 5;

/// Slot of the feature's state.
pub const SETTINGS_FILE: Slot<SettingsFile> = Slot::new();

/// The user's file.
pub struct SettingsFile {
    path: Arc<Path>,
}

impl SettingsFile {
    /// The file in the folder of the configuration.
    pub fn new(options: &Options) -> Self {
        Self { path: options.config.join("settings.toml").into() }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes a setting: a TOML literal, or `None` for its default. `saved` runs once it is on disk; an error is shown.
pub fn save(
    cx: &mut Cx<'_>,
    key: &'static str,
    literal: Option<String>,
    saved: impl FnOnce(&mut Cx<'_>) + Send + 'static,
) {
    let (env, path) = (Arc::clone(cx.env), Arc::clone(&cx.state.slots[SETTINGS_FILE].path));
    let work = async move { write(&*env, &path, key, literal.as_deref()).await };
    cx.tasks.spawn("settings.save", work, move |cx, written| {
        if success_or_error(cx, "save the setting", written).is_some() {
            saved(cx);
        }
    });
}

async fn write(env: &dyn Environment, path: &Path, key: &str, literal: Option<&str>) -> Result<(), Report> {
    for _ in 0..TRIES {
        let (bytes, stamp) = match env.read(path).await {
            Ok(data) => (data.bytes, data.stamp),
            Err(EnvError::NotFound(_)) => (Vec::new(), Stamp::missing()),
            Err(error) => return Err(Report::new(error.to_string())),
        };
        let shown = path.display();
        let text = String::from_utf8(bytes)
            .map_err(|_| Report::new(format!("{shown} is not UTF-8")).hint("save it as UTF-8 first"))?;
        let changed = edit::set(&text, key, literal)
            .map_err(|error| Report::new(format!("{shown}, {error}")).hint("correct the file first"))?;
        if changed == text {
            return Ok(());
        }
        match env.write(path, changed.into_bytes(), Some(stamp)).await {
            Ok(_) => return Ok(()),
            Err(EnvError::Stale(_)) => {}
            Err(error) => return Err(Report::new(error.to_string())),
        }
    }
    Err(Report::new(format!("{} is changed all the time by another program", path.display())))
}

/// Returns a text as a TOML literal.
pub fn literal(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
