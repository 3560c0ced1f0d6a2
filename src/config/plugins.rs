//! Editor plugins: a folder with a `plugin.toml` that defines commands, optionally with themes, key maps and
//! snippets. Must not run anything, nor know what is trusted.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::load::{self, Problem};
use crate::base::partial_toml;

/// File name of the manifest, which makes a folder a plugin.
pub const MANIFEST: &str = "plugin.toml";
/// Placeholder for the plugin's folder in program arguments.
const FOLDER_PLACEHOLDER: &str = "{plugin}";
/// Manifests with more bytes are not read.
const SIZE_MAX: u64 = 1 << 20;
/// Maximum number of plugins in one folder.
const PLUGINS_MAX: usize = 200;

/// Input of a program, in addition to its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The selected texts.
    Selections,
    /// The whole text.
    Text,
    /// No input.
    None,
}

/// Use of a program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Replaces the input.
    Replace,
    /// Inserted at every cursor.
    Insert,
    /// Parsed as a list of edits.
    Edits,
    /// Displayed as a message.
    Message,
    /// Displayed as a list of locations.
    List,
}

/// A command of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its name: letters, digits, `-`.
    pub name: String,
    /// Its description, one line.
    pub title: String,
    /// Its suggested key binding.
    pub key: Option<String>,
    /// The program and its arguments; never empty.
    pub run: Vec<String>,
    /// The program's input.
    pub input: Input,
    /// The use of its output.
    pub output: Output,
}

impl Command {
    /// Returns program and arguments for a plugin in a folder. A program with a path is relative to the
    /// plugin.
    pub fn command_line(&self, folder: &Path) -> Vec<String> {
        let name = folder.to_string_lossy();
        let word = |(n, word): (usize, &String)| {
            let word = word.replace(FOLDER_PLACEHOLDER, &name);
            let is_own = n == 0 && word.contains('/');
            if !is_own {
                return word;
            }
            let path: PathBuf = folder.join(word).components().collect();
            path.to_string_lossy().into_owned()
        };
        self.run.iter().enumerate().map(word).collect()
    }
}

/// A plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its commands.
    pub commands: Vec<Command>,
}

/// Returns the plugins of a folder, sorted by name, and their problems. Folders without a manifest are
/// skipped; a missing folder has none.
pub fn read(root: &Path) -> (Vec<Plugin>, Vec<Problem>) {
    let (mut plugins, mut problems) = (Vec::new(), Vec::new());
    for folder in load::folders_in(root).into_iter().take(PLUGINS_MAX) {
        let file = folder.join(MANIFEST);
        let to_problem = |message: String| Problem { file: file.clone(), line: None, message };
        let text = match load::read_bounded(&file, SIZE_MAX) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                problems.push(to_problem(format!("cannot read this plugin: {error}")));
                continue;
            }
        };
        let name = folder.file_name().and_then(|name| name.to_str()).filter(|name| is_name(name));
        let Some(name) = name.map(str::to_string) else {
            problems.push(to_problem(format!("a plugin's folder is named by {NAME_RULE}")));
            continue;
        };
        let (commands, wrong) = parse(&text);
        problems.extend(wrong.into_iter().map(|(line, message)| Problem {
            file: file.clone(),
            line: Some(line),
            message,
        }));
        plugins.push(Plugin { name, folder, commands });
    }
    (plugins, problems)
}

const NAME_RULE: &str = "small letters, digits and -";

fn is_name(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(legal)
}

/// Parses the commands of a manifest; also returns problems, with lines from 1. An invalid command is
/// skipped.
fn parse(text: &str) -> (Vec<Command>, Vec<(usize, String)>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut problems = Vec::new();
    let mut commands: Vec<Command> = Vec::new();
    let line = |span: Range<usize>| load::line_of(text, &span);
    let mut repaired = String::new();
    let (table, mistakes) = partial_toml::parse(text, &mut repaired);
    problems.extend(mistakes.iter().map(|mistake| (mistake.line, format!("{}; ignored", mistake.message))));
    for (key, value) in &table {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("description", DeValue::String(_)) => {}
            ("description", _) => problems.push((line(key.span()), "description must be a text".to_string())),
            ("command", DeValue::Array(rows)) => {
                let first_lines: Vec<usize> = rows.iter().map(|row| line(row.span())).collect();
                for (n, row) in rows.iter().enumerate() {
                    let lines = first_lines[n]..first_lines.get(n + 1).copied().unwrap_or(usize::MAX);
                    match command(row.get_ref()) {
                        // Without the wrong line it would be another command.
                        _ if mistakes.iter().any(|mistake| lines.contains(&mistake.line)) => {}
                        Ok(command) if commands.iter().any(|known| known.name == command.name) => {
                            let message = format!("duplicate command {}; ignored", command.name);
                            problems.push((line(row.span()), message));
                        }
                        Ok(command) => commands.push(command),
                        Err((span, message)) => {
                            let at = line(span.unwrap_or(row.span()));
                            problems.push((at, format!("{message}; command ignored")));
                        }
                    }
                }
            }
            ("command", _) => {
                problems.push((line(key.span()), "commands are written [[command]]".to_string()));
            }
            (other, _) => problems.push((line(key.span()), format!("unknown key {other:?}; ignored"))),
        }
    }
    problems.sort_unstable();
    (commands, problems)
}

type FieldError = (Option<Range<usize>>, String);

fn command(row: &DeValue<'_>) -> Result<Command, FieldError> {
    let DeValue::Table(row) = row else { return Err((None, "a command is a table".to_string())) };
    let known = ["name", "title", "key", "run", "input", "output"];
    if let Some((key, _)) = row.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
        return Err((Some(key.span()), format!("unknown key {:?}", key.get_ref())));
    }
    let text = |key: &str| match row.get(key) {
        None => Ok(None),
        Some(value) => match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Ok(Some((value.span(), text.to_string()))),
            _ => Err((Some(value.span()), format!("{key} must be a text"))),
        },
    };
    let needed = |key: &str| text(key)?.ok_or_else(|| (None, format!("a command needs a {key}")));
    let (span, name) = needed("name")?;
    if !is_name(&name) {
        return Err((Some(span), format!("a command is named by {NAME_RULE}")));
    }
    let (span, title) = needed("title")?;
    if title.contains(char::is_control) {
        return Err((Some(span), "a title is one line".to_string()));
    }
    let input = one_of(
        text("input")?,
        Input::Selections,
        &[("selections", Input::Selections), ("text", Input::Text), ("none", Input::None)],
    )?;
    let output = one_of(
        text("output")?,
        Output::Message,
        &[
            ("replace", Output::Replace),
            ("insert", Output::Insert),
            ("edits", Output::Edits),
            ("message", Output::Message),
            ("list", Output::List),
        ],
    )?;
    let key = text("key")?.map(|(_, key)| key);
    Ok(Command { name, title, key, run: program(row)?, input, output })
}

fn program(row: &DeTable<'_>) -> Result<Vec<String>, FieldError> {
    let Some(value) = row.get("run") else { return Err((None, "a command needs a run".to_string())) };
    let wrong =
        || (Some(value.span()), "run must be a list of texts: a program and its arguments".to_string());
    let DeValue::Array(words) = value.get_ref() else { return Err(wrong()) };
    let words = words.iter().map(|word| match word.get_ref() {
        DeValue::String(word) if !word.contains('\0') => Ok(word.to_string()),
        _ => Err(wrong()),
    });
    let words: Vec<String> = words.collect::<Result<_, _>>()?;
    if words.first().is_none_or(String::is_empty) { Err(wrong()) } else { Ok(words) }
}

fn one_of<T: Copy>(
    value: Option<(Range<usize>, String)>,
    default: T,
    all: &[(&'static str, T)],
) -> Result<T, FieldError> {
    let Some((span, word)) = value else { return Ok(default) };
    let found = all.iter().find(|(known, _)| *known == word);
    let names = || all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.map(|(_, value)| *value).ok_or_else(|| (Some(span), format!("{word:?} is none of {}", names())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    const GOOD: &str = "description = \"é\"\n[[command]]\nname = \"sort\"\ntitle = \"Sort é\"\nkey = \"Alt-9 s\"\n\
        run = [\"./sort\", \"{plugin}\"]\ninput = \"text\"\noutput = \"replace\"\n";

    #[test]
    fn plugins_are_folders_with_manifest() {
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            fs::create_dir_all(root.path().join(name)).unwrap();
            fs::write(root.path().join(name).join(MANIFEST), text).unwrap();
        };
        put("zwei", GOOD);
        put("eins", "");
        put("No Name", GOOD);
        fs::create_dir(root.path().join("none")).unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let (plugins, problems) = read(root.path());
        let names: Vec<&str> = plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        assert_eq!(names, ["eins", "zwei"]);
        let wanted = Command {
            name: "sort".into(),
            title: "Sort é".into(),
            key: Some("Alt-9 s".into()),
            run: vec!["./sort".into(), "{plugin}".into()],
            input: Input::Text,
            output: Output::Replace,
        };
        assert_eq!(plugins[1].commands, [wanted]);
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].to_string().ends_with("a plugin's folder is named by small letters, digits and -")
        );
        assert_eq!(read(&root.path().join("absent")), (Vec::new(), Vec::new()));
    }

    #[test]
    fn plugins_program_paths_are_expanded() {
        let words = |run: &str| {
            let text = format!("[[command]]\nname = \"a\"\ntitle = \"t\"\nrun = [{run}]\n");
            parse(&text).0[0].command_line(Path::new("/p q"))
        };
        assert_eq!(words("\"./it's\", \"{plugin}/x\", \"./y\""), ["/p q/it's", "/p q/x", "./y"]);
        assert_eq!(words("\"{plugin}/x\""), ["/p q/x"]);
        assert_eq!(words("\"/bin/sh\", \"\""), ["/bin/sh", ""]);
        assert_eq!(words("\"sort\""), ["sort"]);
    }

    #[test]
    fn plugins_errors_name_line_and_others_load() {
        let text = format!(
            "{GOOD}[[command]]\nname = \"A\"\ntitle = \"t\"\nrun = [\"x\"]\n[[command]]\nname = \"b\"\ntitle = \"t\"\n\
             run = []\n[[command]]\nname = \"c\"\ntitle = \"t\"\nrun = [\"x\"]\noutput = \"fly\"\n\
             [[command]]\nname = \"sort\"\ntitle = \"t\"\nrun = [\"x\"]\n[[command]]\ntitle = \"t\"\n\
             [[command]]\nname = \"last\"\ntitle = \"t\"\nrun = [\"x\"]\n"
        );
        let (commands, problems) = parse(&text);
        let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(names, ["sort", "last"]);
        let told: Vec<String> = problems.iter().map(|(line, message)| format!("{line}: {message}")).collect();
        assert_eq!(
            told,
            [
                "10: a command is named by small letters, digits and -; command ignored",
                "16: run must be a list of texts: a program and its arguments; command ignored",
                "21: \"fly\" is none of replace, insert, edits, message, list; command ignored",
                "22: duplicate command sort; ignored",
                "26: a command needs a name; command ignored",
            ]
        );
        let lines: Vec<usize> = parse("a = 1\n[[command\n").1.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 2]);
    }

    #[test]
    fn plugins_command_with_a_syntax_error_is_dropped_and_others_load() {
        let command = |name: &str, input: &str| {
            format!("[[command]]\nname = \"{name}\"\ntitle = \"t\"\nrun = [\"x\"]\ninput = {input}\n")
        };
        let text =
            [command("one", "\"text\""), command("two", "\"text"), command("three", "\"none\"")].concat();
        let (commands, problems) = parse(&text);
        let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(names, ["one", "three"], "without its input the second one would be another command");
        assert_eq!(problems.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [10], "{problems:?}");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]

        #[test]
        fn plugins_any_manifest_is_safe(text in "(\\[\\[command\\]\\]\n|(name|run|title|key|é) = |\"[a-z]\"\n|\\[\"x\"\\]\n|[=\\[\\]{}#\n]){0,14}") {
            let (commands, problems) = parse(&text);
            prop_assert!(commands.iter().all(|command| !command.run.is_empty()));
            prop_assert!(problems.iter().all(|(line, message)| *line > 0 && !message.contains('\n')));
        }
    }
}
