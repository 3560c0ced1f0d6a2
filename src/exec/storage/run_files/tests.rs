//! Tests of kept files.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn keep(files: &RunFiles, key: &str, content: &str) -> String {
    files.write(key, [content.as_bytes()].into_iter(), &[]).unwrap()
}

#[test]
fn run_files_of_dead_run_are_found() {
    let temp = tempfile::tempdir().unwrap();
    let dead = RunFiles::new(temp.path().join("deep/swap"));
    assert_eq!(dead.leftovers(None).unwrap(), []);
    keep(&dead, "a", "one");
    let name = keep(&dead, "a", "two");
    keep(&dead, "b", "three");
    let next = RunFiles::new(temp.path().join("deep/swap"));
    assert_eq!(next.leftovers(None).unwrap(), [], "its run lives");
    assert_eq!(dead.leftovers(None).unwrap(), [], "nobody finds his own");
    drop(dead);
    assert_eq!(
        next.leftovers(Some("a")).unwrap(),
        [LeftoverFile { name: name.clone(), key: "a".to_string() }]
    );
    assert_eq!(next.read(&name).unwrap(), b"two");
    assert_eq!(next.leftovers(None).unwrap().len(), 2);
    let mode = |path: &str| fs::metadata(temp.path().join("deep/swap").join(path)).unwrap().permissions();
    assert_eq!(mode(&name).mode() & 0o777, 0o600);
    assert_eq!(mode("").mode() & 0o777, 0o700);
}

#[test]
fn run_files_leave_nothing_when_removed() {
    let temp = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(temp.path()).unwrap().count();
    let files = RunFiles::new(temp.path().to_path_buf());
    let a = keep(&files, "a", "one");
    files.remove(&a).unwrap();
    files.remove(&a).unwrap();
    assert_eq!(count(), 0, "not even a lock");
    keep(&files, "a", "one");
    drop(files);
    let files = RunFiles::new(temp.path().to_path_buf());
    let left = files.leftovers(None).unwrap().remove(0).name;
    let own = files.write("a", [b"two".as_slice()].into_iter(), &[left]).unwrap();
    assert_eq!(count(), 2, "the new one and the lock of its run");
    files.remove("../outside.run.kept").unwrap();
    files.end(true).unwrap();
    assert_eq!(count(), 0);
    assert!(files.write("a", std::iter::empty(), &[]).is_err(), "an ended run keeps nothing");
    assert!(files.read(&own).is_err());
}

#[test]
fn run_files_are_left_to_next_run() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    keep(&files, "a", "one");
    files.end(false).unwrap();
    assert_eq!(RunFiles::new(temp.path().to_path_buf()).leftovers(None).unwrap().len(), 1);
}

/// Pieces of a content, between which something happens.
fn with_pause<'a>(content: &'a str, then: impl FnOnce() + 'a) -> impl Iterator<Item = &'a [u8]> {
    let mut then = Some(then);
    let middle = std::iter::from_fn(move || {
        then.take()?();
        Some(b"".as_slice())
    });
    std::iter::once(content.as_bytes()).chain(middle).chain([b".".as_slice()])
}

#[test]
fn run_files_concurrent_write_later_wins() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    let name = files.write("a", with_pause("one", || drop(keep(&files, "a", "two"))), &[]).unwrap();
    assert_eq!(files.read(&name).unwrap(), b"two");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2, "and the lock");
}

#[test]
fn run_files_remove_keeps_lock_during_write() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    let a = keep(&files, "a", "one");
    let b = files.write("b", with_pause("two", || files.remove(&a).unwrap()), &[]).unwrap();
    assert_eq!(files.read(&b).unwrap(), b"two.");
    let next = RunFiles::new(temp.path().to_path_buf());
    assert_eq!(next.leftovers(None).unwrap(), [], "its run lives");
    drop(files);
    assert_eq!(next.leftovers(None).unwrap().len(), 1);
}

#[test]
fn run_files_ended_run_ignores_inherited_lock() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    keep(&files, "a", "one");
    // What a process has until it runs its own program.
    let inherited = match &*files.run() {
        Run::Begun { lock, .. } => lock.0.try_clone().unwrap(),
        other => panic!("{other:?}"),
    };
    drop(files);
    assert_eq!(RunFiles::new(temp.path().to_path_buf()).leftovers(None).unwrap().len(), 1);
    drop(inherited);
}

#[test]
fn run_files_failed_write_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(temp.path()).unwrap().count();
    let files = RunFiles::new(temp.path().to_path_buf());
    let break_it = || {
        for entry in fs::read_dir(temp.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
    };
    assert!(files.write("a", with_pause("one", break_it), &[]).is_err());
    assert_eq!(count(), 0);
    assert!(files.write("a", with_pause("one", || files.end(false).unwrap()), &[]).is_err());
    assert_eq!(count(), 0);
}

#[test]
fn run_files_append_needs_existing_file() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    assert!(files.append("a", b"x", &[]).is_err(), "nothing was kept ever");
    keep(&files, "b", "other");
    assert!(files.append("a", b"x", &[]).is_err(), "nothing is kept there");
    let name = keep(&files, "a", "one");
    assert_eq!(files.append("a", b" two", std::slice::from_ref(&name)).unwrap(), name);
    assert_eq!(files.read(&name).unwrap(), b"one two", "and it replaces itself without going away");
    files.remove(&name).unwrap();
    assert!(files.append("a", b"x", &[]).is_err());
    keep(&files, "a", "one");
    files.end(false).unwrap();
    assert!(files.append("a", b"x", &[]).is_err(), "the run is at its end");
}
