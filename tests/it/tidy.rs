//! House rules as a test: module docs, lengths, names, leftover notes. Adding a rule costs
//! minutes, and no check lives only in CI.

use crate::source;

const FILE_LINES_MAX: usize = 900;
const FUNCTION_LINES_MAX: usize = 60;
const FORBIDDEN_NAMES: &[&str] = &["utils", "util", "helpers", "common", "misc", "types"];
/// Spelled in two parts, so that this file does not find itself.
const FORBIDDEN_NOTES: &[(&str, &str)] =
    &[("TO", "DO"), ("FIX", "ME"), ("XX", "X:"), ("HA", "CK"), ("for ", "now"), ("stub", " ")];

fn all_files() -> Vec<(String, String)> {
    let mut paths = source::files("src");
    paths.extend(source::files("tests"));
    paths.extend(source::files("benches"));
    let read = |path: std::path::PathBuf| {
        let name = path.strip_prefix(source::root()).unwrap().display().to_string();
        (name, std::fs::read_to_string(path).unwrap())
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn source_files_start_with_module_doc() {
    for (path, text) in all_files() {
        assert!(text.starts_with("//! "), "{path} does not open with a module doc");
    }
}

#[test]
fn source_files_and_functions_are_short() {
    let mut long = Vec::new();
    for (path, text) in all_files() {
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            long.push(format!("{path}: {lines} lines, at most {FILE_LINES_MAX}"));
        }
        for (name, line, length) in source::functions(&source::blank(&text)) {
            if length > FUNCTION_LINES_MAX {
                let most = FUNCTION_LINES_MAX;
                long.push(format!("{path}:{line}: fn {name} has {length} lines, at most {most}"));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn source_file_names_are_meaningful() {
    for (path, _) in all_files() {
        let stem = path.rsplit('/').next().unwrap().trim_end_matches(".rs").to_string();
        assert!(!FORBIDDEN_NAMES.contains(&stem.as_str()), "{path}: a name that says nothing");
    }
}

#[test]
fn source_has_no_leftover_notes() {
    for (path, text) in all_files() {
        for (a, b) in FORBIDDEN_NOTES {
            let note = format!("{a}{b}");
            let found = text.lines().position(|line| line.contains(&note));
            assert!(found.is_none(), "{path}:{}: `{note}`", found.unwrap_or(0) + 1);
        }
    }
}

#[test]
fn mod_files_contain_no_functions() {
    for file in source::sources().iter().filter(|s| s.is_mod_file()) {
        let functions = source::functions(&file.code);
        assert!(functions.is_empty(), "{}: fn {} belongs into a file of its own", file.path, functions[0].0);
    }
}

#[test]
fn expect_messages_state_invariant() {
    for file in source::sources().iter().filter(|s| !s.is_test) {
        for (at, _) in file.code.match_indices(".expect(") {
            let line = source::line_at(&file.code, at);
            let text = file.raw.lines().skip(line - 1).take(2).collect::<Vec<_>>().join(" ");
            let words = text.split('"').nth(1).map_or(0, |message| message.split_whitespace().count());
            // Several `expect`s of one reason may share a variable of that name.
            assert!(
                words >= 3 || text.contains(".expect(invariant)"),
                "{}:{line}: `expect` must state the invariant",
                file.path
            );
        }
    }
}

#[test]
fn test_files_are_all_in_main_rs() {
    let main = std::fs::read_to_string(source::root().join("tests/it/main.rs")).unwrap();
    for entry in std::fs::read_dir(source::root().join("tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(
            module == "main" || main.contains(&format!("mod {module};")),
            "tests/it/{name} is not in main.rs"
        );
    }
}

#[test]
fn property_tests_use_seed_helper() {
    for (path, text) in all_files().iter().filter(|(path, _)| !path.ends_with("support/seeds.rs")) {
        let config = concat!("Proptest", "Config");
        assert!(!text.contains(config), "{path}: `seeds::cases` makes the configuration of a property");
        for (at, block) in text.match_indices(concat!("proptest", "! {")) {
            let head: Vec<_> = text[at + block.len()..].lines().map(str::trim).take(4).collect();
            let seeded = head
                .iter()
                .any(|line| line.contains("proptest_config(crate::") && line.contains("seeds::cases("));
            assert!(seeded, "{path}:{}: a property without `seeds::cases`", source::line_at(text, at));
        }
    }
}
