//! Built-in tools, in sets: each has the tools that a model family was trained with.
//!
//! A tool is a row (`shape`) in the table of its family (`families`): the definition for models, and an
//! action with the family's options. The actions are in `actions`, one file for each intent, shared by all
//! families. `schema` builds argument schemas, `set` is the type of a table.
//!
//! Must not know the caller.

pub mod actions;
pub mod builtin_tool;
pub mod families;
pub mod schema;
pub mod tool_set;

pub use tool_set::ToolSet;

/// All sets. The first is the default for other models.
pub static SETS: &[&ToolSet] =
    &[&families::pi::SET, &families::openai::SET, &families::anthropic::SET, &families::gemini::SET];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// The files of a folder, less its `mod.rs`.
    fn files(folder: &Path) -> Vec<PathBuf> {
        let files = std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path());
        files.filter(|path| path.is_file() && !path.ends_with("mod.rs")).collect()
    }

    fn stem(path: &Path) -> String {
        path.file_stem().unwrap().to_string_lossy().into_owned()
    }

    #[test]
    fn builtin_tool_files_and_rows_agree() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools/builtin");
        let families = files(&folder.join("families"));
        let mut names: BTreeSet<String> = families.iter().map(|path| stem(path)).collect();
        assert!(names.remove("agents") && names.remove("language_servers"), "the rows that families share");
        assert_eq!(names, SETS.iter().map(|set| set.id.to_string()).collect(), "a table is in the list");
        for set in SETS {
            let once: BTreeSet<&str> = set.tools.iter().map(|shape| shape.name).collect();
            assert_eq!(set.tools.len(), once.len(), "{}: one name, one tool", set.id);
        }
        let tables: String = families.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        for room in ["", "files", "search", "commands"] {
            for action in files(&folder.join("actions").join(room)) {
                let used = format!("::{}::", stem(&action));
                assert!(tables.contains(&used), "{}: no row has this action", action.display());
            }
        }
    }

    #[test]
    fn builtin_tool_rows_are_complete() {
        for shape in SETS.iter().flat_map(|set| set.tools) {
            assert!(!shape.description.is_empty() && !shape.snippet.is_empty(), "{}", shape.name);
            let parameters = (shape.parameters)();
            let fields = parameters["properties"].as_object().unwrap();
            for (sent, called) in shape.arg_aliases {
                assert!(fields.contains_key(*called), "{}: {sent} is renamed to no argument", shape.name);
                assert!(!fields.contains_key(*sent), "{}: {sent} is an argument", shape.name);
            }
        }
    }

    #[test]
    fn builtin_tool_descriptions_name_real_limits() {
        use crate::tools::output::limits::{BYTES_MAX, LINES_MAX};
        let words = format!("{LINES_MAX} lines or {} KB", BYTES_MAX / 1024);
        for name in ["read", "bash"] {
            assert!(families::pi::SET.get(name).unwrap().description.contains(&words), "{name}");
        }
    }

    #[test]
    fn call_view_reads_renamed_arguments() {
        use crate::tools::Tool;
        let args = crate::base::json::json!({"path": "src/a.rs", "contents": "x"});
        let view = families::anthropic::SET.get("Write").unwrap().call_view(&args);
        assert_eq!((view.title.as_str(), view.body.as_deref()), ("src/a.rs", Some("x")));
    }
}
