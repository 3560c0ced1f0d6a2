//! Several layers as one table: a later one wins key by key. Finds the language of a file, and its servers. Must not
//! know where layers come from.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::lsp::table::feature::Features;
use crate::lsp::table::layer::{LanguageKeys, Layer, Mistake, Row, ServerKeys};
use crate::lsp::table::row::{Language, Origin, Server, ServerUse, TIMEOUT};

/// The rows that come with the program.
const BUILT_IN: &str = include_str!("../../../assets/servers.toml");

/// Bytes of a first line that are looked at.
const FIRST_LINE_MAX: usize = 200;

/// All servers and languages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    servers: BTreeMap<String, Server>,
    /// The built-in ones come first.
    languages: Vec<Language>,
}

impl Layer {
    /// Returns the rows that come with the program.
    pub fn built_in() -> (Self, Vec<Mistake>) {
        Self::parse(Origin::BuiltIn, "servers.toml", BUILT_IN)
    }
}

impl Table {
    /// Merges layers, the weakest first. What is incomplete or names a server that does not exist is left out and
    /// reported.
    pub fn merge(layers: Vec<Layer>) -> (Self, Vec<Mistake>) {
        let (mut table, mut mistakes) = (Self::default(), Vec::new());
        for layer in layers {
            for row in layer.servers {
                table.add_server(layer.origin, &layer.file, row, &mut mistakes);
            }
            for row in layer.languages {
                table.add_language(layer.origin, row);
            }
        }
        for language in &mut table.languages {
            language.uses.retain(|server| {
                let is_known = table.servers.contains_key(&server.server);
                if !is_known {
                    let message = format!("{}: no server {:?}; ignored", language.name, server.server);
                    mistakes.push(Mistake { file: server.file.clone(), line: server.line, message });
                }
                is_known
            });
        }
        (table, mistakes)
    }

    fn add_server(&mut self, origin: Origin, file: &str, row: Row<ServerKeys>, mistakes: &mut Vec<Mistake>) {
        if let Some(server) = self.servers.get_mut(&row.name) {
            return change_server(server, origin, row.keys);
        }
        let Some(command) = row.keys.command.clone() else {
            let message = format!("{}: a server without a command; ignored", row.name);
            return mistakes.push(Mistake { file: file.to_string(), line: row.line, message });
        };
        let mut server = Server {
            name: row.name.clone(),
            command,
            args: Vec::new(),
            environment: BTreeMap::new(),
            config: None,
            settings: None,
            timeout: TIMEOUT,
            required_root_patterns: Vec::new(),
            check: Vec::new(),
            is_linter: false,
            is_enabled: true,
            features: Features::ALL,
            origin,
        };
        change_server(&mut server, origin, row.keys);
        self.servers.insert(row.name, server);
    }

    fn add_language(&mut self, origin: Origin, row: Row<LanguageKeys>) {
        let known = self.languages.iter().position(|language| language.name == row.name);
        let at = known.unwrap_or_else(|| {
            self.languages.push(Language {
                language_id: row.name.clone(),
                name: row.name,
                extensions: Vec::new(),
                files: Vec::new(),
                interpreters: Vec::new(),
                roots: Vec::new(),
                formatter: None,
                code_actions_on_save: Vec::new(),
                auto_format: None,
                origin,
                files_origin: origin,
                uses: Vec::new(),
            });
            self.languages.len() - 1
        });
        change_language(&mut self.languages[at], origin, row.keys);
    }

    /// Returns all servers, by name.
    pub fn servers(&self) -> impl Iterator<Item = &Server> {
        self.servers.values()
    }

    /// Returns the server with this name.
    pub fn server(&self, name: &str) -> Option<&Server> {
        self.servers.get(name)
    }

    /// Returns all languages.
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// Returns the language with this name.
    pub fn language(&self, name: &str) -> Option<&Language> {
        self.languages.iter().find(|language| language.name == name)
    }

    /// Returns the language of a file: by its name, then by its extension, the longest first, then by its first line.
    /// Where several rows claim it, that of the project goes before that of the user, and the built-in one is last.
    pub fn for_file(&self, path: &Path, first_line: &str) -> Option<&Language> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let by_name = self.last(|language| language.files.iter().any(|file| file.is_match(path)));
        let by_extension = || {
            let ends = name.match_indices('.').map(|(at, dot)| &name[at + dot.len()..]);
            ends.filter(|end| !end.is_empty())
                .find_map(|end| self.last(|language| language.extensions.iter().any(|known| known == end)))
        };
        let by_line = || {
            let (program, bare) = interpreter(first_line)?;
            self.last(|language| language.interpreters.iter().any(|known| known == program || known == bare))
        };
        by_name.or_else(by_extension).or_else(by_line)
    }

    /// Returns the strongest of the languages that claim a file.
    fn last(&self, claims: impl Fn(&Language) -> bool) -> Option<&Language> {
        self.languages.iter().filter(|language| claims(language)).max_by_key(|language| language.files_origin)
    }

    /// Returns the servers of a language in order, without those that are switched off.
    pub fn servers_of<'a>(&'a self, language: &Language) -> Vec<ServerUse<'a>> {
        let server_use = |row: &crate::lsp::table::row::Use| {
            let server = self.servers.get(&row.server).filter(|server| server.is_enabled)?;
            let own = if server.is_linter { Features::OF_LINTER } else { Features::ALL };
            let features = row.features.and(server.features).and(own);
            Some(ServerUse { server, features, group: row.group })
        };
        language.uses.iter().filter_map(server_use).collect()
    }
}

/// Replaces `old` if there is a new value.
fn set<T>(old: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *old = new;
    }
}

fn change_server(server: &mut Server, origin: Origin, keys: ServerKeys) {
    server.origin = origin;
    set(&mut server.command, keys.command);
    set(&mut server.args, keys.args);
    server.environment.extend(keys.environment);
    for (old, new) in [(&mut server.config, keys.config), (&mut server.settings, keys.settings)] {
        match (old.as_mut(), new) {
            (Some(old), Some(new)) => merge_json(old, new),
            (_, new) => set(old, new.map(Some)),
        }
    }
    set(&mut server.timeout, keys.timeout);
    set(&mut server.required_root_patterns, keys.required_root_patterns);
    set(&mut server.check, keys.check);
    set(&mut server.is_linter, keys.is_linter);
    set(&mut server.is_enabled, keys.is_enabled);
    if keys.only_features.is_some() || keys.except_features.is_some() {
        let only = keys.only_features.unwrap_or(Features::ALL);
        server.features = only.without(keys.except_features.unwrap_or(Features::NONE));
    }
}

fn change_language(language: &mut Language, origin: Origin, keys: LanguageKeys) {
    language.origin = origin;
    if keys.file_types.is_some() || keys.interpreters.is_some() {
        language.files_origin = origin;
    }
    set(&mut language.language_id, keys.language_id);
    if let Some((extensions, files)) = keys.file_types {
        (language.extensions, language.files) = (extensions, files);
    }
    set(&mut language.interpreters, keys.interpreters);
    set(&mut language.roots, keys.roots);
    set(&mut language.uses, keys.uses);
    set(&mut language.formatter, keys.formatter.map(Some));
    set(&mut language.code_actions_on_save, keys.code_actions_on_save);
    set(&mut language.auto_format, keys.auto_format.map(Some));
}

/// Merges two values: tables key by key, everything else is replaced.
fn merge_json(old: &mut Value, new: Value) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in new {
                match old.get_mut(&key) {
                    Some(old) => merge_json(old, value),
                    None => {
                        old.insert(key, value);
                    }
                }
            }
        }
        (old, new) => *old = new,
    }
}

/// Returns the program that a first line names to run the file, with and without its version.
fn interpreter(line: &str) -> Option<(&str, &str)> {
    let line = &line[..line.floor_char_boundary(FIRST_LINE_MAX)];
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        program = program.rsplit('/').next()?;
    }
    Some((program, program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::base::json::json;
    use crate::lsp::table::feature::Feature;

    fn layer(origin: Origin, text: &str) -> Layer {
        let (layer, mistakes) = Layer::parse(origin, &format!("{origin:?}.toml"), text);
        assert_eq!(mistakes, []);
        layer
    }

    fn merge(built_in: &str, user: &str, project: &str) -> (Table, Vec<String>) {
        let (table, mistakes) = Table::merge(vec![
            layer(Origin::BuiltIn, built_in),
            layer(Origin::User, user),
            layer(Origin::Project, project),
        ]);
        (table, mistakes.iter().map(ToString::to_string).collect())
    }

    const A: &str = r#"
        [language-server.a]
        command = "a"
        args = ["1", "2"]
        environment = { X = "1", Y = "1" }
        config = { one = { two = 2, three = [3] }, four = 4 }
        [language-server.b]
        command = "b"
        [[language]]
        name = "l"
        file-types = ["l", { glob = "Lfile" }]
        shebangs = ["ell"]
        roots = ["l.toml"]
        language-servers = ["a", "b"]
    "#;

    #[test]
    fn merge_later_layer_wins_key_by_key() {
        let user = r#"
            [language-server.a]
            args = ["3"]
            environment = { Y = "2" }
            config.one = { three = [], five = 5 }
            timeout = 5
        "#;
        let (table, mistakes) = merge(A, user, "[[language]]\nname = \"l\"\nauto-format = true\n");
        assert_eq!(mistakes, Vec::<String>::new());
        let a = table.server("a").unwrap();
        assert_eq!((a.command.as_str(), a.args.as_slice()), ("a", &["3".to_string()][..]));
        assert_eq!((a.environment["X"].as_str(), a.environment["Y"].as_str()), ("1", "2"));
        let config = json!({"one": {"two": 2, "three": [], "five": 5}, "four": 4});
        assert_eq!(a.configuration(), Some(&config));
        assert_eq!((a.timeout, a.origin), (Duration::from_secs(5), Origin::User));
        assert_eq!(table.server("b").unwrap().origin, Origin::BuiltIn);
        let l = table.language("l").unwrap();
        assert!(l.auto_format == Some(true) && l.roots[0].text() == "l.toml");
        assert_eq!((l.origin, l.language_id.as_str()), (Origin::Project, "l"));
        assert_eq!(table.servers_of(l).len(), 2);
    }

    #[test]
    fn merge_replaces_lists_of_servers() {
        let (table, _) = merge(A, "", "[[language]]\nname = \"l\"\nlanguage-servers = [\"b\"]\n");
        let names: Vec<_> = table.servers_of(table.language("l").unwrap());
        assert_eq!(names.iter().map(|row| row.server.name.as_str()).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn merge_reports_rows_that_are_incomplete() {
        let user = "[language-server.c]\nargs = []\n\n[[language]]\nname = \"l\"\nlanguage-servers = [\n\"b\",\n\"c\"]\n";
        let (table, mistakes) = merge(A, user, "");
        assert_eq!(
            mistakes,
            [
                "User.toml:1: c: a server without a command; ignored",
                "User.toml:8: l: no server \"c\"; ignored"
            ]
        );
        assert_eq!(table.servers_of(table.language("l").unwrap()).len(), 1);
        assert!(table.server("c").is_none());
    }

    #[test]
    fn merge_settings_answer_in_place_of_config() {
        let (table, _) = merge(A, "[language-server.a]\nsettings = { s = 1 }\n", "");
        assert_eq!(table.server("a").unwrap().configuration(), Some(&json!({"s": 1})));
        assert_eq!(table.server("b").unwrap().configuration(), None);
    }

    #[test]
    fn table_server_uses_have_their_features_and_groups() {
        let changes = r#"
            [language-server.a]
            except-features = ["hover"]
            [language-server.b]
            is-linter = true
            [language-server.c]
            command = "c"
            enabled = false
            [[language]]
            name = "l"
            language-servers = ["c", [{ name = "a", only-features = ["hover", "format"] }, "c"], "b"]
        "#;
        let (table, mistakes) = merge(A, changes, "");
        assert_eq!(mistakes, Vec::<String>::new());
        let uses = table.servers_of(table.language("l").unwrap());
        let rows: Vec<_> = uses.iter().map(|row| (row.server.name.as_str(), row.group)).collect();
        assert_eq!(rows, [("a", 2), ("b", 3)], "c is switched off");
        assert_eq!(uses[0].features, [Feature::Format].into_iter().collect());
        assert_eq!(uses[1].features, Features::OF_LINTER);
    }

    #[test]
    fn table_finds_language_by_name_extension_and_first_line() {
        let more = r#"
            [[language]]
            name = "m"
            file-types = ["m.l", { glob = "conf/*.l" }]
        "#;
        let (table, _) = merge(&format!("{A}{more}"), "", "");
        let name = |path: &str, line: &str| {
            table.for_file(Path::new(path), line).map_or("-", |language| language.name.as_str())
        };
        assert_eq!(name("/w/a.L", ""), "l");
        assert_eq!(name("/w/a.m.l", ""), "m", "the longest extension decides");
        assert_eq!(name("/w/conf/a.l", ""), "m", "names go before extensions");
        assert_eq!(name("/w/Lfile", ""), "l");
        assert_eq!(name("/w/run", "#!/usr/bin/env -S ell2.5 -x"), "l");
        assert_eq!(name("/w/run.l", "#!/bin/other"), "l");
        assert_eq!(name("/w/l", ""), "-", "a name is no extension");
        assert_eq!(name("/w/run", &format!("#!/{}", "é".repeat(300))), "-");
        assert_eq!(name("/", ""), "-");
        assert_eq!(name("", ""), "-");
    }

    #[test]
    fn table_file_types_of_the_project_win() {
        let row = |name: &str| format!("[[language]]\nname = \"{name}\"\nfile-types = [\"l\"]\n");
        let name = |user: &str, project: &str| {
            let (table, _) = merge(A, user, project);
            table.for_file(Path::new("/w/a.l"), "").unwrap().name.clone()
        };
        assert_eq!(name("", ""), "l");
        assert_eq!(name(&row("u"), ""), "u");
        assert_eq!(name(&row("u"), &row("p")), "p");
        assert_eq!(name(&row("u"), &row("l")), "l");
        assert_eq!(name(&row("u"), "[[language]]\nname = \"l\"\nroots = []\n"), "u");
    }

    #[test]
    fn table_built_in_has_no_mistakes() {
        let (layer, mistakes) = Layer::built_in();
        assert_eq!(mistakes, []);
        let (table, mistakes) = Table::merge(vec![layer]);
        assert_eq!(mistakes, []);
        assert!(table.servers().count() > 150 && table.languages().len() > 140);
        let rust = table.for_file(Path::new("/w/src/main.rs"), "").unwrap();
        assert_eq!(table.servers_of(rust)[0].server.command, "rust-analyzer");
    }
}
