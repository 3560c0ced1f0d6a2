//! Indexes that are not to be believed, and those that are not to be written.

use super::*;
use crate::session::format::entry::{Entry, LineSource};
use crate::session::store::SessionFile;

const LINE: &str = r#"{"type":"custom","id":"ID","parentId":null,"timestamp":"t"}"#;

/// A file with some lines, and its tree.
fn session(folder: &Path) -> (PathBuf, File, u64, Tree) {
    let path = folder.join("s.jsonl");
    let mut tree = Tree::default();
    let mut text = String::new();
    for n in 0..100 {
        let line = LINE.replace("ID", &n.to_string());
        tree.push(Entry::parse(&line).unwrap()).unwrap();
        text += &(line + "\n");
    }
    fs::write(&path, &text).unwrap();
    (path.clone(), File::open(&path).unwrap(), text.len() as u64, tree)
}

fn keep(path: &Path, file: &File, covers: u64, tree: &Tree, problems: &[Problem]) -> io::Result<()> {
    write(path, file, (covers, 100), tree, &UsageTotals::default(), None, problems)
}

fn is_read(path: &Path, file: &File) -> bool {
    Index::read(path, file, |_| Box::new(|| None)).is_some()
}

#[test]
fn session_index_ending_inside_line_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file, end, tree) = session(folder.path());
    keep(&path, &file, end, &tree, &[]).unwrap();
    assert!(is_read(&path, &file));
    keep(&path, &file, end - 10, &tree, &[]).unwrap();
    assert!(!is_read(&path, &file));
}

#[test]
fn session_index_too_large_head_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file, end, tree) = session(folder.path());
    let problem = Problem { line: 1, message: "x".repeat(HEAD_MAX) };
    keep(&path, &file, end, &tree, &[problem]).unwrap();
    assert!(!index_path(&path).exists());
}

#[test]
fn session_index_broken_page_blocks_rewrite() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file, end, tree) = session(folder.path());
    keep(&path, &file, end, &tree, &[]).unwrap();
    let mut bytes = fs::read(index_path(&path)).unwrap();
    // Of two pages the one with the rows.
    let row = bytes.len() - 2 * (PAGE + 4) + 50;
    bytes[row] ^= 1;
    // A page of another length is none of its pages either.
    for rescued in [None, Some(vec![Arc::<[u8]>::from([0; PAGE])])] {
        fs::write(index_path(&path), &bytes).unwrap();
        let rescue = move |_| -> Rebuild { Box::new(move || rescued.clone()) };
        let (_, base, remembered) = Index::read(&path, &file, rescue).unwrap();
        let lines = SessionFile(Arc::new(File::open(&path).unwrap())).lines();
        let broken = Tree::from_index(base, remembered, lines);
        assert!(keep(&path, &file, end, &broken, &[]).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the session");
    }
}

#[test]
fn session_file_line_beyond_end_is_error() {
    let folder = tempfile::tempdir().unwrap();
    let (path, ..) = session(folder.path());
    let file = SessionFile(Arc::new(File::open(&path).unwrap()));
    let refused = file.read(0, u32::MAX).unwrap_err();
    assert_eq!(refused.to_string(), "the file is shorter than its line");
    assert_eq!(file.read(0, 7).unwrap(), LINE[..7]);
}
