//! The table of methods in `docs/lsp-methods.md` and the code agree: what is spoken is in the code and has its test by name,
//! what is not is not asked for.

use std::collections::BTreeSet;
use std::path::Path;

/// Methods whose names are joined from parts.
const JOINED: [&str; 4] = [
    "workspace/willRenameFiles",
    "workspace/didRenameFiles",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
];

/// The rows of the table: method, state, and test or reason.
fn rows() -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/lsp-methods.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cell = |text: &str| text.trim().trim_matches('`').to_string();
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), 3, "{row}");
        (cell(cells[0]), cell(cells[1]), cell(cells[2]))
    })
    .collect()
}

/// The text of all sources below a folder.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|end| end == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn below(folders: &[&str]) -> String {
    let mut text = String::new();
    for folder in folders {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut text);
    }
    text
}

#[test]
fn lsp_methods_that_are_spoken_are_in_the_code_with_their_test() {
    let (code, all) = (below(&["src/lsp"]), below(&["src", "tests/it"]));
    for (method, state, proof) in rows() {
        match state.as_str() {
            "yes" => {
                let is_sent = code.contains(&format!("\"{method}\"")) || JOINED.contains(&&*method);
                assert!(is_sent, "{method} is nowhere in src/lsp");
                assert!(all.contains(&format!("fn {proof}(")), "{method}: there is no test {proof}");
            }
            "no" => assert!(!proof.is_empty(), "{method}: why not?"),
            "to do" => {}
            other => panic!("{method}: {other:?} is no state"),
        }
    }
}

#[test]
fn lsp_methods_of_the_code_are_in_the_table() {
    let known: BTreeSet<String> = rows().into_iter().map(|(method, ..)| method).collect();
    assert_eq!(known.len(), rows().len(), "each method once");
    let code = below(&["src/lsp/client", "src/lsp/wire"]);
    let client = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lsp/client.rs")).unwrap();
    let groups =
        ["textDocument/", "workspace/", "window/", "client/", "callHierarchy/", "typeHierarchy/", "$/"];
    for text in [code, client] {
        for quoted in text.split('"').skip(1).step_by(2) {
            let is_method =
                groups.iter().any(|group| quoted.starts_with(group) && quoted.len() > group.len());
            let is_prefix = quoted.contains('{') || quoted == "textDocument/semanticTokens";
            assert!(
                !is_method || is_prefix || known.contains(quoted),
                "{quoted} is not in docs/lsp-methods.md"
            );
        }
    }
}
