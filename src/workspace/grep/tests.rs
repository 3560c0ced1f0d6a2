//! Tests of searches of a workspace.

use std::collections::BTreeMap;

use super::*;

/// Open texts by path; bytes are UTF-8 or no text.
#[derive(Default)]
struct Open {
    root: PathBuf,
    texts: BTreeMap<&'static str, &'static str>,
    new: Vec<&'static str>,
}

impl FileTexts for Open {
    fn unsaved_text(&self, file: &Path) -> Option<String> {
        let name = file.strip_prefix(&self.root).unwrap().to_str().unwrap();
        self.texts.get(name).map(ToString::to_string)
    }

    fn unsaved_files(&self) -> Vec<PathBuf> {
        self.new.iter().map(|name| self.root.join(name)).collect()
    }

    fn decode(&self, bytes: Vec<u8>) -> Option<String> {
        String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
    }
}

fn place(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// `name:first-last:old` or `old => new` of everything that is found, and how it ended.
fn run(root: &Path, pattern: &Pattern, most: usize, open: Open) -> (Vec<String>, GrepSummary) {
    let open = Open { root: root.to_path_buf(), ..open };
    let mut rows = Vec::new();
    let done = grep(root, pattern, most, &CancellationToken::new(), &open, |file| {
        for Hit { first, last, old, new, .. } in file.hits {
            let new = new.map(|new| format!(" => {new:?}")).unwrap_or_default();
            rows.push(format!("{}:{first}-{last}:{old:?}{new}", file.name));
        }
    });
    (rows, done)
}

/// The rows of one file with that text.
fn rows(pattern: &Pattern, text: &str) -> Vec<String> {
    let root = place(&[("f", text)]);
    run(root.path(), pattern, 1000, Open::default()).0
}

fn pattern(text: &str) -> Pattern {
    Pattern::new(text).unwrap()
}

#[test]
fn grep_searches_in_order_with_ignore_rules() {
    let root = place(&[
        ("b.rs", "one\ntwo one\n"),
        ("a/x.rs", "no\none"),
        ("a/skip.log", "one"),
        (".hidden", "one"),
        (".git/config", "one"),
        ("bin", "one\0"),
        (".gitignore", "*.log\n"),
    ]);
    let (rows, done) = run(root.path(), &pattern("one"), 100, Open::default());
    assert_eq!(
        rows,
        [r#".hidden:1-1:"one""#, r#"a/x.rs:2-2:"one""#, r#"b.rs:1-1:"one""#, r#"b.rs:2-2:"two one""#]
    );
    assert_eq!(done, GrepSummary { files: 3, matches: 4, binary: 1, ..GrepSummary::default() });
}

#[test]
fn grep_open_buffers_override_disk() {
    let root = place(&[("a", "old\n"), ("b", "new\n")]);
    let open = Open {
        texts: BTreeMap::from([("a", "é new\n"), ("b", "gone"), ("c/d", "new too")]),
        new: vec!["a", "c/d"],
        ..Open::default()
    };
    let (rows, _) = run(root.path(), &pattern("new"), 100, open);
    assert_eq!(rows, [r#"a:1-1:"é new""#, r#"c/d:1-1:"new too""#]);
}

#[test]
fn grep_stops_at_maximum_and_reports_cut() {
    let root = place(&[("a", "x x\nx\n"), ("b", "x\n")]);
    let (rows, done) = run(root.path(), &pattern("x"), 3, Open::default());
    assert_eq!((rows.len(), done.matches, done.truncated), (2, 3, true));
    let (_, done) = run(root.path(), &pattern("x"), 4, Open::default());
    assert_eq!((done.matches, done.truncated), (4, false), "exactly as many as there are");
}

#[test]
fn grep_many_files_are_ordered_and_cut_consistently() {
    let files: Vec<(String, String)> = (0..300)
        .map(|n| (format!("{:02}/{:03}", n % 7, n), format!("x {n}\nno\nx x\n{}", "-\n".repeat(n % 5 * 500))))
        .collect();
    let root = place(&files.iter().map(|(name, text)| (&**name, &**text)).collect::<Vec<_>>());
    let mut names: Vec<&String> = files.iter().map(|(name, _)| name).collect();
    names.sort();
    let all: Vec<String> =
        names.iter().flat_map(|name| [format!("{name}:1-1"), format!("{name}:3-3")]).collect();
    for most in [1, 2, 100, 899, 900, 901] {
        let (rows, done) = run(root.path(), &pattern("x"), most, Open::default());
        let places: Vec<_> = rows.iter().map(|row| row.rsplit_once(':').unwrap().0).collect();
        assert_eq!(places, all[..rows.len()]);
        assert_eq!(rows.len(), most.min(900) / 3 * 2 + (most.min(900) % 3), "{most} matches");
        assert_eq!((done.matches, done.truncated), (most.min(900), most < 900));
    }
}

#[test]
fn grep_abort_ends_search() {
    let root = place(&[("a", "x"), ("b", "x")]);
    let cancel = CancellationToken::new();
    let open = Open { root: root.path().to_path_buf(), ..Open::default() };
    let mut files = 0;
    let done = grep(root.path(), &pattern("x"), 9, &cancel, &open, |_| {
        files += 1;
        cancel.cancel();
    });
    assert_eq!((files, done.cancelled), (1, true));
}

#[test]
fn grep_multiline_matches_become_lines() {
    assert_eq!(rows(&pattern("a"), "aa a\r\nb\r\na"), [r#"f:1-1:"aa a""#, r#"f:3-3:"a""#]);
    assert_eq!(
        rows(&pattern(r"b\nc"), "a\nb\nc\nb\nc"),
        [r#"f:2-2:"b""#, r#"f:3-3:"c""#, r#"f:4-4:"b""#, r#"f:5-5:"c""#]
    );
    assert_eq!(rows(&pattern("(?s)é.*c"), "é\nb\nc"), [r#"f:1-1:"é""#, r#"f:2-2:"b""#, r#"f:3-3:"c""#]);
    assert_eq!(rows(&pattern("(?mR)x$"), "x\r\nxy\nx"), [r#"f:1-1:"x""#, r#"f:3-3:"x""#]);
    assert_eq!(rows(&pattern("(?m)^"), "a\nb\n"), [r#"f:1-1:"a""#, r#"f:2-2:"b""#]);
    assert_eq!(rows(&pattern(r"a\s*b"), "a\nb"), [""; 0], "only what names line ends crosses them");
}

#[test]
fn grep_replacement_fills_groups_and_joins_lines() {
    let swap = pattern(r"(?P<l>\w+)=(\w+)").with_replacement("$2=${l}", true);
    assert_eq!(
        rows(&swap, "é=b c=d\r\n-\r\nx=y"),
        [r#"f:1-1:"é=b c=d" => "b=é d=c""#, r#"f:3-3:"x=y" => "y=x""#]
    );
    assert_eq!(rows(&pattern("a").with_replacement("$1", false), "a"), [r#"f:1-1:"a" => "$1""#]);
    let join = pattern(r",\n").with_replacement(", ", true);
    assert_eq!(rows(&join, "a,\nb,\nc\nd"), [r#"f:1-3:"a,\nb,\nc" => "a, b, c""#]);
    assert_eq!(rows(&pattern(r"b\n").with_replacement("", true), "a\nb\n"), [r#"f:2-2:"b" => """#]);
    let over = pattern(r"x\r?\ny").with_replacement("z", true);
    assert_eq!(
        rows(&over, "x\r\ny\r\n1 x\r\ny 2\r\n"),
        [r#"f:1-2:"x\ny" => "z""#, r#"f:3-4:"1 x\ny 2" => "1 z 2""#]
    );
    assert_eq!(
        rows(&pattern("(?m)$").with_replacement(";", true), "a\nb"),
        [r#"f:1-1:"a" => "a;""#, r#"f:2-2:"b" => "b;""#]
    );
    assert_eq!(rows(&pattern("(?m)b|$").with_replacement("-", true), "ab"), [r#"f:1-1:"ab" => "a-""#]);
}

#[test]
fn grep_replacement_treats_crlf_as_line_end() {
    let rows = |wanted: &str, new: &str, text: &str| rows(&pattern(wanted).with_replacement(new, true), text);
    assert_eq!(rows(r"\n", " ", "a\r\né\r\nb"), [r#"f:1-3:"a\né\nb" => "a é b""#]);
    assert_eq!(rows(r"(a)\r", "$1\r", "a\r\n"), [r#"f:1-1:"a" => "a""#]);
    // One that ends no line is text.
    assert_eq!(rows("a", "c", "a\r\r\nb"), [r#"f:1-1:"a\r" => "c\r""#]);
}

#[test]
fn grep_match_starts_inside_its_line() {
    let root = place(&[("f", "é\r\n漢\r\n")]);
    let open = Open { root: root.path().to_path_buf(), ..Open::default() };
    for pattern in [pattern(r"\n"), pattern(r"\n").with_replacement("", true)] {
        grep(root.path(), &pattern, 9, &CancellationToken::new(), &open, |file| {
            assert!(file.hits.iter().all(|hit| hit.old.is_char_boundary(hit.at)), "{:?}", file.hits);
            assert_eq!(file.hits[0].at, 2);
        });
    }
}

#[test]
fn grep_invalid_regex_is_error() {
    assert!(Pattern::new("(").is_err());
    assert!(pattern(r"a\nb").replacement.is_none());
}
