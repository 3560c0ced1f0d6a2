//! What every place must do, whoever made it: one suite, in parts for places that allow only some of it.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::exec::{
    CommandSpec, EnvError, Environment, Exit, FileKind, FindSpec, SearchSpec, Selection, Stamp, Want,
};
use tokio_util::sync::CancellationToken;

/// What a place is tried on; the folder must be its root.
pub fn create_files(root: &Path) {
    for (name, text) in [
        ("a.txt", "one\ntwo\nthree\n"),
        ("src/b.rs", "fn two() {}\n"),
        ("src/.hidden", "two\n"),
        (".gitignore", "skipped/\n*.log\n"),
        ("skipped/x.txt", "two\n"),
        ("y.log", "two\n"),
    ] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), text).unwrap();
    }
    fs::write(root.join("bytes"), [0u8, 159, 146, 150, 0]).unwrap();
    std::os::unix::fs::symlink("a.txt", root.join("link")).unwrap();
    std::os::unix::fs::symlink("src", root.join("folder-link")).unwrap();
}

/// Looking: facts, folders, files, searches.
pub async fn check_reads(place: &dyn Environment) {
    let root = place.root().to_path_buf();
    let at = |name: &str| root.join(name);
    assert!(["linux", "darwin", "windows", "wasm"].contains(&place.platform()), "{}", place.platform());
    assert!(!place.os_version().contains('\n'));
    assert_eq!(place.working_folder(), root);

    let facts = place.stat(&at("a.txt")).await.unwrap();
    assert_eq!((facts.kind, facts.size), (FileKind::File, 14));
    assert_eq!(place.stat(&at("link")).await.unwrap().kind, FileKind::File, "links are followed");
    assert_eq!(place.stat(&at("folder-link")).await.unwrap().kind, FileKind::Folder);
    assert!(matches!(place.stat(&at("none")).await, Err(EnvError::NotFound(_))));
    assert!(place.exists(&at("src")).await.unwrap() && !place.exists(&at("src/none")).await.unwrap());

    let mut names: Vec<(String, FileKind)> =
        place.list(&at("src")).await.unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect();
    names.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(names, [(".hidden".into(), FileKind::File), ("b.rs".into(), FileKind::File)]);
    assert!(matches!(place.list(&at("none")).await, Err(EnvError::NotFound(_))));
    assert!(place.list(&at("a.txt")).await.is_err());

    let data = place.read(&at("link")).await.unwrap();
    assert_eq!(
        (data.bytes.as_slice(), &data.stamp),
        (&b"one\ntwo\nthree\n"[..], &place.read(&at("a.txt")).await.unwrap().stamp)
    );
    assert_eq!(place.read(&at("bytes")).await.unwrap().bytes, [0u8, 159, 146, 150, 0]);
    assert!(matches!(place.read(&at("none")).await, Err(EnvError::NotFound(_))));
    assert!(matches!(place.read(&at("src")).await, Err(EnvError::IsFolder(_))));
    let pieces: Arc<Mutex<Vec<u8>>> = Arc::default();
    let into = Arc::clone(&pieces);
    let sink = move |piece: &[u8]| {
        into.lock().unwrap().extend_from_slice(piece);
        true
    };
    assert_eq!(place.read_pieces(&at("a.txt"), Box::new(sink)).await.unwrap(), data.stamp);
    assert_eq!(*pieces.lock().unwrap(), data.bytes);
    assert!(matches!(place.read_pieces(&at("a.txt"), Box::new(|_| false)).await, Err(EnvError::Cancelled)));

    let real = place.resolve(&root).await.unwrap();
    assert_eq!(place.resolve(&at("link")).await.unwrap(), real.join("a.txt"));
    assert_eq!(
        place.resolve(&at("folder-link/new")).await.unwrap(),
        real.join("src/new"),
        "what is not there yet"
    );
    check_searches(place, &root).await;
}

async fn check_searches(place: &dyn Environment, root: &Path) {
    let hidden = Selection { hidden: true, ..Selection::default() };
    let search = async |pattern: &str, want: Want, files: Selection| {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let into = Arc::clone(&seen);
        let sink = move |file: bowline::exec::FileMatches| {
            let lines = file.lines.iter().map(|line| format!("{}:{}:{}", file.name, line.number, line.text));
            into.lock().unwrap().extend(lines.chain([format!("{} {}", file.name, file.count)]));
            true
        };
        let spec =
            SearchSpec { root: root.into(), pattern: pattern.into(), files, want, ..SearchSpec::default() };
        let done = place.search(spec, Box::new(sink), CancellationToken::new()).await;
        done.map(|done| (seen.lock().unwrap().clone(), done.complete))
    };
    let (found, complete) = search("^t.o$", Want::Lines, hidden.clone()).await.unwrap();
    assert_eq!(
        found,
        ["a.txt:2:two", "a.txt 1", "link:2:two", "link 1", "src/.hidden:1:two", "src/.hidden 1"]
    );
    assert!(complete);
    let only = Selection { globs: vec!["src/*".into()], ..Selection::default() };
    assert_eq!(search("two", Want::Counts, only).await.unwrap().0, ["src/b.rs 1"]);
    assert!(matches!(search("(", Want::Lines, hidden).await, Err(EnvError::Pattern(_))));
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&seen);
    let sink = move |found: bowline::exec::FoundPath| {
        into.lock().unwrap().push(found.name);
        true
    };
    let spec = FindSpec { root: root.into(), folders: true, ..FindSpec::default() };
    place.find(spec, Box::new(sink), CancellationToken::new()).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["a.txt", "bytes", "link", "src", "src/b.rs"]);
    let spec = FindSpec { root: root.join("none"), ..FindSpec::default() };
    let found = place.find(spec, Box::new(|_| true), CancellationToken::new()).await;
    assert!(matches!(found, Err(EnvError::NotFound(_))));
}

/// Changing files.
pub async fn check_writes(place: &dyn Environment) {
    let root = place.root().to_path_buf();
    let path = root.join("deep/er/new.txt");
    let stale = |result: Result<Stamp, EnvError>| matches!(result, Err(EnvError::Stale(_)));
    let first = place.write(&path, b"1".to_vec(), Some(Stamp::missing())).await.unwrap();
    assert_eq!(place.read(&path).await.unwrap().stamp, first, "folders are made, the stamp is the content's");
    assert!(stale(place.write(&path, b"2".to_vec(), Some(Stamp::missing())).await));
    let second = place.write(&path, b"2".to_vec(), Some(first.clone())).await.unwrap();
    assert!(stale(place.write(&path, b"3".to_vec(), Some(first.clone())).await));
    assert_eq!(place.read(&path).await.unwrap().bytes, b"2");
    let last = place.write(&path, vec![0, 255, 10], None).await.unwrap();
    assert_ne!(second, last);
    assert_eq!(place.read(&path).await.unwrap().bytes, [0, 255, 10]);
    let link = root.join("link");
    place.write(&link, b"through".to_vec(), None).await.unwrap();
    assert_eq!(place.read(&root.join("a.txt")).await.unwrap().bytes, b"through");
    assert_eq!(place.resolve(&link).await.unwrap(), place.resolve(&root.join("a.txt")).await.unwrap());
    assert!(matches!(place.write(&root.join("src"), Vec::new(), None).await, Err(EnvError::IsFolder(_))));
    assert!(matches!(place.remove(&path, Some(second)).await, Err(EnvError::Stale(_))));
    place.remove(&path, Some(last)).await.unwrap();
    assert!(matches!(place.remove(&path, None).await, Err(EnvError::NotFound(_))));
    place.remove(&link, None).await.unwrap();
    assert!(place.exists(&root.join("a.txt")).await.unwrap(), "of a link the link goes");
}

/// How a command ends and what it prints.
pub async fn run_command(
    place: &dyn Environment,
    script: &str,
    timeout: Option<Duration>,
    cancel: CancellationToken,
) -> (Result<Exit, EnvError>, String) {
    let printed: Arc<Mutex<Vec<u8>>> = Arc::default();
    let into = Arc::clone(&printed);
    let on = cancel.clone();
    let sink = move |piece: &[u8]| {
        let mut printed = into.lock().unwrap();
        printed.extend_from_slice(piece);
        if printed.ends_with(b"cancel me\n") {
            on.cancel();
        }
    };
    let mut command = CommandSpec::new(script, place.root());
    (command.timeout, command.env) = (timeout, [("GIVEN".to_string(), "it's given".to_string())].into());
    let exit = place.run(command, Box::new(sink), cancel).await;
    let printed = String::from_utf8_lossy(&printed.lock().unwrap()).into_owned();
    (exit, printed)
}

/// Running commands.
pub async fn check_commands(place: &dyn Environment) {
    let go = CancellationToken::new;
    let (exit, printed) =
        run_command(place, "echo \"$GIVEN\"; echo err >&2; echo out; exit 3", None, go()).await;
    assert_eq!(
        (exit.unwrap(), printed.as_str()),
        (Exit::Code(3), "it's given\nerr\nout\n"),
        "in order, merged"
    );
    let (exit, printed) = run_command(place, "pwd; cat; kill -TERM $$", None, go()).await;
    assert_eq!(exit.unwrap(), Exit::Code(143), "a signal is no success, and nobody types");
    assert_eq!(fs::canonicalize(printed.trim()).unwrap(), fs::canonicalize(place.root()).unwrap());
    let (exit, printed) = run_command(place, "seq 1 100000", None, go()).await;
    assert_eq!((exit.unwrap(), printed.lines().count()), (Exit::Code(0), 100_000));
    let limit = Some(Duration::from_millis(300));
    let (exit, printed) =
        run_command(place, "echo begun; sleep 600 & sleep 600; echo never", limit, go()).await;
    assert_eq!(exit.unwrap(), Exit::TimedOut);
    assert!("begun\n".starts_with(&printed), "{printed}");
    let (exit, printed) = run_command(place, "echo cancel me; sleep 600; echo never", None, go()).await;
    assert_eq!((exit.unwrap(), printed.as_str()), (Exit::Cancelled, "cancel me\n"));
    let stopped = go();
    stopped.cancel();
    assert_eq!(run_command(place, "touch should-not-be", None, stopped).await.0.unwrap(), Exit::Cancelled);
    assert!(!place.exists(&place.root().join("should-not-be")).await.unwrap());
    let command = CommandSpec::new("true", place.root().join("none"));
    let exit = place.run(command, Box::new(|_| {}), go()).await;
    assert!(matches!(exit, Err(EnvError::NoWorkingFolder(_))), "{exit:?}");
}

/// All of it.
pub async fn check_conformance(place: &dyn Environment) {
    place.initialize().await.unwrap();
    create_files(place.root());
    check_reads(place).await;
    check_commands(place).await;
    check_writes(place).await;
    place.cleanup().await.unwrap();
}
