//! Loads settings: defaults, then the user's file, then the project's.
//!
//! Must not know the users of a setting. No error is fatal: invalid parts are ignored and reported with file
//! and line.

use std::fmt;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::base::partial_toml;

use super::kind::{Limit, TokenBudget, Value};
use super::settings::Settings;
use super::settings::row::Row;

/// What follows from a file that cannot be read at all, at the end of its problem.
pub const UNUSED: &str = "; none of its settings are used";
/// What follows from a line that is no TOML, at the end of its problem.
pub const DROPPED: &str = "; ignored";

/// A problem in a file, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Line from 1, if known.
    pub line: Option<usize>,
    /// The problem, and the value used instead.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

/// Where a setting was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Which setting.
    pub key: &'static str,
    /// The file.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: usize,
}

/// Settings, and problems found while loading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadedSettings {
    /// The settings in force.
    pub settings: Settings,
    /// Where they were set, in that order: the last one of a key counts.
    pub origins: Vec<Origin>,
    /// For the user.
    pub problems: Vec<Problem>,
    /// Whether a file, or a line of one, could not be read, so that settings are missing.
    pub is_incomplete: bool,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The user's.
    User,
    /// The project's, which may not set everything.
    Project,
}

/// Reads the user's file and then the project's; either may be missing.
pub fn load(user: Option<&Path>, project: Option<&Path>) -> LoadedSettings {
    let mut loaded = LoadedSettings::default();
    for (path, layer) in [(user, Layer::User), (project, Layer::Project)] {
        if let Some(path) = path {
            loaded.add_file(path, layer, read_text(path));
        }
    }
    loaded
}

impl LoadedSettings {
    /// Returns where a setting was set; `None` if it has its default.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.origins.iter().rfind(|origin| origin.key == key)
    }

    /// Adds the settings of a file, if there is one.
    pub fn add_file(&mut self, path: &Path, layer: Layer, text: Result<Option<String>, impl fmt::Display>) {
        match text {
            Ok(Some(text)) => self.add_text(path, layer, &text),
            Ok(None) => {}
            Err(error) => {
                self.is_incomplete = true;
                self.add_problem(path, None, format!("cannot be read ({error}){UNUSED}"));
            }
        }
    }

    /// Adds the settings of a text.
    pub fn add_text(&mut self, path: &Path, layer: Layer, text: &str) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut repaired = String::new();
        let (table, mistakes) = partial_toml::parse(text, &mut repaired);
        self.is_incomplete |= !mistakes.is_empty();
        for mistake in mistakes {
            self.add_problem(path, Some(mistake.line), format!("{}{DROPPED}", mistake.message));
        }
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let line = line_of(text, &key.span());
            self.set(path, layer, line, key.get_ref(), value.get_ref());
        }
    }

    fn set(&mut self, path: &Path, layer: Layer, line: usize, key: &str, value: &DeValue<'_>) {
        let Some(row) = Row::find(key) else {
            return self.add_problem(path, Some(line), format!("unknown setting {key:?}; ignored"));
        };
        if layer == Layer::Project && !row.project {
            let message = format!("{key} is only for user settings, not for a project; ignored");
            return self.add_problem(path, Some(line), message);
        }
        match convert_value(value).ok_or_else(|| format!("{key} must be {}", row.kind.describe())) {
            Ok(value) => match row.set(&mut self.settings, value) {
                Ok(()) => self.origins.push(Origin { key: row.key, file: path.to_path_buf(), line }),
                Err(message) => self.add_problem(path, Some(line), format!("{message}; ignored")),
            },
            Err(message) => self.add_problem(path, Some(line), format!("{message}; ignored")),
        }
    }

    fn add_problem(&mut self, file: &Path, line: Option<usize>, message: String) {
        self.problems.push(Problem { file: file.to_path_buf(), line, message });
    }
}

/// Returns the text of a file; `None` when there is none.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the text of a file of at most this many bytes.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<String> {
    if fs::metadata(path)?.len() > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {most} bytes")));
    }
    fs::read_to_string(path)
}

/// Returns the files of a folder with one of these extensions, sorted. Empty if the folder is missing or
/// unreadable.
pub(super) fn files_in(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(|item| Some(item.ok()?.path()));
    let has_extension =
        |path: &PathBuf| path.extension().and_then(|end| end.to_str()).is_some_and(|end| ends.contains(&end));
    let mut files: Vec<PathBuf> = files.filter(has_extension).collect();
    files.sort();
    files
}

/// Returns the subfolders of a folder, sorted, including links to folders. Empty if the folder is missing or
/// unreadable.
pub(super) fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let items = fs::read_dir(folder).into_iter().flatten().filter_map(|item| Some(item.ok()?.path()));
    let mut folders: Vec<PathBuf> = items.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Returns the names of the files of a folder with one of these extensions, without it. Empty if the folder is missing
/// or unreadable.
pub(super) fn names_in(folder: &Path, ends: &[&str]) -> Vec<String> {
    let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_string());
    files_in(folder, ends).into_iter().filter_map(name).collect()
}

fn convert_value(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::Text(text.to_string())),
        DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
        DeValue::Integer(_) => integer(value).map(Value::Number),
        DeValue::Array(values) => {
            let numbers: Option<Vec<i64>> = values.iter().map(|value| integer(value.get_ref())).collect();
            numbers.map(Value::Numbers)
        }
        DeValue::Table(table) => {
            let limits = rows(table, limit).map(Value::Limits);
            limits.or_else(|| rows(table, token_budget).map(Value::Budgets))
        }
        _ => None,
    }
}

/// Returns the rows of a table of tables, if all are valid.
fn rows<T>(table: &DeTable<'_>, read: impl Fn(&DeValue<'_>) -> Option<T>) -> Option<Vec<(String, T)>> {
    table.iter().map(|(name, value)| Some((name.get_ref().to_string(), read(value.get_ref())?))).collect()
}

/// Parses a token budget without unknown fields.
fn token_budget(value: &DeValue<'_>) -> Option<TokenBudget> {
    let DeValue::Table(table) = value else { return None };
    let mut budget = TokenBudget::default();
    for (key, value) in table {
        let number = Some(usize::try_from(integer(value.get_ref())?).ok()?);
        match key.get_ref().as_ref() {
            "reserve-tokens" => budget.reserve_tokens = number,
            "keep-recent-tokens" => budget.keep_recent_tokens = number,
            _ => return None,
        }
    }
    Some(budget)
}

/// Parses limits of characters and lines without unknown fields.
fn limit(value: &DeValue<'_>) -> Option<Limit> {
    let DeValue::Table(table) = value else { return None };
    let mut limit = Limit::default();
    for (key, value) in table {
        let number = Some(usize::try_from(integer(value.get_ref())?).ok()?);
        match key.get_ref().as_ref() {
            "chars" => limit.chars = number,
            "lines" => limit.lines = number,
            _ => return None,
        }
    }
    Some(limit)
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let DeValue::Integer(number) = value else { return None };
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Returns the line of a range in a text, from 1.
pub(super) fn line_of(text: &str, span: &Range<usize>) -> usize {
    let at = span.start.min(text.len());
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn load_texts(user: &str, project: &str) -> (LoadedSettings, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("user"), folder.path().join("project")];
        fs::write(&paths[0], user).unwrap();
        fs::write(&paths[1], project).unwrap();
        let loaded = load(Some(&paths[0]), Some(&paths[1]));
        let prefix = format!("{}/", folder.path().display());
        let problems = loaded.problems.iter().map(|p| p.to_string().replace(&prefix, "")).collect();
        (loaded, problems)
    }

    #[test]
    fn config_compaction_budgets_per_model() {
        let (loaded, problems) = load_texts(
            "[compaction-models.\"p/m\"]\nreserve-tokens = 5\n[compaction-models.\"p/n\"]\nkeep-recent-tokens = 7",
            "",
        );
        let budgets = &loaded.settings.compaction_models;
        assert_eq!(budgets["p/m"], TokenBudget { reserve_tokens: Some(5), keep_recent_tokens: None });
        assert_eq!(budgets["p/n"], TokenBudget { reserve_tokens: None, keep_recent_tokens: Some(7) });
        assert!(problems.is_empty(), "{problems:?}");
        for wrong in ["reserve-tokens = -1", "reserve = 1", "reserve-tokens = \"many\""] {
            let (loaded, problems) = load_texts(&format!("[compaction-models.\"p/m\"]\n{wrong}"), "");
            assert!(
                loaded.settings.compaction_models.is_empty()
                    && problems[0].contains("tables of reserve-tokens"),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn config_tool_limits_are_tables() {
        let (loaded, problems) =
            load_texts("[tool-limits.bash]\nchars = 5\n[tool-limits.Read]\nlines = 0", "");
        assert_eq!(problems, Vec::<String>::new());
        let limits = &loaded.settings.tool_limits;
        assert_eq!(limits["bash"], Limit { chars: Some(5), lines: None });
        assert_eq!(limits["Read"], Limit { chars: None, lines: Some(0) });
        for wrong in ["bash = 3", "[tool-limits.bash]\nchars = -1", "[tool-limits.bash]\nwords = 1"] {
            let text = wrong.replace("bash = 3", "[tool-limits]\nbash = 3");
            let (loaded, problems) = load_texts(&text, "");
            assert!(
                loaded.settings.tool_limits.is_empty() && problems[0].contains("tables of chars"),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn config_later_files_win() {
        let (loaded, problems) =
            load_texts("theme = \"a\"\ntab-width = 0x8\nmodel = \"m\"\n", "theme = \"b\"\n");
        assert_eq!(problems, Vec::<String>::new());
        let wanted =
            Settings { theme: "b".into(), tab_width: 8, model: Some("m".into()), ..Settings::default() };
        assert_eq!(loaded.settings, wanted);
        let origin = |key| loaded.origin(key).map(|origin| (origin.file.file_name(), origin.line));
        assert_eq!(origin("theme"), Some((Some("project".as_ref()), 1)));
        assert_eq!(origin("tab-width"), Some((Some("user".as_ref()), 2)));
        assert_eq!(origin("mouse"), None);
    }

    #[test]
    fn config_project_cannot_set_user_only_settings() {
        let (loaded, problems) = load_texts("", "\napproval = \"full\"\ntab-width = 2\n");
        assert_eq!((loaded.settings.approval, loaded.settings.tab_width), (None, 2));
        assert_eq!(problems, ["project:2: approval is only for user settings, not for a project; ignored"]);
    }

    #[test]
    fn config_wrong_lines_are_reported_and_others_apply() {
        let text = "mouse = false\nteme = \"x\"\n\ntab-width = \"wide\"\nthinking = \"hard\"\nkeymap = [1]\n";
        let (loaded, problems) = load_texts(text, "");
        assert!(!loaded.settings.mouse);
        assert_eq!(
            problems,
            [
                "user:2: unknown setting \"teme\"; ignored",
                "user:4: tab-width must be a whole number from 1 to 16; ignored",
                "user:5: thinking must be one of off, minimal, low, medium, high, xhigh, max; ignored",
                "user:6: keymap must be a string; ignored",
            ]
        );
    }

    #[test]
    fn config_broken_line_is_reported_and_the_others_apply() {
        let text = "theme = \"a\"\nmouse = = 1\nkeymap = \"vim\n\ntab-width = 2\n";
        let (loaded, problems) = load_texts(text, "wrap-column = 90\n");
        let settings = &loaded.settings;
        assert_eq!((settings.theme.as_str(), settings.tab_width, settings.wrap_column), ("a", 2, 90));
        assert!(settings.mouse && settings.keymap == Settings::default().keymap && loaded.is_incomplete);
        assert_eq!(problems.len(), 2, "{problems:?}");
        for (problem, start) in problems.iter().zip(["user:2: ", "user:3: "]) {
            assert!(problem.starts_with(start) && problem.ends_with("; ignored"), "{problem}");
        }
        let folder = tempfile::tempdir().unwrap();
        let latin = folder.path().join("latin");
        fs::write(&latin, b"\xff").unwrap();
        assert!(load(Some(&latin), None).problems[0].to_string().contains("valid UTF-8"));
        assert_eq!(load(Some(folder.path()), None).problems.len(), 1);
        assert_eq!(load(Some(&folder.path().join("none")), None), LoadedSettings::default());
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]

        #[test]
        fn config_any_text_is_safe(text in "([a-z-]{0,9}|theme|tab-width|mouse|[=\"\\[\\]\n 0-9.#{}é]){0,12}") {
            let (loaded, problems) = load_texts(&text, "");
            prop_assert!(loaded.settings == Settings::default() || !loaded.origins.is_empty());
            prop_assert!(problems.iter().all(|problem| !problem.contains('\n')));
        }
    }
}
