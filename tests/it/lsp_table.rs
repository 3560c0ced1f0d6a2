//! The built-in table of language servers: command lines are pinned, and every language of the editor has a row or a
//! reason.

use std::path::Path;

use bowline::lsp::table::program::PROJECT_TOOLS;
use bowline::lsp::table::{Feature, Features, Layer, Origin, Pattern, Table};
use bowline::syntax::languages::line_language::LINE_LANGUAGES;
use bowline::syntax::languages::table::LANGUAGES;

use crate::support::snaps;

fn built_in() -> Table {
    let (layer, mistakes) = Layer::built_in();
    assert_eq!(mistakes, []);
    let (table, mistakes) = Table::merge(vec![layer]);
    assert_eq!(mistakes, []);
    table
}

/// Languages of the editor without a row, and why.
const WITHOUT_SERVER: &[(&str, &str)] = &[
    ("actionscript", "its server is part of an extension of VS Code"),
    ("applescript", "no server is known"),
    ("asp", "no server is known"),
    ("batch", "no server is known"),
    ("diff", "no server is known"),
    ("haml", "no server is known"),
    ("jsp", "no server is known"),
    ("markdown_inline", "a part of Markdown, no file"),
    ("properties", "its server is part of an extension of VS Code"),
    ("rd", "no server is known"),
    ("regex", "a part of other languages, no file"),
    ("textile", "no server is known"),
];

/// Ends of file names that are in another language for servers than for colors, and why.
const OTHER_LANGUAGE: &[(&str, &str, &str)] = &[
    ("cu", "cuda", "clangd wants to know"),
    ("el", "-", "the server of Common Lisp does not know Emacs Lisp"),
    ("json5", "-", "the server of JSON takes it for mistakes"),
    ("jsonc", "jsonc", "comments are allowed"),
    ("jsonl", "-", "each line is a document"),
    ("jsx", "jsx", "servers want to know"),
    ("mdx", "mdx", "it has a server of its own"),
    ("ndjson", "-", "each line is a document"),
    ("scm", "-", "the server of Common Lisp does not know Scheme"),
    ("ss", "-", "the server of Common Lisp does not know Scheme"),
    ("svelte", "svelte", "it has a server of its own"),
    ("vue", "vue", "it has a server of its own"),
];

/// The names, extensions and file names of the editor's languages.
fn editor_languages() -> Vec<(&'static str, Vec<&'static str>, Vec<&'static str>)> {
    let trees = LANGUAGES.iter().map(|row| (row.name, row.extensions.to_vec(), row.files.to_vec()));
    let lines = LINE_LANGUAGES.iter().map(|row| (row.name, row.extensions.to_vec(), row.files.to_vec()));
    trees.chain(lines).collect()
}

#[test]
fn lsp_table_command_lines_match_snapshot() {
    let table = built_in();
    let line = |server: &bowline::lsp::table::Server| {
        let words = std::iter::once(&server.command).chain(&server.args);
        let words: Vec<String> =
            words.map(|word| if word.contains(' ') { format!("{word:?}") } else { word.clone() }).collect();
        format!("{}: {}", server.name, words.join(" "))
    };
    snaps::check_text("server_commands", &table.servers().map(line).collect::<Vec<_>>().join("\n"));
}

#[test]
fn lsp_table_servers_of_languages_match_snapshot() {
    let table = built_in();
    let mut lines = Vec::new();
    for language in table.languages() {
        let mut text = format!("{} ({}):", language.name, language.language_id);
        let mut group = 0;
        for row in table.servers_of(language) {
            let separator = if group == 0 {
                " "
            } else if group == row.group {
                " | "
            } else {
                ", "
            };
            text.push_str(separator);
            text.push_str(&row.server.name);
            if row.server.is_linter {
                text.push('*');
            }
            group = row.group;
        }
        lines.push(text);
    }
    snaps::check_text("language_servers", &lines.join("\n"));
}

#[test]
fn lsp_table_serves_every_language_of_the_editor_or_says_why_not() {
    let table = built_in();
    for (name, ..) in editor_languages() {
        let reason = WITHOUT_SERVER.iter().find(|(language, _)| *language == name);
        match table.language(name) {
            Some(language) => {
                assert!(reason.is_none(), "{name} has a row and a reason for none");
                let uses = table.servers_of(language);
                assert!(!uses.is_empty(), "{name} has no server");
                assert!(uses.iter().all(|row| row.features != Features::NONE), "{name}");
            }
            None => assert!(reason.is_some(), "{name} has neither a row nor a reason"),
        }
    }
    for (name, _) in WITHOUT_SERVER {
        assert!(editor_languages().iter().any(|row| row.0 == *name), "{name} is no language of the editor");
    }
}

#[test]
fn lsp_table_finds_files_in_the_language_of_the_editor() {
    let table = built_in();
    let found =
        |file: &str| table.for_file(Path::new(file), "").map_or("-", |language| language.name.as_str());
    for (name, extensions, files) in editor_languages() {
        let wanted = if table.language(name).is_some() { name } else { "-" };
        for extension in extensions {
            let other = OTHER_LANGUAGE.iter().find(|row| row.0 == extension).map(|row| row.1);
            assert_eq!(found(&format!("/w/x.{extension}")), other.unwrap_or(wanted), "{name}: .{extension}");
            assert_ne!(other, Some(wanted), ".{extension} is no exception");
        }
        for file in files {
            assert_eq!(found(&format!("/w/{file}")), wanted, "{name}: {file}");
        }
    }
}

#[test]
fn lsp_table_claims_each_file_type_once() {
    let table = built_in();
    let mut seen = std::collections::BTreeMap::new();
    for language in table.languages() {
        let files = language.files.iter().map(Pattern::text);
        for text in language.extensions.iter().map(String::as_str).chain(files) {
            let other = seen.insert(text, &language.name);
            assert_eq!(other, None, "{text} is of {}, too", language.name);
        }
        let (extensions, files) = (&language.extensions, &language.files);
        assert!(!extensions.is_empty() || !files.is_empty(), "{} has no files", language.name);
    }
}

#[test]
fn lsp_docs_example_is_valid_and_features_are_complete() {
    let page = std::fs::read_to_string(crate::source::root().join("docs/lsp.md")).unwrap();
    for feature in Feature::ALL {
        assert!(page.contains(&format!("`{}`", feature.name())), "{} is missing", feature.name());
    }
    for tools in PROJECT_TOOLS {
        assert!(page.contains(&format!("`{tools}`")), "{tools} is missing");
    }
    let examples: String =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let (layer, mistakes) = Layer::parse(Origin::User, "example", &examples);
    assert_eq!(mistakes, []);
    let (table, mistakes) = Table::merge(vec![Layer::built_in().0, layer]);
    assert_eq!(mistakes, []);
    let names = |language: &str| {
        let uses = table.servers_of(table.language(language).unwrap());
        uses.iter().map(|row| row.server.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("rust"), ["rust-analyzer", "my-server"]);
    assert_eq!(names("python"), ["ty", "pyright", "ruff"]);
    assert!(table.language("javascript").unwrap().formatter.is_some());
}
