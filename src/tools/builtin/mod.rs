//! The built-in tools, one file and one row each.
//!
//! Must not know who calls them. The order of the rows is the order in which models see them.

pub mod apply_patch;
pub mod bash;
pub mod edit;
pub mod ls;
pub mod read;
pub mod write;

use std::sync::Arc;

use super::tool::Tool;

/// Makes one tool.
pub type Make = fn() -> Arc<dyn Tool>;

/// Every built-in tool.
pub static TOOLS: &[Make] = &[
    || Arc::new(read::Read),
    || Arc::new(bash::Bash),
    || Arc::new(edit::Edit),
    || Arc::new(write::Write),
    || Arc::new(ls::Ls),
    || Arc::new(apply_patch::ApplyPatch),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_rows_agree() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools/builtin");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|item| item.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|name| name != "mod")
            .collect();
        let mut rows: Vec<String> = TOOLS.iter().map(|make| make().spec().name).collect();
        files.sort();
        rows.sort();
        assert_eq!(files, rows);
    }
}
