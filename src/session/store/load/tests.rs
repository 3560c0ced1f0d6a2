//! Files that grow while they are read, and tails that are cut off.

use super::*;

fn line(n: usize, size: usize) -> String {
    let parent = if n == 0 { "null".to_string() } else { format!("\"{:08x}\"", n - 1) };
    format!(
        r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"t","message":{{"role":"user","content":"{}","timestamp":1}}}}"#,
        "w".repeat(size)
    ) + "\n"
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Reads a file as it was with these bytes, to which others were added when that was asked.
fn read_while_written(path: &Path, first: &str, then: &str) -> Loaded {
    let header = Header::new("s".into(), 0, "/w".into()).line + "\n";
    fs::write(path, header.clone() + first).unwrap();
    let file = SessionFile(Arc::new(File::open(path).unwrap()));
    let mut scan = Scan::new(
        path,
        OpenMode::ReadOnly,
        &file,
        Store { path: path.to_path_buf(), file: None, ends_torn: false },
    );
    assert!(scan.take_header(header.as_bytes()).unwrap());
    let end = file.0.metadata().unwrap().len();
    append(path, then);
    scan.read(&file, end).unwrap();
    scan.write_index(&file.0, end);
    scan.loaded
}

#[test]
fn session_load_ends_at_line_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let lines: Vec<String> = (0..6).map(|n| line(n, 100)).collect();
    let (whole, half) = (lines[..2].concat(), &lines[2][..50]);
    let rest = lines[2][50..].to_string() + &lines[3..].concat();
    for (then, first) in [
        (rest, whole.clone() + half),
        // Only the line feed is missing.
        ("\n".to_string() + &lines[3..].concat(), whole + lines[2].trim_end()),
    ] {
        let torn = read_while_written(&path, &first, &then);
        let text = fs::read_to_string(&path).unwrap();
        for entry in torn.tree.entries() {
            let (from, length) = entry.span().unwrap();
            let there = &text[from as usize..from as usize + length as usize];
            assert!(there.contains(&format!("\"id\":\"{}\"", entry.id())) && there.ends_with('}'), "{there}");
        }
        let problems = torn.problems.len();
        assert_eq!(torn.tree.len() + problems, 3, "what was there, and nothing of what came later");
        let again = load(&path, OpenMode::ReadOnly).unwrap();
        assert_eq!((again.tree.len(), again.problems.len()), (6, 0));
        let _gone = fs::remove_file(index::index_path(&path));
    }
}

#[test]
fn session_load_remembers_only_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let header = Header::new("s".into(), 0, "/w".into()).line + "\n";
    fs::write(&path, header + &line(0, 9)).unwrap();
    let file = SessionFile(Arc::new(File::open(&path).unwrap()));
    let store = Store { path: path.clone(), file: None, ends_torn: false };
    let mut scan = Scan::new(&path, OpenMode::ReadOnly, &file, store);
    scan.run(&file, None).unwrap();
    scan.write_index(&file.0, scan.at + 7);
    assert!(!index::index_path(&path).exists());
    scan.write_index(&file.0, scan.at);
    assert!(index::index_path(&path).exists());
}

#[test]
fn session_load_file_changed_during_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, line(0, 9)).unwrap();
    let file = SessionFile(Arc::new(File::open(&path).unwrap()));
    let store = Store { path: path.clone(), file: None, ends_torn: false };
    let mut scan = Scan::new(&path, OpenMode::ReadOnly, &file, store);
    let mut piece = Chunk::default();
    for (from, refused) in [(0, false), (2, false), (5, true)] {
        piece.from = from;
        piece.lines.push(Line { lines: 1, bytes: 2, length: 1, kind: LineKind::Nothing });
        assert_eq!(scan.take_chunk(&mut piece).is_err(), refused, "{from}");
    }
    assert_eq!((scan.at, scan.number), (4, 2));
}

#[test]
fn session_load_keeps_concurrent_appends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, "whole\ntorn").unwrap();
    let refused = cut_tail(&path, 4, 6, |aside| {
        append(&path, " no more\nand another\n");
        save_torn(aside, b"torn")
    });
    assert!(refused.is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "whole\ntorn no more\nand another\n");
    fs::write(&path, "whole\ntorn").unwrap();
    let aside = cut_tail(&path, 4, 6, |aside| save_torn(aside, b"torn")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "whole\n");
    assert_eq!(fs::read_to_string(aside).unwrap(), "torn\ntorn\n");
}
