//! Tests of kept files.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn keep(files: &RunFiles, key: &str, content: &str) -> String {
    files.write(key, [content.as_bytes()].into_iter(), &[]).unwrap()
}

#[test]
fn what_a_dead_run_kept_is_found_and_what_a_living_one_keeps_is_not() {
    let temp = tempfile::tempdir().unwrap();
    let dead = RunFiles::new(temp.path().join("deep/swap"));
    assert_eq!(dead.left(None).unwrap(), []);
    keep(&dead, "a", "one");
    let name = keep(&dead, "a", "two");
    keep(&dead, "b", "three");
    let next = RunFiles::new(temp.path().join("deep/swap"));
    assert_eq!(next.left(None).unwrap(), [], "its run lives");
    assert_eq!(dead.left(None).unwrap(), [], "nobody finds his own");
    drop(dead);
    assert_eq!(next.left(Some("a")).unwrap(), [Left { name: name.clone(), key: "a".to_string() }]);
    assert_eq!(next.read(&name).unwrap(), b"two");
    assert_eq!(next.left(None).unwrap().len(), 2);
    let mode = |path: &str| fs::metadata(temp.path().join("deep/swap").join(path)).unwrap().permissions();
    assert_eq!(mode(&name).mode() & 0o777, 0o600);
    assert_eq!(mode("").mode() & 0o777, 0o700);
}

#[test]
fn nothing_stays_behind_when_everything_is_removed() {
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
    let left = files.left(None).unwrap().remove(0).name;
    let own = files.write("a", [b"two".as_slice()].into_iter(), &[left]).unwrap();
    assert_eq!(count(), 2, "the new one and the lock of its run");
    files.remove("../outside.run.kept").unwrap();
    files.end(true).unwrap();
    assert_eq!(count(), 0);
    assert!(files.write("a", std::iter::empty(), &[]).is_err(), "an ended run keeps nothing");
    assert!(files.read(&own).is_err());
}

#[test]
fn a_run_that_ends_without_removing_leaves_its_files_to_the_next() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    keep(&files, "a", "one");
    files.end(false).unwrap();
    assert_eq!(RunFiles::new(temp.path().to_path_buf()).left(None).unwrap().len(), 1);
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
fn of_two_writes_of_a_key_at_a_time_the_later_one_counts() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    let name = files.write("a", with_pause("one", || drop(keep(&files, "a", "two"))), &[]).unwrap();
    assert_eq!(files.read(&name).unwrap(), b"two");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2, "and the lock");
}

#[test]
fn a_removal_leaves_the_run_to_a_write_that_is_under_way() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    let a = keep(&files, "a", "one");
    let b = files.write("b", with_pause("two", || files.remove(&a).unwrap()), &[]).unwrap();
    assert_eq!(files.read(&b).unwrap(), b"two.");
    let next = RunFiles::new(temp.path().to_path_buf());
    assert_eq!(next.left(None).unwrap(), [], "its run lives");
    drop(files);
    assert_eq!(next.left(None).unwrap().len(), 1);
}

#[test]
fn a_run_that_is_over_is_over_while_another_process_starts() {
    let temp = tempfile::tempdir().unwrap();
    let files = RunFiles::new(temp.path().to_path_buf());
    keep(&files, "a", "one");
    // What a process has until it runs its own program.
    let inherited = match &*files.run() {
        Run::Begun { lock, .. } => lock.0.try_clone().unwrap(),
        other => panic!("{other:?}"),
    };
    drop(files);
    assert_eq!(RunFiles::new(temp.path().to_path_buf()).left(None).unwrap().len(), 1);
    drop(inherited);
}

#[test]
fn nothing_stays_behind_of_a_write_that_failed_or_was_overtaken_by_the_end() {
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
fn what_is_kept_is_added_to_and_what_is_not_kept_is_not() {
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
