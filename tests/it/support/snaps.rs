//! Stored pictures of screens, in the top-level folder `snapshots`. `INSTA_UPDATE=no`, which is
//! the default under `CI`, writes nothing; a picture that no test names any more is a failure.

use std::collections::BTreeSet;
use std::path::Path;

/// Compares a text about a screen of this size with its stored picture.
#[track_caller]
pub fn check_screen(name: &str, (cols, rows): (u16, u16), text: &str) {
    assert_stored(&format!("{name}@{cols}x{rows}"), text);
}

/// Compares a text that is no picture of a screen with the stored one.
#[track_caller]
pub fn check_text(name: &str, text: &str) {
    assert_stored(&format!("text_{name}"), text);
}

/// The same for a text whose change asks for more than a look: `advice` is told with the difference.
#[track_caller]
pub fn check_text_with_advice(name: &str, advice: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_description(advice);
    settings.bind(|| check_text(name, text));
}

#[track_caller]
fn assert_stored(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The names of the stored pictures that no source names: `area_case@COLSxROWS` is named by
/// `"area_case"` and a size by its two numbers; `text_name` by `"name"`.
fn unused_snapshots(stored: &BTreeSet<String>, sources: &[String]) -> Vec<String> {
    let named = |name: &str| {
        if let Some(name) = name.strip_prefix("text_") {
            return sources.iter().any(|source| source.contains(&format!("\"{name}\"")));
        }
        let Some((stem, size)) = name.split_once('@') else { return false };
        let Some((cols, rows)) = size.split_once('x') else { return false };
        let (stem, size) = (format!("\"{stem}\""), format!("{cols}, {rows}"));
        // A desk is 80 by 24 unless told.
        sources.iter().any(|source| source.contains(&stem) && (source.contains(&size) || size == "80, 24"))
    };
    stored.iter().filter(|name| !named(name)).cloned().collect()
}

#[test]
fn snapshots_are_all_named_by_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names =
        |folder: &str| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let sources: Vec<String> = names("tests/it")
        .filter(|path| path.extension().is_some_and(|ext| ext == "rs"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let mut stored = BTreeSet::new();
    for path in names("snapshots") {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let name = file.strip_suffix(".snap");
        assert!(name.is_some(), "{file} is no stored picture; `cargo insta review` takes or drops new ones");
        stored.extend(name.map(String::from));
    }
    assert_eq!(unused_snapshots(&stored, &sources), Vec::<String>::new(), "no test names these pictures");
}

#[test]
fn snapshots_check_finds_unused_files() {
    let sources = ["desk.snap(\"a_b\"); sizes [(40, 12)]".to_string()];
    let stored: BTreeSet<String> =
        ["a_b@80x24", "a_b@40x12", "a_b@41x12", "a@80x24", "a_b", "text_a_b", "text_a"]
            .map(String::from)
            .into();
    assert_eq!(unused_snapshots(&stored, &sources), ["a@80x24", "a_b", "a_b@41x12", "text_a"]);
}
