//! `docs/llm-matrix.md` names the test of each requirement of the LLM layer, `docs/agent-loop.md` that of each
//! requirement of the agent loop. The named tests exist, and no cell is empty.

use std::collections::BTreeMap;

use crate::source::root;

/// The columns of the heading, and each row's cells.
type Table = (Vec<String>, Vec<Vec<String>>);

fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let Some(row) = line.strip_prefix('|').and_then(|rest| rest.trim_end().strip_suffix('|')) else {
            inside = false;
            continue;
        };
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_string()).collect();
        match tables.last_mut().filter(|_| inside) {
            None => tables.push((cells, Vec::new())),
            Some(_) if cells.iter().all(|cell| cell.chars().all(|c| c == '-')) => {}
            Some((_, rows)) => rows.push(cells),
        }
        inside = true;
    }
    tables
}

/// The tests that a cell names: `file::test`, the file under `tests/` or `src/`, without its ending.
fn named_tests(cell: &str) -> impl Iterator<Item = (&str, &str)> {
    cell.split('`').skip(1).step_by(2).filter_map(|code| code.rsplit_once("::"))
}

/// The names of the tests of a file; nothing where there is no such file.
fn tests_of(file: &str) -> Vec<String> {
    let under = if file.starts_with("it/") { "tests" } else { "src" };
    let Ok(text) = std::fs::read_to_string(root().join(format!("{under}/{file}.rs"))) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    let is_mark = |line: &&str| line.trim() == "#[test]" || line.trim().starts_with("#[tokio::test");
    let after =
        |at: usize| lines[at..].iter().take(4).find_map(|line| line.split_once("fn ")?.1.split_once('('));
    let marks = lines.iter().enumerate().filter(|(_, line)| is_mark(line));
    marks.filter_map(|(at, _)| Some(after(at)?.0.to_string())).collect()
}

#[test]
fn docs_matrix_cells_name_existing_tests() {
    check("docs/llm-matrix.md", 8, 100);
    check("docs/agent-loop.md", 12, 80);
}

/// So many tables, and more than so many proofs.
fn check(document: &str, count: usize, least: usize) {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let tables = tables(&text);
    assert_eq!(tables.len(), count, "{document}");
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut faults = Vec::new();
    for (heading, rows) in &tables {
        assert!(!rows.is_empty(), "{heading:?}");
        for row in rows {
            if row.len() != heading.len() {
                faults.push(format!("{} cells instead of {}: {}", row.len(), heading.len(), row[0]));
            }
            for cell in &row[1..] {
                if cell.len() < 3 {
                    faults.push(format!("an empty cell: {}", row[0]));
                }
                for (file, test) in named_tests(cell) {
                    let tests = files.entry(file.to_string()).or_insert_with(|| tests_of(file));
                    if !tests.iter().any(|known| known == test) {
                        faults.push(format!("{}: there is no {file}::{test}", row[0]));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    let proofs =
        tables.iter().flat_map(|(_, rows)| rows).flatten().flat_map(|cell| named_tests(cell)).count();
    assert!(proofs > least, "{document}: only {proofs} proofs");
}

#[test]
fn docs_matrix_parser_finds_only_tests() {
    assert!(tests_of("it/matrix").contains(&"docs_matrix_parser_finds_only_tests".to_string()));
    assert!(!tests_of("it/matrix").contains(&"tests_of".to_string()));
    assert!(tests_of("it/nothing").is_empty());
    let cells: Vec<_> = named_tests("`it/a::b`, `llm/c/d::e` and `word`").collect();
    assert_eq!(cells, [("it/a", "b"), ("llm/c/d", "e")]);
    let read = tables("# x\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| c |\n|---|\n| 3 |\n");
    assert_eq!(
        (read.len(), &read[0].1[0][..], &read[1].0[..]),
        (2, &["1".into(), "2".into()][..], &["c".into()][..])
    );
}
