//! States of a workspace on real disks: what is recorded comes back to the byte, whoever looks at it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bowline::workspace::checkpoint::apply::Nobody;
use bowline::workspace::checkpoint::{
    Applied, CheckpointError, Decisions, Keeper, Limits, Name, Node, Oid, Plan, Step, Taken, Why,
};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

/// A workspace with a keeper.
struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    keeper: Keeper,
}

impl Place {
    fn new() -> Self {
        Self::limited(Limits::default())
    }

    fn limited(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir(&root).unwrap();
        let keeper = Keeper::open(&folder.path().join("checkpoints"), &root, &[], limits).unwrap();
        Self { root: keeper.root().to_path_buf(), _folder: folder, keeper }
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    fn take(&self) -> Taken {
        self.keeper.take(&[], &[], &CancellationToken::new()).unwrap()
    }

    /// Goes from what is there, which was recorded last, to another state.
    fn go(&self, target: Oid) -> (Plan, Applied) {
        let now = self.take();
        let step = Step { base: Arc::clone(&now.files), target: self.keeper.load(target).unwrap() };
        self.step(&now, step)
    }

    fn step(&self, now: &Taken, step: Step) -> (Plan, Applied) {
        let plan = self.keeper.plan(now, &[step], &Decisions::new()).unwrap();
        let applied = self.keeper.apply(&plan, &mut Nobody);
        (plan, applied)
    }

    fn names(&self, taken: &Taken) -> Vec<String> {
        taken.files.keys().map(ToString::to_string).collect()
    }
}

fn name(text: &str) -> Name {
    Name::from_bytes(text.as_bytes()).unwrap()
}

/// All that is below a folder, read without any of our code: kind and rights, and what it holds.
fn image(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut next = vec![root.to_path_buf()];
    while let Some(folder) = next.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let facts = fs::symlink_metadata(&path).unwrap();
            let content = if facts.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_vec()
            } else if facts.is_dir() {
                next.push(path.clone());
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };
            // Of a link the system does not keep rights.
            let mode = if facts.is_symlink() { 0o120_000 } else { facts.mode() };
            found.insert(path.strip_prefix(root).unwrap().to_path_buf(), (mode, content));
        }
    }
    found
}

/// One change of a tree; what cannot be done where it stands is not done.
#[derive(Debug, Clone)]
enum Act {
    Write(Vec<u8>, Vec<u8>, u32),
    Link(Vec<u8>, Vec<u8>),
    Folder(Vec<u8>, u32),
    Delete(Vec<u8>),
    Rename(Vec<u8>, Vec<u8>),
    Rights(Vec<u8>, u32),
}

fn paths() -> impl Strategy<Value = Vec<u8>> {
    let parts: Vec<&[u8]> =
        vec![b"a", b"b", b"a.b", b"a-b", b"caf\xc3\xa9", b"\xff\xfe", b"new\nline", b" ", b".hidden", b"-"];
    proptest::collection::vec(proptest::sample::select(parts), 1..4).prop_map(|parts| parts.join(&b'/'))
}

fn acts() -> impl Strategy<Value = Act> {
    let rights = proptest::sample::select(vec![0o644, 0o755, 0o600, 0o444, 0o711, 0o777, 0o664]);
    let folder_rights = proptest::sample::select(vec![0o755, 0o700, 0o775, 0o555, 0o500]);
    let content = prop_oneof![
        Just(Vec::new()),
        proptest::collection::vec(any::<u8>(), 0..40),
        "[ab\n]{0,30}".prop_map(String::into_bytes)
    ];
    let target = prop_oneof![
        Just(b"a".to_vec()),
        Just(b"/etc/passwd".to_vec()),
        Just(b"../..".to_vec()),
        Just(b"gone\xff".to_vec())
    ];
    prop_oneof![
        6 => (paths(), content, rights.clone()).prop_map(|(path, content, rights)| Act::Write(path, content, rights)),
        2 => (paths(), target).prop_map(|(path, target)| Act::Link(path, target)),
        2 => (paths(), folder_rights).prop_map(|(path, rights)| Act::Folder(path, rights)),
        2 => paths().prop_map(Act::Delete),
        2 => (paths(), paths()).prop_map(|(from, to)| Act::Rename(from, to)),
        1 => (paths(), rights).prop_map(|(path, rights)| Act::Rights(path, rights)),
    ]
}

/// Does a change as a person at a shell would, through no link.
fn act(root: &Path, act: &Act) -> std::io::Result<()> {
    let at = |path: &[u8]| root.join(OsString::from_vec(path.to_vec()));
    let way = |path: &Path| -> std::io::Result<()> {
        let mut folder = root.to_path_buf();
        for part in path.parent().unwrap().strip_prefix(root).unwrap() {
            folder.push(part);
            match fs::symlink_metadata(&folder) {
                Ok(facts) if facts.is_dir() => fs::set_permissions(&folder, Permissions::from_mode(0o755))?,
                Ok(_) => return Err(std::io::ErrorKind::NotADirectory.into()),
                Err(_) => fs::create_dir(&folder)?,
            }
        }
        Ok(())
    };
    match act {
        Act::Write(path, content, rights) => {
            let path = at(path);
            way(&path)?;
            if fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_symlink()) {
                fs::remove_file(&path)?;
            }
            if path.is_file() {
                fs::set_permissions(&path, Permissions::from_mode(0o600))?;
            }
            fs::write(&path, content)?;
            fs::set_permissions(&path, Permissions::from_mode(*rights))
        }
        Act::Link(path, target) => {
            let path = at(path);
            way(&path)?;
            symlink(OsString::from_vec(target.clone()), path)
        }
        Act::Folder(path, rights) => {
            let path = at(path);
            way(&path)?;
            fs::create_dir(&path)?;
            fs::set_permissions(&path, Permissions::from_mode(*rights))
        }
        Act::Delete(path) => {
            let path = at(path);
            way(&path)?;
            if fs::symlink_metadata(&path)?.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            }
        }
        Act::Rename(from, to) => {
            let (from, to) = (at(from), at(to));
            way(&from)?;
            way(&to)?;
            fs::rename(from, to)
        }
        Act::Rights(path, rights) => {
            let path = at(path);
            way(&path)?;
            let facts = fs::symlink_metadata(&path)?;
            if facts.is_file() { fs::set_permissions(path, Permissions::from_mode(*rights)) } else { Ok(()) }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_tree_comes_back_exactly(rounds in proptest::collection::vec(proptest::collection::vec(acts(), 1..14), 2..5)) {
        let place = Place::new();
        let mut states = vec![(place.take().id, image(&place.root))];
        for round in &rounds {
            for change in round {
                // What cannot be done is left.
                act(&place.root, change).ok();
            }
            states.push((place.take().id, image(&place.root)));
        }
        let ways = (0..states.len()).flat_map(|a| (0..states.len()).map(move |b| [a, b])).flatten();
        for at in ways {
            let (id, expected) = &states[at];
            let (plan, applied) = place.go(*id);
            prop_assert_eq!(&plan.conflicts, &[]);
            prop_assert_eq!(&applied.failed, &[]);
            prop_assert_eq!(&image(&place.root), expected);
            prop_assert_eq!(place.take().id, *id);
        }
    }

    #[test]
    fn what_a_person_changed_is_never_lost(
        before in proptest::collection::vec(acts(), 1..10),
        agent in proptest::collection::vec(acts(), 1..10),
        person in proptest::collection::vec(acts(), 1..10),
    ) {
        let place = Place::new();
        let change = |acts: &[Act]| acts.iter().for_each(|change| { act(&place.root, change).ok(); });
        change(&before);
        let was = place.take();
        change(&agent);
        let done = place.take();
        change(&person);
        let mine = place.take();
        let seen = image(&place.root);
        let (plan, applied) = place.step(&mine, Step { base: done.files.clone(), target: was.files.clone() });
        prop_assert_eq!(&applied.failed, &[]);
        let left = place.take();
        for (name, node) in mine.files.iter() {
            let by_person = done.files.get(name) != Some(node) && was.files.get(name) != Some(node);
            if by_person && !node.is_folder() && !plan.merged.contains(name) {
                prop_assert_eq!(left.files.get(name), Some(node), "{}", name);
            }
        }
        // And the way back from the way back is there.
        place.go(mine.id);
        prop_assert_eq!(image(&place.root), seen);
    }
}

#[test]
fn a_hundred_jumps_between_two_branches_leave_the_same_bytes() {
    let place = Place::new();
    for n in 0..60 {
        place.put(&format!("src/{}/{n}.rs", n % 7), &format!("fn f{n}() {{}}\n").repeat(n));
    }
    place.put("both.txt", "start\n");
    place.take();
    let branch = |which: &str| {
        place.put("both.txt", &format!("start\n{which}\n"));
        place.put(&format!("only/{which}.txt"), which);
        fs::remove_file(place.root.join(format!("src/3/{}.rs", if which == "left" { 3 } else { 10 })))
            .unwrap();
        fs::set_permissions(
            place.root.join("src/1/1.rs"),
            Permissions::from_mode(if which == "left" { 0o755 } else { 0o600 }),
        )
        .unwrap();
        symlink(which, place.root.join(format!("link-{which}"))).unwrap();
        (place.take().id, image(&place.root))
    };
    let start = place.take().id;
    let left = branch("left");
    place.go(start);
    let right = branch("right");
    assert_ne!(left.1, right.1);
    for jump in 0..100 {
        let (id, expected) = if jump % 2 == 0 { &left } else { &right };
        let (plan, applied) = place.go(*id);
        assert!(plan.conflicts.is_empty() && applied.failed.is_empty() && !plan.changes.is_empty());
        assert!(image(&place.root) == *expected, "jump {jump}");
    }
}

#[test]
fn ten_thousand_files_come_back_and_are_read_once() {
    let place = Place::new();
    for n in 0..10_000 {
        place.put(&format!("d{}/e{}/f{n}.txt", n % 20, n % 300), &format!("file {n}\n"));
    }
    let full = place.take();
    let before = image(&place.root);
    assert_eq!(full.files.values().filter(|node| matches!(node, Node::File { .. })).count(), 10_000);
    for n in 0..10_000 {
        let path = place.root.join(format!("d{}/e{}/f{n}.txt", n % 20, n % 300));
        match n % 4 {
            0 => fs::remove_file(path).unwrap(),
            1 => fs::write(path, format!("other {n}\n")).unwrap(),
            2 => fs::rename(&path, path.with_extension("moved")).unwrap(),
            _ => {}
        }
    }
    let (plan, applied) = place.go(full.id);
    assert_eq!((applied.failed.len(), plan.conflicts.len()), (0, 0));
    assert!(image(&place.root) == before);
    assert_eq!(place.take().id, full.id);
    let packs = fs::read_dir(place.keeper.store().root().join("objects/pack")).unwrap().count();
    assert!(packs <= 6, "two states are two packs, not ten thousand files: {packs}");
}

#[test]
fn what_is_ignored_stays_unless_it_is_asked_for() {
    let place = Place::new();
    place.put(".gitignore", "target/\n*.env\n");
    place.put("target/big/o", "object");
    place.put("a.env", "secret=1");
    place.put("b.env", "secret=2");
    place.put("sub/.git/config", "[core]");
    place.put("sub/x", "nested");
    let first = place.take();
    assert_eq!(place.names(&first), [".gitignore", "sub", "sub/x"]);
    let asked = place.keeper.take(&[name("a.env")], &[], &CancellationToken::new()).unwrap();
    assert_eq!(place.names(&asked), [".gitignore", "a.env", "sub", "sub/x"]);
    place.put("a.env", "secret=changed");
    let later = place.take();
    assert!(later.files.contains_key(&name("a.env")), "what was recorded once goes on being recorded");
    place.go(asked.id);
    assert_eq!((place.text("a.env"), place.text("target/big/o")), ("secret=1".into(), "object".into()));
}

#[test]
fn a_turn_that_ignored_less_takes_nothing_away_on_the_way_back() {
    let place = Place::new();
    place.put(".gitignore", "out/\n");
    place.put("out/result", "hours of work");
    let before = place.take();
    place.put(".gitignore", "");
    place.put("out/more", "x");
    let (plan, _) = place.go(before.id);
    assert_eq!((place.text("out/result"), plan.left.len()), ("hours of work".into(), 2));
    assert_eq!(place.text(".gitignore"), "out/\n");
}

#[test]
fn limits_are_told_and_nothing_is_lost_by_them() {
    let limits = Limits { file: 100, files: 20, bytes: 300, ..Limits::default() };
    let place = Place::limited(limits);
    place.put("small", "s");
    place.put("large", &"x".repeat(101));
    rustix::fs::mkfifoat(rustix::fs::CWD, place.root.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let first = place.take();
    let left: Vec<_> = first.left_out.iter().map(|(name, why)| (name.to_string(), *why)).collect();
    assert_eq!(left, [("large".to_string(), Why::TooLarge), ("pipe".to_string(), Why::NoFile)]);
    place.put("small", "changed");
    fs::remove_file(place.root.join("large")).unwrap();
    place.put("large", "now it is small");
    let (plan, applied) = place.go(first.id);
    assert!(applied.failed.is_empty());
    assert_eq!((plan.left.len(), place.text("small")), (1, "s".to_string()));
    assert_eq!(place.text("large"), "now it is small");
    (0..3).for_each(|n| place.put(&format!("part{n}"), &"y".repeat(99)));
    let refused = |place: &Place| place.keeper.take(&[], &[], &CancellationToken::new()).unwrap_err();
    assert!(matches!(refused(&place), CheckpointError::TooMuch(300)));
    (0..20).for_each(|n| place.put(&format!("n{n}"), ""));
    assert!(matches!(refused(&place), CheckpointError::TooMany(20)));
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert!(matches!(place.keeper.take(&[], &[], &cancelled), Err(CheckpointError::Cancelled)));
}

#[test]
fn nothing_is_written_through_a_link_that_came_meanwhile() {
    let place = Place::new();
    let outside = tempfile::tempdir().unwrap();
    place.put("d/f", "one");
    let one = place.take();
    place.put("d/f", "two");
    let now = place.take();
    let step = Step { base: now.files.clone(), target: one.files.clone() };
    let plan = place.keeper.plan(&now, &[step], &Decisions::new()).unwrap();
    fs::rename(place.root.join("d"), place.root.join("kept")).unwrap();
    symlink(outside.path(), place.root.join("d")).unwrap();
    let applied = place.keeper.apply(&plan, &mut Nobody);
    assert_eq!((applied.done, applied.failed.len()), (0, 1));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_changes_between_the_look_and_the_way_back_stays() {
    let place = Place::new();
    place.put("f", "one");
    place.put("g", "one");
    let one = place.take();
    place.put("f", "two");
    place.put("g", "two");
    let now = place.take();
    let step = Step { base: now.files.clone(), target: one.files.clone() };
    let plan = place.keeper.plan(&now, &[step], &Decisions::new()).unwrap();
    place.put("f", "typed just now");
    let applied = place.keeper.apply(&plan, &mut Nobody);
    assert_eq!(applied.failed, [(name("f"), "changed meanwhile".to_string())]);
    assert_eq!((place.text("f"), place.text("g")), ("typed just now".into(), "one".into()));
}

#[test]
fn changes_of_one_tick_are_seen() {
    let place = Place::new();
    let mut seen = std::collections::BTreeSet::new();
    for n in 0..40 {
        // The same length each time, and mostly the same date.
        place.put("f", &format!("{n:03}"));
        seen.insert(place.take().id);
    }
    assert_eq!(seen.len(), 40);
}

/// Runs the real git, which need not be there; its own settings are left out.
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
fn git_reads_the_store_and_finds_nothing_wrong() {
    let place = Place::new();
    place.put("src/main.rs", "fn main() {}\n");
    place.put("run", "#!/bin/sh\n");
    fs::set_permissions(place.root.join("run"), Permissions::from_mode(0o700)).unwrap();
    fs::create_dir(place.root.join("empty")).unwrap();
    symlink("src", place.root.join("link")).unwrap();
    fs::write(place.root.join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
    place.put("big.txt", &"a line of text that is long\n".repeat(5000));
    let first = place.take().id;
    place.put("src/main.rs", "fn main() { work() }\n");
    let second = place.take().id;
    let folder = place.keeper.store().root();
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
fn the_projects_own_repository_is_left_alone() {
    let place = Place::new();
    place.put("tracked", "1");
    if git(&place.root, &["init", "-q"]).is_none() {
        return;
    }
    let run = |arguments: &[&str]| assert!(git(&place.root, arguments).unwrap().0, "{arguments:?}");
    run(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "start"]);
    run(&["add", "tracked"]);
    place.put("tracked", "2");
    let first = place.take();
    let own = image(&place.root.join(".git"));
    place.put("tracked", "3");
    place.put("new", "x");
    place.go(first.id);
    assert!(image(&place.root.join(".git")) == own);
    assert_eq!(git(&place.root, &["status", "--porcelain"]).unwrap().1, "AM tracked\n");
}

#[test]
fn two_keepers_of_one_workspace_do_not_disturb_each_other() {
    let place = Place::new();
    let base = place.keeper.store().root().parent().unwrap().to_path_buf();
    let states: Vec<(Oid, usize)> = std::thread::scope(|scope| {
        let work = |who: usize| {
            let (base, root) = (base.clone(), place.root.clone());
            move || {
                let keeper = Keeper::open(&base, &root, &[], Limits::default()).unwrap();
                let write = |n: usize| fs::write(root.join(format!("f{who}")), format!("{who} {n}")).unwrap();
                let take = |n| {
                    write(n);
                    (keeper.take(&[], &[], &CancellationToken::new()).unwrap().id, who)
                };
                (0..25).map(take).collect::<Vec<_>>()
            }
        };
        let threads: Vec<_> = (0..3).map(|who| scope.spawn(work(who))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(states.len(), 75);
    for (id, who) in states {
        let files = place.keeper.load(id).unwrap();
        let node = files.get(&name(&format!("f{who}"))).unwrap();
        let text = place.keeper.store().blob(node.oid().unwrap()).unwrap();
        assert!(text.starts_with(format!("{who} ").as_bytes()));
    }
}

#[test]
fn bowlines_own_folders_are_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("state");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("log"), "x").unwrap();
    fs::write(folder.path().join("f"), "x").unwrap();
    let base = folder.path().join("data/checkpoints");
    let keeper = Keeper::open(&base, folder.path(), &[own], Limits::default()).unwrap();
    let taken = keeper.take(&[], &[], &CancellationToken::new()).unwrap();
    let names: Vec<String> = taken.files.keys().map(ToString::to_string).collect();
    assert_eq!(names, ["data", "f"]);
}
