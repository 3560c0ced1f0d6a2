//! The settings while the program runs: their values and where they come from. Writes changes one after the other to
//! the files and makes them take effect. Must not know what a setting does.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::error::Report;
use crate::config::edit;
use crate::config::load::{DROPPED, Layer, LoadedSettings, UNUSED};
use crate::config::{ROWS, Settings};
use crate::exec::{EnvError, Environment, Stamp};
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::features::settings::screen;

/// How often a file is read again that other programs change meanwhile.
const TRIES: usize = 5;

/// Slot of the feature's state.
pub const SETTINGS: Slot<SettingsState> = Slot::new();

/// The settings.
pub struct SettingsState {
    /// Their values, with the changes that are not written yet.
    pub loaded: LoadedSettings,
    /// Those for which the command line has another value.
    pub overridden: Vec<&'static str>,
    /// The one whose values are listed.
    pub editing: Option<&'static str>,
    files: SettingsFiles,
    changes: VecDeque<Change>,
    is_writing: bool,
    /// Counts the changes: what was read before the last one is outdated.
    changed: u64,
}

/// The files.
#[derive(Clone)]
struct SettingsFiles {
    user: Arc<Path>,
    project: Arc<Path>,
}

/// A change of a file.
struct Change {
    key: &'static str,
    literal: Option<String>,
    file: PathBuf,
    /// The settings before it: they count again if it cannot be written.
    before: LoadedSettings,
    saved: Box<dyn FnOnce(&mut Cx<'_>) + Send>,
}

impl SettingsState {
    /// The settings of the start.
    pub fn new(options: &Options) -> Self {
        let files = SettingsFiles {
            user: options.config.join("settings.toml").into(),
            project: options.workspace.join(".bowline/settings.toml").into(),
        };
        Self {
            loaded: options.settings.clone(),
            overridden: options.overridden.clone(),
            editing: None,
            files,
            changes: VecDeque::new(),
            is_writing: false,
            changed: 0,
        }
    }

    /// Returns whether changes are being written.
    pub fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// Returns the file that a change of a setting goes to: where it is set now, or else the user's.
    pub fn file_of(&self, key: &str) -> &Path {
        self.loaded.origin(key).map_or(&self.files.user, |origin| &origin.file)
    }

    /// Returns whether a file is one of those with settings.
    pub fn is_file(&self, path: &Path) -> bool {
        [&self.files.user, &self.files.project].into_iter().any(|file| **file == *path)
    }

    /// Returns whether a file belongs to the project.
    pub fn is_project_file(&self, path: &Path) -> bool {
        *self.files.project == *path
    }
}

/// Changes a setting at once and writes it: a TOML literal, or `None` for its default. `saved` runs once it is on disk;
/// after an error, which is shown, the value before counts again.
pub fn save(
    cx: &mut Cx<'_>,
    key: &'static str,
    literal: Option<String>,
    saved: impl FnOnce(&mut Cx<'_>) + Send + 'static,
) {
    let settings = &mut cx.state.slots[SETTINGS];
    let file = settings.file_of(key).to_path_buf();
    settings.changed += 1;
    let before = settings.loaded.clone();
    // The value of a removed setting is known once the files are read.
    if let Some(literal) = &literal {
        let layer = if settings.is_project_file(&file) { Layer::Project } else { Layer::User };
        settings.loaded.add_text(&file, layer, &format!("{key} = {literal}"));
        take_effect(cx, &before.settings, Some(key));
        screen::refresh(cx);
    }
    let change = Change { key, literal, file, before, saved: Box::new(saved) };
    cx.state.slots[SETTINGS].changes.push_back(change);
    write_next(cx);
}

fn write_next(cx: &mut Cx<'_>) {
    let settings = &mut cx.state.slots[SETTINGS];
    if settings.is_writing {
        return;
    }
    let Some(Change { key, literal, file, before, saved }) = settings.changes.pop_front() else { return };
    settings.is_writing = true;
    let (env, files) = (Arc::clone(cx.env), settings.files.clone());
    let work = async move {
        let written = write(&*env, &file, key, literal.as_deref()).await;
        (written, read(&*env, &files).await)
    };
    cx.tasks.spawn("settings.save", work, move |cx, done| {
        let settings = &mut cx.state.slots[SETTINGS];
        settings.is_writing = false;
        let is_last = settings.changes.is_empty();
        let (written, loaded) = match done {
            Ok((written, loaded)) => (Ok(written), Some(loaded)),
            Err(error) => (Err(error), None),
        };
        match success_or_error(cx, "save the setting", written) {
            Some(()) => saved(cx),
            // A file that cannot be read says nothing of the value before.
            None if is_last => replace(cx, before),
            None => {}
        }
        if let Some(loaded) = loaded.filter(|_| is_last) {
            take_over(cx, loaded);
        }
        write_next(cx);
    });
}

/// Reads the files again: other programs may have changed them.
pub fn reload(cx: &mut Cx<'_>) {
    let settings = &cx.state.slots[SETTINGS];
    let (env, files, changed) = (Arc::clone(cx.env), settings.files.clone(), settings.changed);
    let work = async move { Ok(read(&*env, &files).await) };
    cx.tasks.spawn("settings.read", work, move |cx, done| {
        let loaded = success_or_error(cx, "read the settings", done);
        if let Some(problem) = loaded.as_ref().and_then(|loaded| loaded.problems.first()) {
            // Unlike at the start, there are other settings in use.
            let text = problem.to_string();
            let is_incomplete = loaded.as_ref().is_some_and(|loaded| loaded.is_incomplete);
            let cause = text.strip_suffix(UNUSED).or_else(|| text.strip_suffix(DROPPED));
            let cause = cause.filter(|_| is_incomplete);
            let stays = cause.map(|cause| format!("{cause}; the settings in use stay"));
            cx.state.set_error(stays.unwrap_or(text));
        }
        if let Some(loaded) = loaded.filter(|_| cx.state.slots[SETTINGS].changed == changed) {
            take_over(cx, loaded);
        }
    });
}

/// Takes over what the files say. While one of them cannot be read, the settings stay as they are: one wrong line must
/// not turn everything over.
fn take_over(cx: &mut Cx<'_>, loaded: LoadedSettings) {
    if !loaded.is_incomplete {
        replace(cx, loaded);
    }
}

fn replace(cx: &mut Cx<'_>, loaded: LoadedSettings) {
    let before = std::mem::replace(&mut cx.state.slots[SETTINGS].loaded, loaded);
    take_effect(cx, &before.settings, None);
    screen::refresh(cx);
}

/// Makes every setting that differs take effect, and `always`, which the user just chose.
fn take_effect(cx: &mut Cx<'_>, before: &Settings, always: Option<&str>) {
    let now = cx.state.slots[SETTINGS].loaded.settings.clone();
    let (values, values_before) = (now.values(), before.values());
    let differs = |key: &str| values.get(key) != values_before.get(key);
    for row in ROWS.iter().filter(|row| always == Some(row.key) || differs(row.key)) {
        if let Some(spec) = cx.state.catalog.setting(row.key) {
            (spec.apply)(cx, &now);
        }
    }
}

async fn write(env: &dyn Environment, path: &Path, key: &str, literal: Option<&str>) -> Result<(), Report> {
    let set = |text: &str| edit::set(text, key, literal).map_err(|error| Report::new(error.to_string()));
    change_file(env, path, String::new(), set).await
}

/// Changes a file of the user's configuration, which has the text `begun` while it is missing. Reads it again when
/// another program changed it meanwhile.
pub async fn change_file(
    env: &dyn Environment,
    path: &Path,
    begun: String,
    change: impl Fn(&str) -> Result<String, Report>,
) -> Result<(), Report> {
    let shown = path.display();
    for _ in 0..TRIES {
        let (bytes, stamp) = match env.read(path).await {
            Ok(data) => (Some(data.bytes), data.stamp),
            Err(EnvError::NotFound(_)) => (None, Stamp::missing()),
            Err(error) => return Err(Report::new(error.to_string())),
        };
        let on_disk = bytes.clone().unwrap_or_default();
        let text = String::from_utf8(bytes.unwrap_or_else(|| begun.clone().into_bytes()))
            .map_err(|_| Report::new(format!("{shown} is not UTF-8")).hint("save it as UTF-8 first"))?;
        let changed = change(&text).map_err(|report| {
            Report::new(format!("{shown}, {}", report.message)).hint("correct the file first")
        })?;
        if changed.as_bytes() == on_disk {
            return Ok(());
        }
        match env.write(path, changed.into_bytes(), Some(stamp)).await {
            Ok(_) => return Ok(()),
            Err(EnvError::Stale(_)) => {}
            Err(error) => return Err(Report::new(error.to_string())),
        }
    }
    Err(Report::new(format!("{shown} is changed all the time by another program")))
}

/// Reads both files.
async fn read(env: &dyn Environment, files: &SettingsFiles) -> LoadedSettings {
    let mut loaded = LoadedSettings::default();
    for (path, layer) in [(&files.user, Layer::User), (&files.project, Layer::Project)] {
        let text = match env.read(path).await {
            Ok(data) => String::from_utf8(data.bytes).map(Some).map_err(|_| "it is not UTF-8".to_string()),
            Err(EnvError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        loaded.add_file(path, layer, text);
    }
    loaded
}

/// Returns a text as a TOML literal.
pub fn literal(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
