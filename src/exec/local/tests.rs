//! Files and commands of this machine, for real.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::*;
use crate::exec::FileKind;

mod answers;

/// Far below what the commands would take by themselves, far above what a busy machine adds.
const PROMPT: Duration = Duration::from_secs(15);

fn here() -> (TempDir, LocalEnvironment) {
    let folder = tempfile::tempdir().unwrap();
    let vars = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/me"),
        ("MY_API_KEY", "s"),
        ("My_Token", "s"),
        ("LANG", "C"),
    ];
    let vars = vars.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let env = LocalEnvironment::new(folder.path().canonicalize().unwrap(), vars);
    (folder, env)
}

#[tokio::test]
async fn local_write_replaces_file_and_keeps_mode() {
    let (_folder, env) = here();
    let path = env.root().join("run.sh");
    fs::write(&path, "one").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o754)).unwrap();
    let stamp = env.read(&path).await.unwrap().stamp;
    let next = env.write(&path, b"two".to_vec(), Some(stamp)).await.unwrap();
    assert_eq!(env.read(&path).await.unwrap(), FileData { bytes: b"two".to_vec(), stamp: next });
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o754);
    assert_eq!(fs::read_dir(env.root()).unwrap().count(), 1, "no temporary file is left");
}

#[tokio::test]
async fn local_write_creates_folders_and_follows_symlinks() {
    let (_folder, env) = here();
    let path = env.root().join("a/b/c.txt");
    env.write(&path, b"x".to_vec(), None).await.unwrap();
    let stat = env.stat(&path).await.unwrap();
    assert_eq!((stat.kind, stat.size, stat.version), (FileKind::File, 1, None), "just written");
    let link = env.root().join("link");
    symlink("a/b/c.txt", &link).unwrap();
    env.write(&link, b"yy".to_vec(), None).await.unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"yy");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let dangling = env.root().join("dangling");
    symlink("a/new.txt", &dangling).unwrap();
    env.write(&dangling, b"z".to_vec(), None).await.unwrap();
    assert_eq!(fs::read(env.root().join("a/new.txt")).unwrap(), b"z");
}

#[tokio::test]
async fn local_write_stale_stamp_is_refused() {
    let (_folder, env) = here();
    let path = env.root().join("f");
    fs::write(&path, "one").unwrap();
    let stamp = env.read(&path).await.unwrap().stamp;
    fs::write(&path, "ONE").unwrap();
    let error = env.write(&path, b"two".to_vec(), Some(stamp.clone())).await.unwrap_err();
    assert!(matches!(error, EnvError::Stale(_)), "{error}");
    fs::remove_file(&path).unwrap();
    assert!(matches!(env.write(&path, Vec::new(), Some(stamp)).await, Err(EnvError::Stale(_))));
    assert!(!path.exists());
    env.write(&path, b"new".to_vec(), Some(Stamp::missing())).await.unwrap();
    assert!(matches!(env.write(&path, Vec::new(), Some(Stamp::missing())).await, Err(EnvError::Stale(_))));
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[tokio::test]
async fn local_remove_refuses_stale_and_folders() {
    let (_folder, env) = here();
    let path = env.root().join("f");
    fs::write(&path, "one").unwrap();
    let stamp = env.read(&path).await.unwrap().stamp;
    fs::write(&path, "ONE").unwrap();
    assert!(matches!(env.remove(&path, Some(stamp)).await, Err(EnvError::Stale(_))));
    let link = env.root().join("link");
    symlink("f", &link).unwrap();
    env.remove(&link, None).await.unwrap();
    assert!(!link.exists() && path.exists(), "only the link");
    env.remove(&path, Some(Stamp::of(b"ONE"))).await.unwrap();
    assert!(matches!(env.remove(&path, None).await, Err(EnvError::NotFound(_))));
    assert!(matches!(env.remove(&path, Some(Stamp::of(b"ONE"))).await, Err(EnvError::Stale(_))));
    assert!(matches!(env.remove(env.root(), None).await, Err(EnvError::IsFolder(_))));
}

#[tokio::test]
async fn local_write_concurrent_writers_conflict() {
    let (_folder, env) = here();
    let path = env.root().join("f");
    fs::write(&path, "one").unwrap();
    let stamp = env.read(&path).await.unwrap().stamp;
    let write = |text: &str| env.write(&path, text.as_bytes().to_vec(), Some(stamp.clone()));
    for _ in 0..20 {
        fs::write(&path, "one").unwrap();
        let (a, b) = tokio::join!(write("two"), write("three"));
        assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
    }
    assert!(env.locks.held.lock().is_empty());
}

#[tokio::test]
async fn local_rename_keeps_modes_and_times_and_overwrites_only_if_asked() {
    let (_folder, env) = here();
    let path = |name: &str| env.root().join(name);
    fs::create_dir_all(path("src/empty")).unwrap();
    for name in ["src/a", "b"] {
        fs::write(path(name), name).unwrap();
    }
    fs::set_permissions(path("src/a"), fs::Permissions::from_mode(0o755)).unwrap();
    let before = fs::metadata(path("src/a")).unwrap();
    assert_eq!(env.rename(&path("src"), &path("deep/lib"), false).await.unwrap(), path("deep/lib"));
    let after = fs::metadata(path("deep/lib/a")).unwrap();
    assert_eq!((after.mode(), after.modified().unwrap()), (before.mode(), before.modified().unwrap()));
    assert!(path("deep/lib/empty").is_dir() && !path("src").exists());
    let refused = env.rename(&path("deep/lib/a"), &path("b"), false).await;
    assert!(matches!(refused, Err(EnvError::Exists(_))), "{refused:?}");
    assert_eq!(fs::read_to_string(path("b")).unwrap(), "b");
    env.rename(&path("deep/lib/a"), &path("b"), true).await.unwrap();
    assert_eq!(fs::read_to_string(path("b")).unwrap(), "src/a");
    symlink("b", path("link")).unwrap();
    env.rename(&path("link"), &path("moved"), false).await.unwrap();
    assert_eq!(fs::read_link(path("moved")).unwrap(), Path::new("b"), "the link itself");
    let missing = env.rename(&path("none"), &path("x"), false).await;
    assert!(matches!(missing, Err(EnvError::NotFound(_))), "{missing:?}");
    assert!(env.locks.held.lock().is_empty());
}

#[tokio::test]
async fn local_unreadable_paths_are_classified() {
    let (_folder, env) = here();
    let path = env.root().join("locked");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(env.write(&path, Vec::new(), None).await, Err(EnvError::Denied(_))));
    assert_eq!(fs::read(&path).unwrap(), b"x");
    assert!(matches!(env.write(env.root(), Vec::new(), None).await, Err(EnvError::IsFolder(_))));
    assert!(matches!(env.read(env.root()).await, Err(EnvError::IsFolder(_))));
    assert!(matches!(env.read(&env.root().join("none")).await, Err(EnvError::NotFound(_))));
    let error = env.read(Path::new("/dev/zero")).await.unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[tokio::test]
async fn local_resolve_follows_symlinks() {
    let (_folder, env) = here();
    fs::create_dir(env.root().join("real")).unwrap();
    symlink("real", env.root().join("link")).unwrap();
    symlink("loop", env.root().join("loop")).unwrap();
    let resolved = env.resolve(&env.root().join("link/new/file")).await.unwrap();
    assert_eq!(resolved, env.root().join("real/new/file"));
    assert!(env.resolve(&env.root().join("loop")).await.is_err());
}

async fn run_with(
    env: &LocalEnvironment,
    script: &str,
    limit: Option<Duration>,
    cancel: CancellationToken,
) -> (Exit, String) {
    let (sender, receiver) = mpsc::sync_channel::<Vec<u8>>(10_000);
    let command =
        CommandSpec { script: script.into(), cwd: env.root().into(), timeout: limit, env: BTreeMap::new() };
    let sink: OutputSink = Box::new(move |bytes| sender.send(bytes.to_vec()).unwrap());
    let exit = env.run(command, sink, cancel).await.unwrap();
    (exit, String::from_utf8(receiver.try_iter().flatten().collect()).unwrap())
}

async fn run(env: &LocalEnvironment, script: &str) -> (Exit, String) {
    run_with(env, script, None, CancellationToken::new()).await
}

#[tokio::test]
async fn local_run_merges_outputs_in_order() {
    let (_folder, env) = here();
    let script = "for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3";
    let (exit, text) = run(&env, script).await;
    assert_eq!((exit, text.as_str()), (Exit::Code(3), "out1\nerr1\nout2\nerr2\nout3\nerr3\n"));
}

#[tokio::test]
async fn local_run_has_no_secrets_and_no_stdin() {
    let (_folder, env) = here();
    let (_, text) = run(&env, "cat; echo \"$HOME|$MY_API_KEY|$My_Token|$LANG\"; pwd").await;
    assert_eq!(text, format!("/home/me|||C\n{}\n", env.root().display()));
    assert_eq!(env.home(), Some(Path::new("/home/me")));
}

#[tokio::test]
async fn local_run_signal_becomes_exit_code() {
    let (_folder, env) = here();
    assert_eq!(run(&env, "kill -KILL $$").await.0, Exit::Code(137));
}

#[tokio::test]
async fn local_run_large_output_is_complete() {
    let (_folder, env) = here();
    let (exit, text) = run(&env, "head -c 3000000 /dev/zero | tr '\\0' x").await;
    assert_eq!((exit, text.len()), (Exit::Code(0), 3_000_000));
}

#[tokio::test]
async fn local_run_timeout_kills_process_group() {
    let (_folder, env) = here();
    let started = Instant::now();
    let script = "sleep 60 & echo $!; wait";
    let (exit, text) =
        run_with(&env, script, Some(Duration::from_millis(300)), CancellationToken::new()).await;
    assert_eq!(exit, Exit::TimedOut);
    assert!(started.elapsed() < PROMPT, "{:?}", started.elapsed());
    assert!(!lives(text.trim()));
}

/// Whether a process still runs; one that waits to be reaped does not.
fn lives(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn local_run_abort_is_prompt() {
    let (_folder, env) = here();
    let cancel = CancellationToken::new();
    let at_start = cancel.clone();
    let command = CommandSpec {
        script: "echo go; sleep 60; echo never".into(),
        cwd: env.root().into(),
        timeout: None,
        env: BTreeMap::new(),
    };
    let (sender, receiver) = mpsc::sync_channel::<Instant>(10);
    let sink: OutputSink = Box::new(move |bytes| {
        assert_eq!(bytes, b"go\n");
        sender.send(Instant::now()).unwrap();
        at_start.cancel();
    });
    assert_eq!(env.run(command, sink, cancel).await.unwrap(), Exit::Cancelled);
    let took = receiver.recv().unwrap().elapsed();
    assert!(took < PROMPT, "{took:?}");
}

#[tokio::test]
async fn local_run_abort_works_during_output_flood() {
    let (_folder, env) = here();
    let cancel = CancellationToken::new();
    let at_size = cancel.clone();
    let command =
        CommandSpec { script: "yes".into(), cwd: env.root().into(), timeout: None, env: BTreeMap::new() };
    let mut seen = 0;
    let sink: OutputSink = Box::new(move |bytes| {
        seen += bytes.len();
        if seen > 1_000_000 {
            at_size.cancel();
        }
        assert!(seen < 500_000_000, "the cancel does not come through");
    });
    assert_eq!(env.run(command, sink, cancel).await.unwrap(), Exit::Cancelled);
}

#[tokio::test]
async fn local_run_ignoring_sigterm_is_killed() {
    let (_folder, env) = here();
    let started = Instant::now();
    let script = "trap '' TERM; echo $$; while :; do sleep 0.05; done";
    let (exit, text) =
        run_with(&env, script, Some(Duration::from_millis(200)), CancellationToken::new()).await;
    assert_eq!(exit, Exit::TimedOut);
    assert!(started.elapsed() > Duration::from_secs(2) && started.elapsed() < PROMPT);
    assert!(!lives(text.trim()));
}

#[tokio::test]
async fn local_run_detached_process_does_not_block() {
    let (_folder, env) = here();
    let started = Instant::now();
    let script = "setsid sleep 30 & echo started; exit 0";
    assert_eq!(run(&env, script).await, (Exit::Code(0), "started\n".into()));
    let script = "setsid sleep 30 & sleep 60";
    let (exit, _) = run_with(&env, script, Some(Duration::from_millis(300)), CancellationToken::new()).await;
    assert_eq!(exit, Exit::TimedOut);
    assert!(started.elapsed() < PROMPT, "{:?}", started.elapsed());
}

#[tokio::test]
async fn local_run_drop_kills_process_group() {
    let (_folder, env) = here();
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<String>(10);
    let command = CommandSpec {
        script: "echo $$; sleep 60".into(),
        cwd: env.root().into(),
        timeout: None,
        env: BTreeMap::new(),
    };
    let sink: OutputSink =
        Box::new(move |bytes| sender.try_send(String::from_utf8(bytes.to_vec()).unwrap()).unwrap());
    let pid = tokio::select! {
        _ = env.run(command, sink, CancellationToken::new()) => panic!("it sleeps"),
        pid = receiver.recv() => pid.unwrap(),
    };
    let limit = Instant::now() + Duration::from_secs(5);
    while lives(pid.trim()) {
        assert!(Instant::now() < limit, "{pid} still lives");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn local_run_needs_folder_and_no_abort() {
    let (_folder, env) = here();
    let command =
        |cwd: PathBuf| CommandSpec { script: "echo x".into(), cwd, timeout: None, env: BTreeMap::new() };
    let gone = env.root().join("gone");
    let sink = || -> OutputSink { Box::new(|_| panic!("no output")) };
    let error = env.run(command(gone), sink(), CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, EnvError::NoWorkingFolder(_)));
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(env.run(command(env.root().into()), sink(), cancel).await.unwrap(), Exit::Cancelled);
}

#[tokio::test]
async fn local_list_returns_names_and_kinds() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join(".hidden"), "").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("dangling")).unwrap();
    let env = LocalEnvironment::new(folder.path().into(), []);
    let mut entries = env.list(folder.path()).await.unwrap();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let listed: Vec<_> = entries.iter().map(|e| (e.name.as_str(), e.kind)).collect();
    assert_eq!(
        listed,
        [(".hidden", FileKind::File), ("dangling", FileKind::Other), ("sub", FileKind::Folder)]
    );
    assert!(matches!(env.list(&folder.path().join("none")).await, Err(EnvError::NotFound(_))));
    assert!(env.list(&folder.path().join(".hidden")).await.is_err());
}

/// Runs a filter; its exit, output and errors.
async fn filtered(
    env: &LocalEnvironment,
    script: &str,
    input: &[u8],
    cancel: CancellationToken,
) -> (Exit, String, String) {
    let command =
        CommandSpec { script: script.into(), cwd: env.root().into(), timeout: None, env: BTreeMap::new() };
    let (out, err) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let (into_out, into_err) = (out.clone(), err.clone());
    let output: OutputSink = Box::new(move |bytes| into_out.lock().extend_from_slice(bytes));
    let errors: OutputSink = Box::new(move |bytes| into_err.lock().extend_from_slice(bytes));
    let exit = env.filter(command, input.to_vec(), output, errors, cancel).await.unwrap();
    let text = |bytes: &Mutex<Vec<u8>>| String::from_utf8(bytes.lock().clone()).unwrap();
    (exit, text(&out), text(&err))
}

#[tokio::test]
async fn local_filter_separates_stdin_stdout_stderr() {
    let (_folder, env) = here();
    let run = |script, input| filtered(&env, script, input, CancellationToken::new());
    assert_eq!(run("tr a-z A-Z; echo no >&2", b"one").await, (Exit::Code(0), "ONE".into(), "no\n".into()));
    assert_eq!(run("echo why >&2; exit 3", b"x").await, (Exit::Code(3), String::new(), "why\n".into()));
    let long = "0123456789\n".repeat(100_000);
    assert_eq!(run("cat", long.as_bytes()).await.1.len(), long.len(), "both pipes are full at a time");
    assert_eq!(
        run("head -n 1", long.as_bytes()).await,
        (Exit::Code(0), "0123456789\n".into(), String::new())
    );
    assert_eq!(
        run("sleep 60 >&2 & echo done", b"").await.1,
        "done\n",
        "who outlives the shell is not waited for"
    );
}

#[tokio::test]
async fn local_filter_abort_kills_process_group() {
    let (_folder, env) = here();
    let cancel = CancellationToken::new();
    let at_start = cancel.clone();
    let command = CommandSpec {
        script: "sleep 60 & echo $!; wait".into(),
        cwd: env.root().into(),
        timeout: None,
        env: BTreeMap::new(),
    };
    let child = Arc::new(Mutex::new(String::new()));
    let told = child.clone();
    let output: OutputSink = Box::new(move |bytes| {
        told.lock().push_str(std::str::from_utf8(bytes).unwrap());
        at_start.cancel();
    });
    let exit = env.filter(command, b"never read".to_vec(), output, Box::new(|_| {}), cancel).await.unwrap();
    assert_eq!(exit, Exit::Cancelled);
    let child = child.lock().trim().to_string();
    assert!(!child.is_empty() && !lives(&child));
}

#[tokio::test]
async fn local_login_shell_keeps_explicit_variables() {
    let (folder, env) = here();
    let profile = "export X_TOKEN=profile Y_TOKEN=profile\n";
    fs::write(folder.path().join(".profile"), profile).unwrap();
    let home = folder.path().to_str().unwrap().to_string();
    let spec = SpawnSpec {
        script: "echo \"${X_TOKEN-none} ${Y_TOKEN-none}\"".to_string(),
        cwd: env.root().to_path_buf(),
        env: BTreeMap::from([("HOME".to_string(), home), ("Y_TOKEN".to_string(), "given".to_string())]),
        input: crate::exec::Input::Closed,
        login: true,
        reports_folder: false,
    };
    for (rule, wanted) in [(Inherit::NoSecrets, "none profile\n"), (Inherit::All, "profile profile\n")] {
        let (_, env) = here();
        let env = env.inheriting(rule);
        let mut running = env.spawn(spec.clone()).await.unwrap();
        let mut text = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut running.output, &mut text).await.unwrap();
        assert_eq!(text, wanted);
    }
}

#[tokio::test]
async fn local_spawn_with_separate_streams_keeps_errors_out_of_output() {
    let (_folder, env) = here();
    let spec = SpawnSpec {
        script: "echo warning >&2; cat; echo end >&2".to_string(),
        cwd: env.root().to_path_buf(),
        env: BTreeMap::new(),
        input: crate::exec::Input::Separate,
        login: false,
        reports_folder: false,
    };
    let mut running = env.spawn(spec).await.unwrap();
    let mut input = running.input.take().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut input, b"message").await.unwrap();
    drop(input);
    let (mut output, mut errors) = (String::new(), String::new());
    tokio::io::AsyncReadExt::read_to_string(&mut running.output, &mut output).await.unwrap();
    let stream = running.errors.as_mut().expect("standard error has a pipe of its own");
    tokio::io::AsyncReadExt::read_to_string(stream, &mut errors).await.unwrap();
    assert_eq!((output.as_str(), errors.as_str()), ("message", "warning\nend\n"));
    assert_eq!(running.control.wait().await, 0);
}

#[tokio::test]
async fn local_spawn_reports_final_folder() {
    let (folder, env) = here();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("it's here/b")).unwrap();
    std::os::unix::fs::symlink("it's here/b", root.join("link")).unwrap();
    let rows = [
        ("true", "", 0, Some("")),
        ("cd link; echo said; exit 3", "said\n", 3, Some("it's here/b")),
        ("set -eC; cd \"it's here\"; false", "", 1, Some("it's here")),
        ("(cd link)", "", 0, Some("")),
        ("cd link; pwd() { :; }; trap 'echo bye' EXIT", "bye\n", 0, None),
        ("cd link; exec true", "", 0, None),
        ("cd link; kill -KILL $$", "", 137, None),
    ];
    for (script, printed, code, wanted) in rows {
        for asked in [true, false] {
            let spec = SpawnSpec {
                script: script.to_string(),
                cwd: root.clone(),
                env: BTreeMap::new(),
                input: crate::exec::Input::Closed,
                login: false,
                reports_folder: asked,
            };
            let mut running = env.spawn(spec).await.unwrap();
            let mut text = String::new();
            tokio::io::AsyncReadExt::read_to_string(&mut running.output, &mut text).await.unwrap();
            assert_eq!((text.as_str(), running.control.wait().await), (printed, code), "{script}");
            // `components` leaves out a slash at the end.
            let wanted = wanted.filter(|_| asked).map(|below| root.join(below).components().collect());
            assert_eq!(running.control.folder().await, wanted, "{script}");
        }
    }
}

/// Longer than one argument may be, and with all that a script may hold.
fn long(end: &str) -> String {
    format!("x='{}'\n# 'it\necho \"${{#x}} $(cat)\"\n{end}", "é".repeat(200 << 10))
}

#[tokio::test]
async fn local_run_script_of_any_length() {
    let (folder, env) = here();
    let root = folder.path().canonicalize().unwrap();
    // In the locale C that is the number of bytes.
    let printed = format!("{} ", 400 << 10);
    assert_eq!(run(&env, &long("exit 3")).await, (Exit::Code(3), format!("{printed}\n")));
    let script = long("nonsense-that-is-none");
    let (exit, text, errors) = filtered(&env, &script, b"given", CancellationToken::new()).await;
    assert_eq!(exit, Exit::Code(127), "{errors}");
    assert!(
        text == format!("{printed}given\n") && errors.contains("nonsense-that-is-none"),
        "{text} {errors}"
    );
    for (input, asked) in [
        (crate::exec::Input::Closed, true),
        (crate::exec::Input::Closed, false),
        (crate::exec::Input::Terminal(80, 24), false),
    ] {
        let (script, cwd) = (long("exit 4").replace("$(cat)", ""), root.clone());
        let spec =
            SpawnSpec { script, cwd, env: BTreeMap::new(), input, login: false, reports_folder: asked };
        let mut running = env.spawn(spec).await.unwrap();
        let mut bytes = Vec::new();
        // A terminal that has ended answers with an error.
        let read = tokio::io::AsyncReadExt::read_to_end(&mut running.output, &mut bytes).await;
        assert!(read.is_ok() || matches!(input, crate::exec::Input::Terminal(..)), "{read:?}");
        assert_eq!(running.control.wait().await, 4);
        assert!(bytes.starts_with(printed.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(running.control.folder().await, asked.then(|| root.clone()));
    }
}
