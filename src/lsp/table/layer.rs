//! A file with rows, read. A mistake costs its row only, and is reported with its line. Must not know other files.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::base::partial_toml;
use crate::lsp::table::feature::Features;
use crate::lsp::table::pattern::Pattern;
use crate::lsp::table::row::{Formatter, Origin, Use};
use crate::lsp::table::value::{self, Fault, Input};

/// Most seconds that a row may give a server for an answer.
const TIMEOUT_MAX: u64 = 600;
/// What becomes of a row with a mistake.
const DROPPED: &str = "; ignored";

/// Something in a file that does not count, for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct Mistake {
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong, in one line.
    pub message: String,
}

/// The rows of a file: what it says of each server and language, which need not be all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    pub(super) origin: Origin,
    /// Its name, for messages.
    pub(super) file: String,
    pub(super) servers: Vec<Row<ServerKeys>>,
    pub(super) languages: Vec<Row<LanguageKeys>>,
}

/// A row, or that part of it which is in one file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row<T> {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) keys: T,
}

/// The keys of a server that a file has.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ServerKeys {
    pub(super) command: Option<String>,
    pub(super) args: Option<Vec<String>>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) config: Option<Value>,
    pub(super) settings: Option<Value>,
    pub(super) timeout: Option<Duration>,
    pub(super) required_root_patterns: Option<Vec<Pattern>>,
    pub(super) check: Option<Vec<String>>,
    pub(super) is_linter: Option<bool>,
    pub(super) is_enabled: Option<bool>,
    pub(super) only_features: Option<Features>,
    pub(super) except_features: Option<Features>,
}

/// The keys of a language that a file has.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LanguageKeys {
    pub(super) language_id: Option<String>,
    pub(super) file_types: Option<(Vec<String>, Vec<Pattern>)>,
    pub(super) interpreters: Option<Vec<String>>,
    pub(super) roots: Option<Vec<Pattern>>,
    pub(super) uses: Option<Vec<Use>>,
    pub(super) formatter: Option<Formatter>,
    pub(super) code_actions_on_save: Option<Vec<String>>,
    pub(super) auto_format: Option<bool>,
}

impl Layer {
    /// Reads the rows of a text. `file` names it in mistakes.
    pub fn parse(origin: Origin, file: &str, text: &str) -> (Self, Vec<Mistake>) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut repaired = String::new();
        let (mut tables, mistakes) = partial_toml::parse(text, &mut repaired);
        let mut reader = Reader::new(text, file, &mistakes);
        for mistake in mistakes {
            let cost = reader.damaged.cost(mistake.line);
            reader.report_line(mistake.line, format!("{}{cost}", mistake.message));
        }
        let mut layer = Self { origin, file: file.to_string(), servers: Vec::new(), languages: Vec::new() };
        if let Some(servers) = tables.remove("language-server") {
            layer.servers = reader.servers(&servers);
        }
        if let Some(languages) = tables.remove("language") {
            layer.languages = reader.languages(&languages);
        }
        for (key, _) in tables {
            let message = format!("unknown table {:?}{DROPPED}", value::name_of(&key));
            reader.report(&Fault::new(key.span().start, message));
        }
        reader.mistakes.sort_by_key(|mistake| mistake.line);
        (layer, reader.mistakes)
    }
}

/// What has lost a line to a mistake of syntax. Without that line it may mean something else: a server would start
/// without its arguments.
#[derive(Default)]
struct Damaged(BTreeMap<usize, Owner>);

impl Damaged {
    fn find(text: &str, mistakes: &[partial_toml::Mistake]) -> Self {
        let mut found = Self::default();
        if mistakes.is_empty() {
            return found;
        }
        let (mut languages, mut current) = (0, Owner::None);
        for (line, content) in (1..).zip(text.lines()) {
            let is_header = content.trim_start().starts_with('[');
            if mistakes.iter().any(|mistake| mistake.line == line) {
                // The rows below a header that is wrong are gone with it.
                let owner = if is_header { Owner::None } else { current.clone() };
                found.0.insert(line, owner);
            } else if let Some(owner) = is_header.then(|| Owner::of_header(content)).flatten() {
                languages += usize::from(content.trim_start().starts_with("[[language]]"));
                current = match (owner, languages) {
                    (Owner::Language(_), 0) => Owner::None,
                    (Owner::Language(_), number) => Owner::Language(number - 1),
                    (other, _) => other,
                };
            }
        }
        found
    }

    fn contains(&self, owner: &Owner) -> bool {
        self.0.values().any(|damaged| damaged == owner)
    }

    /// What a mistake in a line costs, for its message.
    fn cost(&self, line: usize) -> String {
        match self.0.get(&line) {
            Some(Owner::Server(name)) => format!("; server {name:?} ignored"),
            Some(Owner::Language(_)) => "; its language ignored".to_string(),
            Some(Owner::None) | None => DROPPED.to_string(),
        }
    }
}

/// Whose table a header begins.
#[derive(Clone, PartialEq, Eq)]
enum Owner {
    None,
    Server(String),
    /// The number of its `[[language]]`, from 0.
    Language(usize),
}

impl Owner {
    /// Returns `None` for a line that is no header.
    fn of_header(line: &str) -> Option<Self> {
        let table = DeTable::parse(line).ok()?.into_inner();
        let (key, value) = table.into_iter().next()?;
        Some(match (value::name_of(&key), value.get_ref()) {
            ("language-server", DeValue::Table(servers)) => servers
                .keys()
                .next()
                .map_or(Self::None, |name| Self::Server(value::name_of(name).to_string())),
            ("language", _) => Self::Language(0),
            _ => Self::None,
        })
    }
}

/// Reads rows, and collects the mistakes in them.
struct Reader<'t> {
    text: &'t str,
    file: &'t str,
    damaged: Damaged,
    mistakes: Vec<Mistake>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, file: &'t str, mistakes: &[partial_toml::Mistake]) -> Self {
        Self { text, file, damaged: Damaged::find(text, mistakes), mistakes: Vec::new() }
    }

    fn line_of(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        memchr::memchr_iter(b'\n', before).count() + 1
    }

    fn report_line(&mut self, line: usize, message: String) {
        self.mistakes.push(Mistake { file: self.file.to_string(), line, message });
    }

    fn report(&mut self, fault: &Fault) {
        self.report_line(self.line_of(fault.at), fault.message.clone());
    }

    /// Takes a row if it has no mistake.
    fn row<T>(&mut self, name: &str, at: usize, keys: Result<T, Fault>) -> Option<Row<T>> {
        match keys {
            Ok(keys) => Some(Row { name: name.to_string(), line: self.line_of(at), keys }),
            Err(fault) => {
                self.report(&Fault::new(fault.at, format!("{name}: {}{DROPPED}", fault.message)));
                None
            }
        }
    }

    fn servers(&mut self, servers: Input<'_, '_>) -> Vec<Row<ServerKeys>> {
        let DeValue::Table(servers) = servers.get_ref() else {
            self.report(&Fault::at(servers, format!("`language-server` is no table{DROPPED}")));
            return Vec::new();
        };
        let mut rows = Vec::new();
        for (key, server) in servers {
            let (name, at) = (value::name_of(key), key.span().start);
            if let Err(message) = value::check_name(name) {
                self.report(&Fault::new(at, format!("{message}{DROPPED}")));
            } else if !self.damaged.contains(&Owner::Server(name.to_string())) {
                let keys = value::table(server).and_then(|table| self.server_keys(table));
                rows.extend(self.row(name, at, keys));
            }
        }
        rows
    }

    fn server_keys(&mut self, table: &DeTable<'_>) -> Result<ServerKeys, Fault> {
        let mut keys = ServerKeys::default();
        for (key, value) in table {
            match value::name_of(key) {
                "command" => keys.command = Some(value::name(value)?),
                "args" => keys.args = Some(value::list(value, value::text)?),
                "environment" => keys.environment = value::environment(value)?,
                "config" => keys.config = Some(value::object(value)?),
                "settings" => keys.settings = Some(value::object(value)?),
                "timeout" => keys.timeout = Some(Duration::from_secs(value::seconds(value, TIMEOUT_MAX)?)),
                "required-root-patterns" => {
                    keys.required_root_patterns = Some(value::list(value, value::marker)?);
                }
                "check" => keys.check = Some(value::list(value, value::text)?),
                "is-linter" => keys.is_linter = Some(value::flag(value)?),
                "enabled" => keys.is_enabled = Some(value::flag(value)?),
                "only-features" => keys.only_features = Some(value::features(value)?),
                "except-features" => keys.except_features = Some(value::features(value)?),
                _ => self.report_unknown(key),
            }
        }
        Ok(keys)
    }

    /// A key of Helix that has no meaning here, or a mistake: the row is as good without it.
    fn report_unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>) {
        let message = format!("unknown key {:?}{DROPPED}", value::name_of(key));
        self.report(&Fault::new(key.span().start, message));
    }

    fn languages(&mut self, languages: Input<'_, '_>) -> Vec<Row<LanguageKeys>> {
        let DeValue::Array(items) = languages.get_ref() else {
            self.report(&Fault::at(languages, format!("languages are written as `[[language]]`{DROPPED}")));
            return Vec::new();
        };
        let mut rows: Vec<Row<LanguageKeys>> = Vec::new();
        for (number, language) in items.iter().enumerate() {
            if self.damaged.contains(&Owner::Language(number)) {
                continue;
            }
            let name = value::table(language).and_then(|table| {
                let missing = || Fault::at(language, "a language without a name");
                value::name(table.get("name").ok_or_else(missing)?).map(|name| (name, table))
            });
            let (name, table) = match name {
                Ok(named) => named,
                Err(fault) => {
                    self.report(&Fault::new(fault.at, format!("{}{DROPPED}", fault.message)));
                    continue;
                }
            };
            let mut keys = self.language_keys(table);
            if rows.iter().any(|row| row.name == name) {
                keys = Err(Fault::at(language, "a second row of this language"));
            }
            rows.extend(self.row(&name, language.span().start, keys));
        }
        rows
    }

    fn language_keys(&mut self, table: &DeTable<'_>) -> Result<LanguageKeys, Fault> {
        let mut keys = LanguageKeys::default();
        for (key, value) in table {
            match value::name_of(key) {
                "name" => {}
                "language-id" => keys.language_id = Some(value::name(value)?),
                "file-types" => keys.file_types = Some(file_types(value)?),
                "shebangs" => keys.interpreters = Some(value::list(value, value::name)?),
                "roots" => keys.roots = Some(value::list(value, value::marker)?),
                "language-servers" => keys.uses = Some(self.uses(value)?),
                "formatter" => keys.formatter = Some(formatter(value)?),
                "code-actions-on-save" => keys.code_actions_on_save = Some(value::list(value, value::name)?),
                "auto-format" => keys.auto_format = Some(value::flag(value)?),
                _ => self.report_unknown(key),
            }
        }
        Ok(keys)
    }

    /// The servers of a language. A list within the list has alternatives.
    fn uses(&self, value: Input<'_, '_>) -> Result<Vec<Use>, Fault> {
        let mut group = 0;
        let groups = value::list(value, |item| {
            group += 1;
            match item.get_ref() {
                DeValue::Array(_) => value::list(item, |item| self.server_use(item, group)),
                _ => Ok(vec![self.server_use(item, group)?]),
            }
        })?;
        Ok(groups.into_iter().flatten().collect())
    }

    fn server_use(&self, item: Input<'_, '_>, group: usize) -> Result<Use, Fault> {
        let (mut server, mut only, mut except) = (None, Features::ALL, Features::NONE);
        match item.get_ref() {
            DeValue::Table(table) => {
                for (key, value) in table {
                    match value::name_of(key) {
                        "name" => server = Some(value::name(value)?),
                        "only-features" => only = value::features(value)?,
                        "except-features" => except = value::features(value)?,
                        other => return Err(Fault::at(value, format!("unknown key {other:?}"))),
                    }
                }
            }
            _ => server = Some(value::name(item)?),
        }
        let server = server.ok_or_else(|| Fault::at(item, "the name of a server is missing"))?;
        let line = self.line_of(item.span().start);
        Ok(Use { server, features: only.without(except), group, file: self.file.to_string(), line })
    }
}

/// Ends of file names, as texts, and names of files, as `{ glob = "…" }`.
fn file_types(value: Input<'_, '_>) -> Result<(Vec<String>, Vec<Pattern>), Fault> {
    let (mut extensions, mut files) = (Vec::new(), Vec::new());
    value::list(value, |item| {
        if let DeValue::Table(table) = item.get_ref() {
            let glob = table.get("glob").filter(|_| table.len() == 1);
            let glob =
                glob.ok_or_else(|| Fault::at(item, "a file type is an extension or { glob = \"name\" }"))?;
            files.push(value::pattern(glob)?);
            return Ok(());
        }
        let extension = value::name(item)?.to_lowercase();
        if extension.starts_with('.') || extension.contains(['/', '*']) {
            return Err(Fault::at(item, format!("{extension:?} is no extension without its dot")));
        }
        extensions.push(extension);
        Ok(())
    })?;
    Ok((extensions, files))
}

fn formatter(value: Input<'_, '_>) -> Result<Formatter, Fault> {
    let (mut command, mut args) = (None, Vec::new());
    for (key, value) in value::table(value)? {
        match value::name_of(key) {
            "command" => command = Some(value::name(value)?),
            "args" => args = value::list(value, value::text)?,
            other => return Err(Fault::at(value, format!("unknown key {other:?}"))),
        }
    }
    let command = command.ok_or_else(|| Fault::at(value, "the command of the formatter is missing"))?;
    Ok(Formatter { command, args })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::json::json;
    use crate::lsp::table::feature::Feature;

    fn parse(text: &str) -> (Layer, Vec<String>) {
        let (layer, mistakes) = Layer::parse(Origin::User, "s.toml", text);
        (layer, mistakes.iter().map(ToString::to_string).collect())
    }

    fn server_names(layer: &Layer) -> Vec<&str> {
        layer.servers.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn layer_reads_every_key_of_a_server() {
        let (layer, mistakes) = parse(
            r#"
            [language-server.ra]
            command = "ra"
            args = ["--stdio", ""]
            environment = { RA_LOG = "info" }
            timeout = 60
            required-root-patterns = ["Cargo.toml", "*.rs"]
            is-linter = true
            enabled = false
            only-features = ["hover", "semantic-tokens"]
            except-features = ["format"]
            [language-server.ra.config]
            a.b = [1, 2.5, true, 2026-01-01]
            [language-server.ra.settings]
            c = "d"
            "#,
        );
        assert_eq!(mistakes, Vec::<String>::new());
        let keys = &layer.servers[0].keys;
        assert_eq!((layer.servers[0].name.as_str(), layer.servers[0].line), ("ra", 2));
        assert_eq!(keys.command.as_deref(), Some("ra"));
        assert_eq!(keys.args.as_deref(), Some(&["--stdio".to_string(), String::new()][..]));
        assert_eq!(keys.environment["RA_LOG"], "info");
        assert_eq!(keys.timeout, Some(Duration::from_mins(1)));
        assert_eq!(keys.required_root_patterns.as_ref().map(Vec::len), Some(2));
        assert_eq!((keys.is_linter, keys.is_enabled), (Some(true), Some(false)));
        let some = [Feature::Hover, Feature::SemanticTokens].into_iter().collect();
        assert_eq!(keys.only_features, Some(some));
        assert_eq!(keys.except_features, Some([Feature::Format].into_iter().collect()));
        assert_eq!(keys.config, Some(json!({"a": {"b": [1, 2.5, true, "2026-01-01"]}})));
        assert_eq!(keys.settings, Some(json!({"c": "d"})));
    }

    #[test]
    fn layer_reads_every_key_of_a_language() {
        let (layer, mistakes) = parse(
            r#"
            [[language]]
            name = "ada"
            language-id = "Ada"
            file-types = ["ADB", "gen.ads", { glob = "GNAT.*" }]
            shebangs = ["gnat"]
            roots = ["alire.toml"]
            language-servers = ["one", ["two", { name = "three", except-features = ["format"] }]]
            formatter = { command = "fmt", args = ["-"] }
            code-actions-on-save = ["source.organizeImports"]
            auto-format = true
            "#,
        );
        assert_eq!(mistakes, Vec::<String>::new());
        let keys = &layer.languages[0].keys;
        assert_eq!(keys.language_id.as_deref(), Some("Ada"));
        let (extensions, files) = keys.file_types.as_ref().unwrap();
        assert_eq!((extensions.join(" "), files[0].text()), ("adb gen.ads".to_string(), "GNAT.*"));
        assert_eq!(keys.interpreters.as_deref(), Some(&["gnat".to_string()][..]));
        let uses = keys.uses.as_ref().unwrap();
        let uses: Vec<_> = uses.iter().map(|row| (row.server.as_str(), row.group, row.line)).collect();
        assert_eq!(uses, [("one", 1, 8), ("two", 2, 8), ("three", 2, 8)]);
        assert!(!keys.uses.as_ref().unwrap()[2].features.contains(Feature::Format));
        let formatter = Formatter { command: "fmt".into(), args: vec!["-".into()] };
        assert_eq!(keys.formatter, Some(formatter));
        assert_eq!(keys.code_actions_on_save.as_ref().map(Vec::len), Some(1));
        assert_eq!(keys.auto_format, Some(true));
    }

    #[test]
    fn layer_mistake_costs_its_row_and_names_its_line() {
        let (layer, mistakes) = parse(
            "[language-server.a]\ncommand = \"a\"\n\n\
             [language-server.b]\ncommand = \"b\"\nargs = [\"x\", 1]\n\n\
             [language-server.c]\ncommand = \"c\"\n",
        );
        assert_eq!(server_names(&layer), ["a", "c"]);
        assert_eq!(mistakes, ["s.toml:6: b: a string is expected; ignored"]);
        let (layer, mistakes) =
            parse("[[language]]\nname = \"a\"\n[[language]]\nroots = []\n[[language]]\nname = \"c\"\n");
        assert_eq!(layer.languages.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(mistakes, ["s.toml:3: a language without a name; ignored"]);
    }

    #[test]
    fn layer_mistake_of_syntax_costs_its_row() {
        let (layer, mistakes) = parse(
            "[language-server.a]\ncommand = \"a\"\nargs = [\"x\" \"y\"]\n\
             [language-server.b]\ncommand = \"b\"\n\
             [language-server.c.config]\nd = = 1\n\
             [[language]]\nname = \"l\"\n[[language]]\nname = \"m\"\nroots = [\n",
        );
        assert_eq!(server_names(&layer), ["b"], "the others would run without arguments or options");
        assert_eq!(layer.languages.len(), 1);
        let lines: Vec<_> = mistakes.iter().map(|mistake| mistake.split(':').nth(1).unwrap()).collect();
        assert_eq!(lines, ["3", "7", "12"]);
        assert!(mistakes[0].ends_with("; server \"a\" ignored"), "{mistakes:?}");
        assert!(mistakes[2].ends_with("; its language ignored"), "{mistakes:?}");
    }

    #[test]
    fn layer_mistake_in_the_short_form_leaves_its_neighbors() {
        let (layer, mistakes) = parse(
            "[language-server]\na = { command = \"a\" }\nb = { command = }\nc.command = \"c\"\n[language]\n",
        );
        assert_eq!(server_names(&layer), ["a", "c"]);
        assert_eq!(mistakes.len(), 2, "{mistakes:?}");
        assert!(mistakes[0].starts_with("s.toml:3: "), "{mistakes:?}");
        assert_eq!(mistakes[1], "s.toml:5: languages are written as `[[language]]`; ignored");
    }

    #[test]
    fn layer_unknown_keys_are_reported_and_cost_nothing() {
        let (layer, mistakes) = parse(
            "use-grammars = 1\n[language-server.a]\ncommand = \"a\"\nindent = 1\n[[language]]\nname = \"l\"\nscope = \"x\"\n",
        );
        assert_eq!((layer.servers.len(), layer.languages.len()), (1, 1));
        assert_eq!(
            mistakes,
            [
                "s.toml:1: unknown table \"use-grammars\"; ignored",
                "s.toml:4: unknown key \"indent\"; ignored",
                "s.toml:7: unknown key \"scope\"; ignored",
            ]
        );
    }

    #[test]
    fn layer_refuses_what_no_program_can_get() {
        for row in [
            "command = \"\"",
            "command = \"a\\u0000\"",
            "command = \"a\\nb\"",
            "command = [\"a\"]",
            "args = [\"\\u0000\"]",
            "args = \"x\"",
            "environment = { \"A=B\" = \"x\" }",
            "environment = { A = \"\\u0000\" }",
            "environment = { A = 1 }",
            "timeout = 0",
            "timeout = 601",
            "timeout = 1.5",
            "config = 1",
            "config = { a = nan }",
            "config = { a = 99999999999999999999 }",
            "only-features = [\"telepathy\"]",
            "required-root-patterns = [\"../x\"]",
            "required-root-patterns = [\"a/*.x\"]",
            "is-linter = 1",
        ] {
            let (layer, mistakes) = parse(&format!("[language-server.a]\n{row}\n"));
            assert_eq!((layer.servers.len(), mistakes.len()), (0, 1), "{row}: {mistakes:?}");
            assert!(mistakes[0].starts_with("s.toml:2: a: "), "{mistakes:?}");
        }
        let (layer, mistakes) = parse("[language-server.\"a\\u001b[2J\"]\ncommand = \"a\"\n");
        assert_eq!(layer.servers, []);
        assert!(!mistakes[0].contains('\u{1b}'), "{mistakes:?}");
    }

    #[test]
    fn layer_refuses_languages_that_make_no_sense() {
        for row in [
            "file-types = [\".rs\"]",
            "file-types = [\"*.rs\"]",
            "file-types = [{ name = \"x\" }]",
            "file-types = [{ glob = \"[\" }]",
            "language-servers = \"a\"",
            "language-servers = [[[\"a\"]]]",
            "language-servers = [{ only-features = [] }]",
            "language-servers = [{ name = \"a\", features = [] }]",
            "formatter = { args = [] }",
            "formatter = { command = \"a\", stdin = true }",
            "auto-format = \"yes\"",
        ] {
            let (layer, mistakes) = parse(&format!("[[language]]\nname = \"l\"\n{row}\n"));
            assert_eq!((layer.languages.len(), mistakes.len()), (0, 1), "{row}: {mistakes:?}");
            assert!(mistakes[0].starts_with("s.toml:3: l: "), "{mistakes:?}");
        }
        let (layer, mistakes) = parse("[[language]]\nname = \"l\"\n[[language]]\nname = \"l\"\n");
        assert_eq!(layer.languages.len(), 1);
        assert_eq!(mistakes, ["s.toml:3: l: a second row of this language; ignored"]);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]

        #[test]
        fn layer_any_text_is_safe(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "[language-server.a]", "[language-server]", "[[language]]", "[language]", "[language-server.a.config]",
                    "name = \"a\"", "a.command = \"x\"", "command = \"x\"", "args = [", "\"b\"", "]", "{", "}", "=", ",", "'",
                    "language-servers = [[\"a\"], {name = \"a\"}]", "roots = [\"*.x\"]", "file-types = [\"x\"]", "\n", "\n",
                    "\n", "é", "\"", "\"\"\"", "#", "timeout = 1", "x = 1e999", "x = -nan", "\u{feff}", "roots = [\"[\\u001b\"]", "\r\n", "\0",
                ]),
                0..30,
            ),
            anything in ".{0,40}",
        ) {
            for text in [pieces.concat(), anything] {
                let lines = text.matches('\n').count() + 1;
                let (_, mistakes) = Layer::parse(Origin::Project, "p.toml", &text);
                for mistake in mistakes {
                    prop_assert!((1..=lines).contains(&mistake.line), "{mistake} of {lines} lines");
                    prop_assert!(!mistake.message.contains(char::is_control), "{mistake:?}");
                }
            }
        }
    }
}
