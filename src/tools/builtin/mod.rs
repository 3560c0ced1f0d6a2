//! The built-in tools, in sets: each is what models of one family were trained with. One folder and
//! one row for each set, one file and one row in the set's table for each tool.
//!
//! Must not know who calls them. The order of a set's rows is the order in which models see them.

pub mod anthropic;
pub mod common;
pub mod gemini;
pub mod openai;
pub mod pi;
pub mod set;

pub use set::Set;

/// Every set, in folders of their names; what is the same for all stands in `common`. The first is everybody's who has none.
pub static SETS: &[&Set] = &[&pi::SET, &openai::SET, &anthropic::SET, &gemini::SET];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The names of what stands in a folder: files, or folders.
    fn names(folder: &Path, files: bool) -> BTreeSet<String> {
        std::fs::read_dir(folder)
            .unwrap()
            .map(|item| item.unwrap().path())
            .filter(|path| path.is_file() == files)
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|name| name != "mod")
            .collect()
    }

    #[test]
    fn files_and_rows_agree() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools/builtin");
        let sets: BTreeSet<String> = SETS.iter().map(|set| set.id.to_string()).collect();
        let common = names(&folder.join("common"), true);
        let mut folders = names(&folder, false);
        assert!(folders.remove("common"));
        assert_eq!(folders, sets);
        let mut used = BTreeSet::new();
        for set in SETS {
            let rows: Vec<String> = set.tools.iter().map(|make| file_of(&make().spec().name)).collect();
            let once: BTreeSet<String> = rows.iter().cloned().collect();
            assert_eq!(rows.len(), once.len(), "{}: one name, one tool", set.id);
            let own = names(&folder.join(set.id), true);
            assert!(own.is_subset(&once), "{}: a file without a row", set.id);
            let others: BTreeSet<String> = once.difference(&own).cloned().collect();
            assert!(others.is_subset(&common), "{}: a row without a file", set.id);
            used.extend(others);
        }
        assert_eq!(used, common);
    }

    /// `NotebookEdit` stands in `notebook_edit.rs`.
    fn file_of(name: &str) -> String {
        let mut file = String::new();
        for c in name.chars() {
            if c.is_ascii_uppercase() && !file.is_empty() {
                file.push('_');
            }
            file.push(c.to_ascii_lowercase());
        }
        file
    }
}
