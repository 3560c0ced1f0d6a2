//! Every place passes one suite: this machine, each layer over it, and a place that an outsider made, where
//! everything goes through a pipe to a second process. And what each layer is for.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bowline::exec::wrap::{DeniedPaths, Ended, Entry, Logging, Policy, ReadOnly, Wrapped};
use bowline::exec::{EnvError, Environment, Exit, FindSpec, Inherit, LocalEnvironment, Omitted, Selection};
use tokio_util::sync::CancellationToken;

use crate::support::environment_suite::{self, check_conformance, run_command};
use crate::support::piped_environment::RemoteEnvironment;

fn test_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    (folder, root)
}

fn local(root: &Path) -> Arc<dyn Environment> {
    let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
    Arc::new(LocalEnvironment::new(root.to_path_buf(), vars))
}

#[tokio::test]
async fn environment_local_passes_suite() {
    let (_folder, root) = test_folder();
    check_conformance(&*local(&root)).await;
}

#[tokio::test]
async fn environment_remote_passes_suite() {
    let (_folder, root) = test_folder();
    check_conformance(&RemoteEnvironment::new(root)).await;
}

#[tokio::test]
async fn environment_logging_passes_suite_without_file_contents() {
    let (_folder, root) = test_folder();
    let log: Arc<Mutex<Vec<Entry>>> = Arc::default();
    let into = Arc::clone(&log);
    let place = Wrapped::new(local(&root), Logging::new(move |entry| into.lock().unwrap().push(entry)));
    check_conformance(&place).await;
    log.lock().unwrap().clear();
    let secret = root.join("s");
    place.write(&secret, b"the secret".to_vec(), None).await.unwrap();
    place.read(&root.join("none")).await.unwrap_err();
    run_command(&place, "echo the secret; exit 2", None, CancellationToken::new()).await.0.unwrap();
    let log = log.lock().unwrap();
    let told: Vec<(&str, &str)> = log.iter().map(|entry| (entry.operation, entry.target.as_str())).collect();
    let (secret, none) = (secret.display().to_string(), root.join("none").display().to_string());
    assert_eq!(told, [("write", secret.as_str()), ("read", &none), ("run", "echo the secret; exit 2")]);
    assert_eq!((&log[0].ended, &log[2].ended), (&Ended::Done, &Ended::Exit(Exit::Code(2))));
    assert!(matches!(&log[1].ended, Ended::Failed(why) if why.contains("no such file")));
}

#[tokio::test]
async fn environment_policy_passes_suite_and_rejects_outside() {
    let (_outer, outside) = test_folder();
    let (_folder, root) = test_folder();
    let policy = Policy { write: vec![root.clone()], ..Policy::default() };
    check_conformance(&Wrapped::new(local(&root), policy)).await;

    std::fs::write(outside.join("f"), "found\n").unwrap();
    std::os::unix::fs::symlink(outside.join("f"), root.join("way-out")).unwrap();
    let (ro, wo) = (vec![root.join("src")], vec![root.join("deep")]);
    let place = Wrapped::new(local(&root), Policy { read: ro, write: wo, variables: Inherit::Core });
    let refused = |error: EnvError| assert!(matches!(error, EnvError::Refused(_)), "{error}");
    refused(place.read(&outside.join("f")).await.unwrap_err());
    refused(place.read(&root.join("way-out")).await.unwrap_err());
    refused(place.write(&root.join("src/new"), Vec::new(), None).await.unwrap_err());
    refused(place.remove(&root.join("way-out"), None).await.unwrap_err());
    place.read(&root.join("src/b.rs")).await.unwrap();
    place.write(&root.join("deep/new"), Vec::new(), None).await.unwrap();
    refused(run_command(&place, "true", None, CancellationToken::new()).await.0.unwrap_err());
    let all = Policy { write: vec![root.clone()], variables: Inherit::Core, ..Policy::default() };
    let place = Wrapped::new(local(&root), all);
    let (_, printed) = run_command(&place, "echo \"<$GIVEN>\"", None, CancellationToken::new()).await;
    assert_eq!(printed, "<>\n", "a variable that the policy does not know");
    // A search reads files; it must not read what nobody may.
    let spec =
        bowline::exec::SearchSpec { root: root.clone(), pattern: "found".into(), ..Default::default() };
    let found =
        place.search(spec, Box::new(|file| panic!("{file:?}")), CancellationToken::new()).await.unwrap();
    assert!(found.unreadable > 0);
}

#[tokio::test]
async fn environment_rename_is_judged_at_both_paths() {
    let (_folder, root) = test_folder();
    for name in ["in/a", "other/b", "secret/c"] {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), name).unwrap();
    }
    let path = |name: &str| root.join(name);
    let refused = |result: Result<PathBuf, EnvError>| {
        assert!(matches!(&result, Err(EnvError::Refused(_))), "{result:?}");
    };
    let policy = Policy { read: vec![root.clone()], write: vec![path("in")], ..Policy::default() };
    let place = Wrapped::new(local(&root), policy);
    refused(place.rename(&path("in/a"), &path("other/a"), false).await);
    refused(place.rename(&path("other/b"), &path("in/b"), false).await);
    assert_eq!(place.rename(&path("in/a"), &path("in/deep/a"), false).await.unwrap(), path("in/deep/a"));
    let place = Wrapped::new(local(&root), ReadOnly::new(|_| true));
    refused(place.rename(&path("other/b"), &path("other/c"), false).await);
    // What is denied must not be read under another name, either.
    let place = Wrapped::new(local(&root), DeniedPaths::new(vec!["**/secret/**".into()]).unwrap());
    refused(place.rename(&path("secret/c"), &path("c"), false).await);
    refused(place.rename(&path("secret"), &path("open"), false).await);
    place.rename(&path("other"), &path("else"), false).await.unwrap();
    let log: Arc<Mutex<Vec<Entry>>> = Arc::default();
    let into = Arc::clone(&log);
    let place = Wrapped::new(local(&root), Logging::new(move |entry| into.lock().unwrap().push(entry)));
    place.rename(&path("else/b"), &path("b"), false).await.unwrap();
    let entry = log.lock().unwrap().pop().unwrap();
    assert_eq!(entry.operation, "rename");
    assert_eq!(entry.target, format!("{} -> {}", path("else/b").display(), path("b").display()));
}

#[tokio::test]
async fn environment_read_only_rejects_changes() {
    let (_folder, root) = test_folder();
    environment_suite::create_files(&root);
    let place = Wrapped::new(local(&root), ReadOnly::new(|script| script.starts_with("cat ")));
    environment_suite::check_reads(&place).await;
    let refused = |error: EnvError| assert!(matches!(error, EnvError::Refused(_)), "{error}");
    refused(place.write(&root.join("a.txt"), Vec::new(), None).await.unwrap_err());
    refused(place.write(&root.join("new"), Vec::new(), None).await.unwrap_err());
    refused(place.remove(&root.join("a.txt"), None).await.unwrap_err());
    refused(run_command(&place, "rm a.txt", None, CancellationToken::new()).await.0.unwrap_err());
    let (exit, printed) = run_command(&place, "cat a.txt", None, CancellationToken::new()).await;
    assert_eq!((exit.unwrap(), printed.as_str()), (Exit::Code(0), "one\ntwo\nthree\n"));
    let words = place.write(&root.join("new"), Vec::new(), None).await.unwrap_err().to_string();
    assert!(words.ends_with("not written, nothing may be changed here"), "{words}");
}

#[tokio::test]
async fn environment_denied_paths_are_hidden() {
    let (_other, outside) = test_folder();
    check_conformance(&Wrapped::new(local(&outside), DeniedPaths::new(vec!["/nowhere/**".into()]).unwrap()))
        .await;
    for remote in [false, true] {
        let (_folder, root) = test_folder();
        environment_suite::create_files(&root);
        std::os::unix::fs::symlink("src/b.rs", root.join("way-in")).unwrap();
        let denied = DeniedPaths::new(vec![format!("{}/src/", root.display())]).unwrap();
        let count = denied.count();
        let inner = if remote { Arc::new(RemoteEnvironment::new(root.clone())) } else { local(&root) };
        let place = Wrapped::new(inner, denied);
        place.initialize().await.unwrap();
        let mut names: Vec<String> =
            place.list(&root).await.unwrap().into_iter().map(|entry| entry.name).collect();
        names.sort();
        assert_eq!(
            names,
            [".gitignore", "a.txt", "bytes", "link", "skipped", "y.log"],
            "no link to it either"
        );
        // The folder and the link to it; what is listed and found is left out once.
        assert_eq!(count.get(), Omitted { files: 1, folders: 2 });
        let found: Arc<Mutex<Vec<String>>> = Arc::default();
        let into = Arc::clone(&found);
        let sink = move |one: bowline::exec::FoundPath| {
            into.lock().unwrap().push(one.name);
            true
        };
        let files = Selection { globs: vec!["*.rs".into(), "a.*".into()], ..Selection::default() };
        let spec = FindSpec { root: root.clone(), files, folders: false };
        place.find(spec, Box::new(sink), CancellationToken::new()).await.unwrap();
        assert_eq!(*found.lock().unwrap(), ["a.txt"]);
        assert_eq!(count.get(), Omitted { files: 1, folders: 2 });
        for path in ["src/b.rs", "way-in", "folder-link/b.rs"] {
            let error = place.read(&root.join(path)).await.unwrap_err();
            assert!(matches!(error, EnvError::Refused(_)), "{path}: {error}");
        }
        assert!(place.list(&root.join("folder-link")).await.is_err());
        place.read(&root.join("a.txt")).await.unwrap();
        place.cleanup().await.unwrap();
    }
}

#[tokio::test]
async fn environment_layers_compose() {
    let (_folder, root) = test_folder();
    environment_suite::create_files(&root);
    let log: Arc<Mutex<Vec<Entry>>> = Arc::default();
    let into = Arc::clone(&log);
    let policy = Wrapped::new(local(&root), Policy { write: vec![root.clone()], ..Policy::default() });
    let read_only = Wrapped::new(Arc::new(policy), ReadOnly::new(|_| false));
    let place =
        Wrapped::new(Arc::new(read_only), Logging::new(move |entry| into.lock().unwrap().push(entry)));
    environment_suite::check_reads(&place).await;
    place.write(&root.join("x"), Vec::new(), None).await.unwrap_err();
    let last = log.lock().unwrap().last().unwrap().clone();
    assert!(last.operation == "write" && matches!(last.ended, Ended::Failed(_)), "{last:?}");
}

#[tokio::test]
async fn environment_inherit_rule_filters_variables() {
    let (_folder, root) = test_folder();
    let vars = [("PATH", "/usr/bin:/bin"), ("A_TOKEN", "secret"), ("EDITOR", "vi")];
    let vars = || vars.iter().map(|(name, value)| (name.into(), value.into()));
    for (rule, expected) in [
        (Inherit::NoSecrets, "<><vi>"),
        (Inherit::All, "<secret><vi>"),
        (Inherit::Core, "<><>"),
        (Inherit::None, "<><>"),
    ] {
        let place = LocalEnvironment::new(root.clone(), vars()).inheriting(rule);
        let (_, printed) =
            run_command(&place, "echo \"<$A_TOKEN><$EDITOR>\"", None, CancellationToken::new()).await;
        assert_eq!(printed.trim(), expected, "{rule:?}");
    }
}
