//! Both ways of looking find the same, in the same order, and say the same of what they left out.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileId, FileStat, LocalEnvironment,
    OutputSink, Stamp,
};

/// An environment that can list and read, and no more.
#[derive(Debug)]
struct Plain(LocalEnvironment);

impl Environment for Plain {
    fn root(&self) -> &Path {
        self.0.root()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.0.resolve(path)
    }

    fn hard_link<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        self.0.hard_link(path)
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        self.0.stat(path)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.0.list(path)
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        self.0.read(path)
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        self.0.write(path, bytes, expected)
    }

    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        self.0.run(command, output, cancel)
    }
}

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            bench.file(name, text);
        }
        bench
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn environments(&self) -> [Box<dyn Environment>; 2] {
        let local = || LocalEnvironment::new(self.root().to_path_buf(), []);
        [Box::new(local()), Box::new(Plain(local()))]
    }

    /// What both ways find, `name:number:text` with `-` for lines around.
    async fn grep(&self, spec: SearchSpec) -> Vec<String> {
        self.search(spec).await.unwrap().0
    }

    async fn search(&self, spec: SearchSpec) -> Result<(Vec<String>, SearchStats), String> {
        let mut all = Vec::new();
        for env in self.environments() {
            let seen: Arc<Mutex<Vec<String>>> = Arc::default();
            let into = Arc::clone(&seen);
            let sink: MatchSink = Box::new(move |file| {
                let mut seen = into.lock();
                seen.push(format!("{} {}", file.name, file.count));
                for line in &file.lines {
                    let sign = if line.matches { ':' } else { '-' };
                    seen.push(format!("{}{sign}{}{sign}{}", file.name, line.number, line.text));
                }
                true
            });
            let done = env.search(spec.clone(), sink, CancellationToken::new()).await;
            let lines = seen.lock().clone();
            all.push(done.map(|done| (lines, done)).map_err(|error| error.to_string()));
        }
        let (plain, local) = (all.pop().unwrap(), all.pop().unwrap());
        assert_eq!(local, plain, "this machine and any place find the same");
        local
    }

    async fn find(&self, root: &str, files: Selection, folders: bool) -> Vec<String> {
        let mut all = Vec::new();
        for env in self.environments() {
            let seen: Arc<Mutex<Vec<String>>> = Arc::default();
            let into = Arc::clone(&seen);
            let sink: PathSink = Box::new(move |found| {
                assert!(found.modified.is_some());
                let slash = if found.folder { "/" } else { "" };
                into.lock().push(found.name + slash);
                true
            });
            let spec = FindSpec { root: self.root().join(root), files: files.clone(), folders };
            env.find(spec, sink, CancellationToken::new()).await.unwrap();
            all.push(seen.lock().clone());
        }
        assert_eq!(all[0], all[1], "this machine and any place find the same");
        all.remove(0)
    }

    fn spec(&self, pattern: &str) -> SearchSpec {
        SearchSpec {
            root: self.root().to_path_buf(),
            pattern: pattern.into(),
            files: Selection { hidden: true, ..Selection::default() },
            ..SearchSpec::default()
        }
    }
}

fn globs(globs: &[&str]) -> Selection {
    Selection { hidden: true, globs: globs.iter().map(ToString::to_string).collect(), ..Selection::default() }
}

#[tokio::test]
async fn grep_lines_have_numbers_and_context() {
    let bench = Bench::new(&[("b.txt", "one\ntwo\nthree\nfour\n"), ("a/x.txt", "two\r\nTwo\n")]);
    let two = SearchSpec { before: 1, after: 1, ..bench.spec("^two$") };
    assert_eq!(
        bench.grep(two).await,
        [
            "a/x.txt 1",
            "a/x.txt:1:two",
            "a/x.txt-2-Two",
            "b.txt 1",
            "b.txt-1-one",
            "b.txt:2:two",
            "b.txt-3-three"
        ]
    );
    let both = SearchSpec { ignore_case: true, ..bench.spec("two") };
    assert_eq!(
        bench.grep(both).await,
        ["a/x.txt 2", "a/x.txt:1:two", "a/x.txt:2:Two", "b.txt 1", "b.txt:2:two"]
    );
    let only = SearchSpec { want: Want::Matches, ..bench.spec("tw|hr|ee") };
    let lines = ["a/x.txt 1", "a/x.txt:1:tw", "b.txt 3", "b.txt:2:tw", "b.txt:3:hr", "b.txt:3:ee"];
    assert_eq!(bench.grep(only).await, lines);
    let counted = SearchSpec { want: Want::Counts, ..bench.spec("o") };
    assert_eq!(bench.grep(counted).await, ["a/x.txt 2", "b.txt 3"]);
    let files = SearchSpec { want: Want::Files, ..bench.spec("o") };
    assert_eq!(bench.grep(files).await, ["a/x.txt 1", "b.txt 1"]);
    let one = SearchSpec { max_per_file: Some(1), ..bench.spec("o") };
    assert_eq!(bench.grep(one).await, ["a/x.txt 1", "a/x.txt:1:two", "b.txt 1", "b.txt:1:one"]);
    let file = SearchSpec { root: bench.root().join("b.txt"), ..bench.spec("four") };
    assert_eq!(bench.grep(file).await, ["b.txt 1", "b.txt:4:four"]);
}

#[tokio::test]
async fn grep_searches_unsaved_text_instead_of_file() {
    let bench = Bench::new(&[("a/b.txt", "old\n"), ("c.txt", "old\n"), ("bin", "\0")]);
    let real = bench.root().canonicalize().unwrap();
    std::os::unix::fs::symlink("a/b.txt", bench.root().join("link")).unwrap();
    let text = |text: &str| Arc::from(text.as_bytes());
    let unsaved = vec![
        (real.join("a/b.txt"), text("new\nold new\n")),
        (real.join("bin"), text("now a new text\n")),
        (real.join("elsewhere"), text("new\n")),
    ];
    let spec = |pattern| SearchSpec { unsaved: unsaved.clone(), ..bench.spec(pattern) };
    let found = ["a/b.txt 2", "a/b.txt:1:new", "a/b.txt:2:old new", "bin 1", "bin:1:now a new text"];
    let linked = ["link 2", "link:1:new", "link:2:old new"];
    assert_eq!(bench.grep(spec("new")).await, [&found[..], &linked[..]].concat());
    assert_eq!(
        bench.grep(spec("^old$")).await,
        ["c.txt 1", "c.txt:1:old"],
        "what the file has and the text has not is not found"
    );
    for file in ["a/b.txt", "link"] {
        let named = SearchSpec { root: bench.root().join(file), ..spec("^new") };
        assert_eq!(bench.grep(named).await.len(), 2, "{file}");
    }
}

#[tokio::test]
async fn grep_patterns_are_never_options() {
    let bench = Bench::new(&[("a", "--files -e x\na.b(c\nfoo\nbar\n")]);
    assert_eq!(bench.grep(bench.spec("--files")).await[1], "a:1:--files -e x");
    assert_eq!(bench.grep(bench.spec("-e")).await.len(), 2);
    let literal = SearchSpec { literal: true, ..bench.spec("a.b(c") };
    assert_eq!(bench.grep(literal).await, ["a 1", "a:2:a.b(c"]);
    let error = bench.search(bench.spec("a.b(c")).await.unwrap_err();
    assert!(error.contains("unclosed group"), "{error}");
    assert_eq!(bench.grep(bench.spec(r"foo\nbar")).await, ["a 2", "a:3:foo", "a:4:bar"]);
    let across = SearchSpec { multiline: true, ..bench.spec("foo.*r") };
    assert_eq!(bench.grep(across).await, ["a 2", "a:3:foo", "a:4:bar"]);
    assert_eq!(bench.grep(bench.spec("foo.*r")).await, [""; 0]);
    let bad = SearchSpec { files: globs(&["a{"]), ..bench.spec("x") };
    assert!(bench.search(bad).await.is_err());
    let none = SearchSpec { root: bench.root().join("none"), ..bench.spec("x") };
    assert!(bench.search(none).await.unwrap_err().contains("no such file"));
    let type_unknown = Selection { file_type: Some("klingon".into()), ..globs(&[]) };
    assert!(bench.search(SearchSpec { files: type_unknown, ..bench.spec("x") }).await.is_err());
}

#[tokio::test]
async fn grep_encodings_line_endings_and_binary_files() {
    let bench = Bench::new(&[("cr", "one\rtwo\nthree\n")]);
    let wide: Vec<u8> = "\u{feff}one\ntwo é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bench.file("wide", wide);
    bench.file("bin", b"one two\0two\n");
    bench.file("latin", b"two caf\xe9\n");
    let (lines, done) = bench.search(bench.spec("two")).await.unwrap();
    assert_eq!(
        lines,
        ["cr 1", "cr:1:one\rtwo", "latin 1", "latin:1:two caf\u{fffd}", "wide 1", "wide:2:two é"]
    );
    assert_eq!((done.binary, done.complete), (1, true));
    // What stands before a NUL is found where the file was named, or the NUL is far from its beginning.
    for spec in [bench.spec("two"), bench.spec("e two"), SearchSpec { multiline: true, ..bench.spec("two") }]
    {
        let (lines, done) =
            bench.search(SearchSpec { root: bench.root().join("bin"), ..spec }).await.unwrap();
        assert_eq!((lines, done.binary), (vec!["bin 1".to_string(), "bin:1:one two".to_string()], 1));
    }
    let log = format!("{}two\nend\0two\n", "one\n".repeat(50_000));
    bench.file("logs/log", log);
    let (lines, done) =
        bench.search(SearchSpec { root: bench.root().join("logs"), ..bench.spec("two") }).await.unwrap();
    assert_eq!((lines, done.binary), (vec!["log 1".to_string(), "log:50001:two".to_string()], 1));
    fs::remove_file(bench.root().join("logs/log")).unwrap();
    bench.file("long", format!("two{}\n", "x".repeat(100_000)));
    let lines = bench.grep(SearchSpec { root: bench.root().join("long"), ..bench.spec("two") }).await;
    assert_eq!(lines[1].len(), "long:1:".len() + spec::LINE_MAX);
}

#[tokio::test]
async fn find_respects_ignore_rules_hidden_and_git() {
    let bench = Bench::new(&[
        (".gitignore", "target/\n*.log\n!keep.log\n"),
        ("target/o.rs", ""),
        ("a.log", ""),
        ("keep.log", ""),
        (".github/ci.yml", ""),
        (".git/config", ""),
        ("sub/.ignore", "x.rs\n"),
        ("sub/x.rs", ""),
        ("sub/y.rs", ""),
        ("nested/.git/HEAD", ""),
        ("nested/b.log", ""),
        ("nested/.gitignore", "c.rs\n"),
        ("nested/c.rs", ""),
        (".geminiignore", "y.rs\n"),
    ]);
    let all = bench.find("", globs(&[]), false).await;
    assert_eq!(
        all,
        [
            ".geminiignore",
            ".github/ci.yml",
            ".gitignore",
            "keep.log",
            "nested/.gitignore",
            "nested/b.log",
            "sub/.ignore",
            "sub/y.rs"
        ]
    );
    let shown = bench.find("", Selection::default(), false).await;
    assert_eq!(shown, ["keep.log", "nested/b.log", "sub/y.rs"]);
    let ruled = Selection { rule_files: vec![".geminiignore".into()], ..Selection::default() };
    assert_eq!(bench.find("", ruled, false).await, ["keep.log", "nested/b.log"]);
    let everything = Selection { ignored: true, ..Selection::default() };
    let everything = bench.find("", everything, false).await;
    assert_eq!(
        everything,
        ["a.log", "keep.log", "nested/b.log", "nested/c.rs", "sub/x.rs", "sub/y.rs", "target/o.rs"]
    );
    // A folder that is named is looked into, and a repository's own rules end at its edge.
    assert_eq!(bench.find("target", globs(&[]), false).await, ["o.rs"]);
    assert_eq!(bench.find("nested", Selection::default(), false).await, ["b.log"]);
}

#[tokio::test]
async fn find_respects_gitignore_without_repository() {
    let bench = Bench::new(&[
        (".gitignore", "*.log\n/sub/b\n"),
        ("a.log", ""),
        ("sub/b", ""),
        ("sub/c", ""),
        ("sub/d.log", ""),
    ]);
    assert_eq!(bench.find("", Selection::default(), false).await, ["sub/c"]);
    assert_eq!(bench.find("sub", Selection::default(), false).await, ["c"]);
}

#[tokio::test]
async fn find_globs_are_relative_through_symlinks() {
    let bench =
        Bench::new(&[("src/a.rs", ""), ("src/in/b.rs", ""), ("src/in/c.ts", ""), ("top.rs", ""), ("#x", "")]);
    symlink("src", bench.root().join("link")).unwrap();
    symlink("..", bench.root().join("src/in/up")).unwrap();
    symlink("a.rs", bench.root().join("src/z.rs")).unwrap();
    symlink("gone", bench.root().join("src/broken.rs")).unwrap();
    for root in ["src", "link"] {
        let found = async |list: &[&str]| bench.find(root, globs(list), false).await;
        assert_eq!(found(&["*.rs"]).await, ["a.rs", "in/b.rs", "z.rs"]);
        assert_eq!(found(&["./in/*.rs"]).await, ["in/b.rs"]);
        assert_eq!(found(&["in/*.{rs,ts}"]).await, ["in/b.rs", "in/c.ts"]);
        assert_eq!(found(&["/*.rs"]).await, ["a.rs", "z.rs"]);
        assert_eq!(found(&["!*.rs"]).await, ["in/c.ts"]);
        assert_eq!(found(&["*.rs", "!in/**"]).await, ["a.rs", "z.rs"]);
    }
    assert_eq!(bench.find("", globs(&["in"]), true).await, ["src/in/"]);
    assert_eq!(bench.find("", globs(&["#x"]), false).await, ["#x"]);
    let cased = Selection { ignore_case: true, ..globs(&["TOP.*"]) };
    assert_eq!(bench.find("", cased, false).await, ["top.rs"]);
    let typed = Selection { file_type: Some("ts".into()), ..globs(&[]) };
    assert_eq!(bench.find("", typed, true).await, ["src/in/c.ts"]);
}

#[tokio::test]
async fn grep_shows_odd_file_names_escaped() {
    let bench = Bench::new(&[("new\nline", "here\n"), (" blank ", "here\n")]);
    let odd = bench.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::write(odd, "here\n").unwrap();
    let (lines, done) = bench.search(bench.spec("here")).await.unwrap();
    let odd = [r"$'caf\xe9' 1", r"$'caf\xe9':1:here"];
    assert_eq!(lines, [" blank  1", " blank :1:here", odd[0], odd[1], "new\nline 1", "new\nline:1:here"]);
    assert_eq!(done.unnamed, 0);
}

#[tokio::test]
async fn grep_order_is_by_path_and_can_stop() {
    let names: Vec<String> = (0..200).map(|n| format!("{}/{n:03}.txt", n % 7)).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "hit\nhit\n")).collect();
    let bench = Bench::new(&files);
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    for env in bench.environments() {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let into = Arc::clone(&seen);
        let sink: MatchSink = Box::new(move |file| {
            let mut seen = into.lock();
            seen.push(file.name);
            seen.len() < 120
        });
        let done = env.search(bench.spec("hit"), sink, CancellationToken::new()).await.unwrap();
        assert!(!done.complete);
        assert_eq!(seen.lock().iter().collect::<Vec<_>>(), sorted[..120]);
        let cancel = CancellationToken::new();
        cancel.cancel();
        let done = env.search(bench.spec("hit"), Box::new(|_| panic!("cancelled")), cancel).await.unwrap();
        assert!(!done.complete);
    }
}

#[tokio::test]
async fn grep_denied_paths_are_skipped_and_counted() {
    let text = "hit\n";
    let files = [".env", "a.txt", "sub/.env", "sub/b.txt", "secret/x.txt", "skipped/.env"];
    let bench = Bench::new(&files.map(|name| (name, text)));
    bench.file(".gitignore", "skipped/\n");
    symlink(".env", bench.root().join("open.txt")).unwrap();
    symlink("secret/x.txt", bench.root().join("way-in")).unwrap();
    symlink("sub", bench.root().join("way")).unwrap();
    let root = fs::canonicalize(bench.root()).unwrap();
    let root = root.to_str().unwrap();
    let denied = vec![format!("{root}/**/.env"), format!("{root}/secret/")];
    let selection = |globs: &[&str]| Selection { denied: denied.clone(), ..self::globs(globs) };
    let search = async |at: &str, globs: &[&str]| {
        let spec = SearchSpec { root: bench.root().join(at), files: selection(globs), ..bench.spec("hit") };
        bench.search(spec).await.unwrap()
    };
    let (lines, done) = search("", &[]).await;
    assert_eq!(lines, ["a.txt 1", "a.txt:1:hit", "sub/b.txt 1", "sub/b.txt:1:hit"]);
    // Two of the name, two links that lead to such; what is ignored anyway is not counted.
    assert_eq!(done.denied, Omitted { files: 4, folders: 1 });
    // What is not wanted is not left out; what does not match is.
    assert_eq!(search("", &["a.*"]).await.1.denied.files, 0);
    let spec = SearchSpec { files: selection(&[]), ..bench.spec("nowhere") };
    assert_eq!(bench.search(spec).await.unwrap().1.denied, Omitted { files: 4, folders: 1 });
    // However one gets there.
    for (at, files) in [(".env", 1), ("open.txt", 1), ("way-in", 1), ("secret", 1), ("secret/x.txt", 1)] {
        let (lines, done) = search(at, &[]).await;
        assert_eq!((lines, done.denied), (Vec::new(), Omitted { files, folders: 0 }), "{at}");
    }
    let (lines, done) = search("way", &[]).await;
    assert_eq!((lines.len(), done.denied.files), (2, 1), "{lines:?}");
    assert_eq!(bench.find("", selection(&[]), true).await, [".gitignore", "a.txt", "sub/", "sub/b.txt"]);
    let wrong = Selection { denied: vec!["{".into()], ..self::globs(&[]) };
    assert!(bench.search(SearchSpec { files: wrong, ..bench.spec("hit") }).await.is_err());
}

#[tokio::test]
async fn grep_hard_links_of_denied_files_are_skipped() {
    let files = [".env", "a.txt", "sub/b.txt", "ignored/secret.key", "outside"];
    let bench = Bench::new(&files.map(|name| (name, "hit\n")));
    bench.file(".gitignore", "ignored/\noutside\n");
    let root = fs::canonicalize(bench.root()).unwrap();
    let link = |of: &str, name: &str| fs::hard_link(root.join(of), root.join(name)).unwrap();
    link(".env", "sub/env-too");
    link("ignored/secret.key", "key-too");
    link("outside", "by-its-id");
    link("a.txt", "sub/a-too");
    let shown = root.display();
    let denied = vec![format!("{shown}/**/.env"), format!("{shown}/**/*.key")];
    let outside = crate::exec::disk::files::hard_link(&root.join("outside")).unwrap().unwrap();
    for (globs, found) in
        [(&[][..], &["a.txt", "sub/a-too", "sub/b.txt"][..]), (&["*-too"][..], &["sub/a-too"][..])]
    {
        let files = Selection { denied: denied.clone(), denied_ids: vec![outside], ..self::globs(globs) };
        let (lines, _) = bench.search(SearchSpec { files, ..bench.spec("hit") }).await.unwrap();
        let names: Vec<&str> = lines.iter().filter_map(|line| line.strip_suffix(" 1")).collect();
        assert_eq!(names, found);
    }
}

#[test]
fn search_counts_add_up() {
    let mut sum = SearchStats { files: 1, binary: 2, ..SearchStats::default() };
    let mut denied = Omitted::default();
    denied.note(true);
    denied.note(false);
    sum.add(&SearchStats { files: 1, binary: 1, unreadable: 1, unnamed: 1, denied, complete: true });
    sum.add(&SearchStats { denied, ..SearchStats::default() });
    let denied = Omitted { files: 2, folders: 2 };
    assert_eq!(sum, SearchStats { files: 2, binary: 3, unreadable: 1, unnamed: 1, denied, complete: false });
}
