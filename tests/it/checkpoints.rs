//! States of a workspace on real disks: limits, ignore rules, links, two programs at once, and what git says of the store.

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use bowline::workspace::checkpoint::apply::NoOpenFiles;
use bowline::workspace::checkpoint::{
    CheckpointError, Checkpointer, Decisions, Limits, Oid, SkipReason, Step,
};
use tokio_util::sync::CancellationToken;

use crate::support::checkpoint_workspace::{CheckpointWorkspace, image, name, names};

#[test]
fn checkpoint_skips_ignored_files_unless_requested() {
    let place = CheckpointWorkspace::new();
    place.write_file(".gitignore", "target/\n*.env\n");
    place.write_file("target/big/o", "object");
    place.write_file("a.env", "secret=1");
    place.write_file("b.env", "secret=2");
    place.write_file("sub/.git/config", "[core]");
    place.write_file("sub/x", "nested");
    let first = place.record();
    assert_eq!(names(&first), [".gitignore", "sub", "sub/x"]);
    let asked = place.store.record(&[name("a.env")], &[], &CancellationToken::new()).unwrap();
    assert_eq!(names(&asked), [".gitignore", "a.env", "sub", "sub/x"]);
    place.write_file("a.env", "secret=changed");
    let later = place.record();
    assert!(later.files.contains_key(&name("a.env")), "what was recorded once goes on being recorded");
    place.restore(asked.id);
    assert_eq!(
        (place.read_file("a.env"), place.read_file("target/big/o")),
        ("secret=1".into(), "object".into())
    );
}

#[test]
fn checkpoint_restore_keeps_files_ignored_at_target() {
    let place = CheckpointWorkspace::new();
    place.write_file(".gitignore", "out/\n");
    place.write_file("out/result", "hours of work");
    let before = place.record();
    place.write_file(".gitignore", "");
    place.write_file("out/more", "x");
    let (plan, _) = place.restore(before.id);
    assert_eq!((place.read_file("out/result"), plan.skipped.len()), ("hours of work".into(), 2));
    assert_eq!(place.read_file(".gitignore"), "out/\n");
}

/// Says in a child what the child is to look at; of the process itself the excludes of the user are.
const GLOBAL: &str = "BOWLINE_TEST_GLOBAL_EXCLUDES";

#[test]
fn checkpoint_restore_keeps_externally_ignored_files() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(home.join(".config/git/ignore"), "*.global\n").unwrap();
    if std::env::var_os(GLOBAL).is_none() {
        let own = std::env::current_exe().unwrap();
        let name = "checkpoints::checkpoint_restore_keeps_externally_ignored_files";
        let mut child = Command::new(own);
        child.args([name, "--exact"]).env(GLOBAL, "1").env("HOME", home).env_remove("XDG_CONFIG_HOME");
        let ran = child.output().unwrap();
        return assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    }
    let repository = home.join("repository");
    fs::create_dir_all(repository.join("sub/.git/info")).unwrap();
    fs::write(repository.join(".gitignore"), "*.parent\n").unwrap();
    fs::write(repository.join("sub/.git/info/exclude"), "*.excluded\n").unwrap();
    let base = home.join("checkpoints");
    let keeper = Checkpointer::open(&base, &repository.join("sub"), &[], Limits::default()).unwrap();
    let cancel = CancellationToken::new();
    let hidden = ["a.excluded", "a.global", "a.parent", "deep/b.parent"];
    for file in hidden {
        fs::create_dir_all(keeper.root().join("deep")).unwrap();
        fs::write(keeper.root().join(file), "hours of work").unwrap();
    }
    let before = keeper.record(&[], &[], &cancel).unwrap();
    assert_eq!(names(&before), ["deep"], "all are ignored");
    fs::write(keeper.root().join("made"), "by the agent").unwrap();
    let after = keeper.record(&hidden.map(name), &[], &cancel).unwrap();
    // As it comes back from the store.
    let [base, target] = [&after, &before].map(|state| keeper.load(state.id).unwrap());
    let plan = keeper.plan(&after, &[Step { base, target }], &Decisions::new()).unwrap();
    let applied = keeper.apply(&after, &plan, &mut NoOpenFiles);
    assert!(applied.failed.is_empty() && !keeper.root().join("made").exists());
    for file in hidden {
        assert_eq!(fs::read_to_string(keeper.root().join(file)).unwrap(), "hours of work", "{file}");
    }
    assert_eq!(plan.skipped.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>(), hidden);
}

#[test]
fn checkpoint_unsaved_text_of_deleted_file_conflicts() {
    let place = CheckpointWorkspace::new();
    place.write_file("d/f", "one");
    let one = place.record();
    place.write_file("d/f", "two");
    let two = place.record();
    fs::remove_dir_all(place.root.join("d")).unwrap();
    let words = [(name("d/f"), b"unsaved".to_vec())];
    let now = place.store.record(&[], &words, &CancellationToken::new()).unwrap();
    let step = Step { base: two.files.clone(), target: one.files.clone() };
    let plan = place.store.plan(&now, &[step], &Decisions::new()).unwrap();
    assert_eq!((plan.conflicts.len(), plan.changes.len()), (1, 0), "{plan:?}");
    let theirs = plan.conflicts[0].ours.and_then(bowline::workspace::checkpoint::Node::oid).unwrap();
    assert_eq!(place.store.store().blob(theirs).unwrap(), b"unsaved");
    // Nor does it come where something else is.
    place.write_file("d", "a file");
    let now = place.store.record(&[], &words, &CancellationToken::new()).unwrap();
    assert_eq!(names(&now), ["d"]);
}

#[test]
fn checkpoint_apply_rejects_changes_seen_by_later_snapshot() {
    let place = CheckpointWorkspace::new();
    place.write_file("f", "one");
    let one = place.record();
    place.write_file("f", "two");
    let now = place.record();
    let step = Step { base: now.files.clone(), target: one.files.clone() };
    let plan = place.store.plan(&now, &[step], &Decisions::new()).unwrap();
    place.write_file("f", "written meanwhile");
    place.record();
    let applied = place.store.apply(&now, &plan, &mut NoOpenFiles);
    assert_eq!((applied.done, applied.failed.len()), (0, 1));
    assert_eq!(place.read_file("f"), "written meanwhile");
}

#[test]
fn checkpoint_limits_are_reported_without_data_loss() {
    let limits = Limits { file: 100, files: 20, bytes: 300, ..Limits::default() };
    let place = CheckpointWorkspace::with_limits(limits);
    place.write_file("small", "s");
    place.write_file("large", &"x".repeat(101));
    rustix::fs::mkfifoat(rustix::fs::CWD, place.root.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let first = place.record();
    let left: Vec<_> = first.skipped.iter().map(|(name, why)| (name.to_string(), *why)).collect();
    assert_eq!(
        left,
        [("large".to_string(), SkipReason::TooLarge), ("pipe".to_string(), SkipReason::NotAFile)]
    );
    place.write_file("small", "changed");
    fs::remove_file(place.root.join("large")).unwrap();
    place.write_file("large", "now it is small");
    let (plan, applied) = place.restore(first.id);
    assert!(applied.failed.is_empty());
    assert_eq!((plan.skipped.len(), place.read_file("small")), (1, "s".to_string()));
    assert_eq!(place.read_file("large"), "now it is small");
    (0..3).for_each(|n| place.write_file(&format!("part{n}"), &"y".repeat(99)));
    let refused =
        |place: &CheckpointWorkspace| place.store.record(&[], &[], &CancellationToken::new()).unwrap_err();
    assert!(matches!(refused(&place), CheckpointError::TooMuch(300)));
    (0..20).for_each(|n| place.write_file(&format!("n{n}"), ""));
    assert!(matches!(refused(&place), CheckpointError::TooMany(20)));
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert!(matches!(place.store.record(&[], &[], &cancelled), Err(CheckpointError::Cancelled)));
}

#[test]
fn checkpoint_apply_does_not_write_through_new_symlink() {
    let place = CheckpointWorkspace::new();
    let outside = tempfile::tempdir().unwrap();
    place.write_file("d/f", "one");
    let one = place.record();
    place.write_file("d/f", "two");
    let now = place.record();
    let step = Step { base: now.files.clone(), target: one.files.clone() };
    let plan = place.store.plan(&now, &[step], &Decisions::new()).unwrap();
    fs::rename(place.root.join("d"), place.root.join("kept")).unwrap();
    symlink(outside.path(), place.root.join("d")).unwrap();
    let applied = place.store.apply(&now, &plan, &mut NoOpenFiles);
    assert_eq!((applied.done, applied.failed.len()), (0, 1));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn checkpoint_apply_keeps_file_changed_after_plan() {
    let place = CheckpointWorkspace::new();
    place.write_file("f", "one");
    place.write_file("g", "one");
    let one = place.record();
    place.write_file("f", "two");
    place.write_file("g", "two");
    let now = place.record();
    let step = Step { base: now.files.clone(), target: one.files.clone() };
    let plan = place.store.plan(&now, &[step], &Decisions::new()).unwrap();
    place.write_file("f", "typed just now");
    let applied = place.store.apply(&now, &plan, &mut NoOpenFiles);
    assert_eq!(applied.failed, [(name("f"), "changed meanwhile".to_string())]);
    assert_eq!((place.read_file("f"), place.read_file("g")), ("typed just now".into(), "one".into()));
}

#[test]
fn checkpoint_detects_changes_with_equal_mtime() {
    let place = CheckpointWorkspace::new();
    let mut seen = std::collections::BTreeSet::new();
    for n in 0..40 {
        // The same length each time, and mostly the same date.
        place.write_file("f", &format!("{n:03}"));
        seen.insert(place.record().id);
    }
    assert_eq!(seen.len(), 40);
}

/// Runs the real git, which need not be there; its own settings are left out.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn git(folder: &Path, arguments: &[&str]) -> Option<(bool, String)> {
    let ran = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", folder)
        .output();
    let Ok(ran) = ran else {
        eprintln!("git is not there; what it would say is not looked at");
        return None;
    };
    let text = [ran.stdout, ran.stderr].concat();
    Some((ran.status.success(), String::from_utf8_lossy(&text).into_owned()))
}

#[test]
fn checkpoint_store_passes_git_fsck() {
    let place = CheckpointWorkspace::new();
    place.write_file("src/main.rs", "fn main() {}\n");
    place.write_file("run", "#!/bin/sh\n");
    fs::set_permissions(place.root.join("run"), Permissions::from_mode(0o700)).unwrap();
    fs::create_dir(place.root.join("empty")).unwrap();
    symlink("src", place.root.join("link")).unwrap();
    fs::write(place.root.join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
    place.write_file("big.txt", &"a line of text that is long\n".repeat(5000));
    let first = place.record().id;
    place.write_file("src/main.rs", "fn main() { work() }\n");
    let second = place.record().id;
    let folder = place.store.store().root();
    let at = format!("--git-dir={}", folder.display());
    let Some((sound, said)) = git(folder, &[&at, "fsck", "--full", "--strict"]) else { return };
    assert!(sound && !said.contains("error") && !said.contains("warning"), "{said}");
    for (id, text) in [(first, "fn main() {}\n"), (second, "fn main() { work() }\n")] {
        let file = format!("{id}:files/src/main.rs");
        assert_eq!(git(folder, &[&at, "cat-file", "-p", &file]).unwrap(), (true, text.to_string()));
    }
    let (_, listed) = git(folder, &[&at, "ls-tree", &format!("{first}:files")]).unwrap();
    let modes: Vec<&str> = listed.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(modes, ["100644", "040000", "120000", "100755", "040000", "100644"], "{listed}");
    let packs = fs::read_dir(folder.join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    for index in packs.filter(|path| path.extension().is_some_and(|ending| ending == "idx")) {
        let (sound, said) = git(folder, &[&at, "verify-pack", index.to_str().unwrap()]).unwrap();
        assert!(sound, "{said}");
    }
}

#[test]
fn checkpoint_restore_leaves_project_git_untouched() {
    let place = CheckpointWorkspace::new();
    place.write_file("tracked", "1");
    if git(&place.root, &["init", "-q"]).is_none() {
        return;
    }
    let run = |arguments: &[&str]| assert!(git(&place.root, arguments).unwrap().0, "{arguments:?}");
    run(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "start"]);
    run(&["add", "tracked"]);
    place.write_file("tracked", "2");
    let first = place.record();
    let own = image(&place.root.join(".git"));
    place.write_file("tracked", "3");
    place.write_file("new", "x");
    place.restore(first.id);
    assert!(image(&place.root.join(".git")) == own);
    assert_eq!(git(&place.root, &["status", "--porcelain"]).unwrap().1, "AM tracked\n");
}

#[test]
fn checkpoint_concurrent_writers_do_not_interfere() {
    let place = CheckpointWorkspace::new();
    let base = place.store.store().root().parent().unwrap().to_path_buf();
    let states: Vec<(Oid, usize)> = std::thread::scope(|scope| {
        let work = |who: usize| {
            let (base, root) = (base.clone(), place.root.clone());
            move || {
                let keeper = Checkpointer::open(&base, &root, &[], Limits::default()).unwrap();
                let write = |n: usize| fs::write(root.join(format!("f{who}")), format!("{who} {n}")).unwrap();
                let take = |n| {
                    write(n);
                    (keeper.record(&[], &[], &CancellationToken::new()).unwrap().id, who)
                };
                (0..25).map(take).collect::<Vec<_>>()
            }
        };
        let threads: Vec<_> = (0..3).map(|who| scope.spawn(work(who))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(states.len(), 75);
    for (id, who) in states {
        let files = place.store.load(id).unwrap();
        let node = files.get(&name(&format!("f{who}"))).unwrap();
        let text = place.store.store().blob(node.oid().unwrap()).unwrap();
        assert!(text.starts_with(format!("{who} ").as_bytes()));
    }
}

#[test]
fn checkpoint_excludes_bowline_folders() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("state");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("log"), "x").unwrap();
    fs::write(folder.path().join("f"), "x").unwrap();
    let base = folder.path().join("data/checkpoints");
    let keeper = Checkpointer::open(&base, folder.path(), &[own], Limits::default()).unwrap();
    let taken = keeper.record(&[], &[], &CancellationToken::new()).unwrap();
    let names: Vec<String> = taken.files.keys().map(ToString::to_string).collect();
    assert_eq!(names, ["data", "f"]);
}
