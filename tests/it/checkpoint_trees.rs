//! Random trees, many files and many jumps: what is recorded comes back to the byte.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use bowline::workspace::checkpoint::{Node, Step};
use proptest::prelude::*;

use crate::support::checkpoint_workspace::{CheckpointWorkspace, image};

/// One change of a tree; what cannot be done where it stands is not done.
#[derive(Debug, Clone)]
enum TreeChange {
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

fn tree_changes() -> impl Strategy<Value = TreeChange> {
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
        6 => (paths(), content, rights.clone()).prop_map(|(path, content, rights)| TreeChange::Write(path, content, rights)),
        2 => (paths(), target).prop_map(|(path, target)| TreeChange::Link(path, target)),
        2 => (paths(), folder_rights).prop_map(|(path, rights)| TreeChange::Folder(path, rights)),
        2 => paths().prop_map(TreeChange::Delete),
        2 => (paths(), paths()).prop_map(|(from, to)| TreeChange::Rename(from, to)),
        1 => (paths(), rights).prop_map(|(path, rights)| TreeChange::Rights(path, rights)),
    ]
}

/// Makes the folders above a path, or writable; fails where a file or a link is in the way.
fn make_parents(root: &Path, path: &Path) -> std::io::Result<()> {
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
}

/// Does a change as a user at a shell would, through no link.
fn apply_change(root: &Path, act: &TreeChange) -> std::io::Result<()> {
    let at = |path: &[u8]| root.join(OsString::from_vec(path.to_vec()));
    match act {
        TreeChange::Write(path, content, rights) => {
            let path = at(path);
            make_parents(root, &path)?;
            if fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_symlink()) {
                fs::remove_file(&path)?;
            }
            if path.is_file() {
                fs::set_permissions(&path, Permissions::from_mode(0o600))?;
            }
            fs::write(&path, content)?;
            fs::set_permissions(&path, Permissions::from_mode(*rights))
        }
        TreeChange::Link(path, target) => {
            let path = at(path);
            make_parents(root, &path)?;
            symlink(OsString::from_vec(target.clone()), path)
        }
        TreeChange::Folder(path, rights) => {
            let path = at(path);
            make_parents(root, &path)?;
            fs::create_dir(&path)?;
            fs::set_permissions(&path, Permissions::from_mode(*rights))
        }
        TreeChange::Delete(path) => {
            let path = at(path);
            make_parents(root, &path)?;
            if fs::symlink_metadata(&path)?.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            }
        }
        TreeChange::Rename(from, to) => {
            let (from, to) = (at(from), at(to));
            make_parents(root, &from)?;
            make_parents(root, &to)?;
            fs::rename(from, to)
        }
        TreeChange::Rights(path, rights) => {
            let path = at(path);
            make_parents(root, &path)?;
            let facts = fs::symlink_metadata(&path)?;
            if facts.is_file() { fs::set_permissions(path, Permissions::from_mode(*rights)) } else { Ok(()) }
        }
    }
}

proptest! {
    #![proptest_config(crate::support::seeds::cases(48))]
    #[test]
    fn checkpoint_restores_random_trees_exactly(rounds in proptest::collection::vec(proptest::collection::vec(tree_changes(), 1..14), 2..5)) {
        let place = CheckpointWorkspace::new();
        let mut states = vec![(place.record().id, image(&place.root))];
        for round in &rounds {
            for change in round {
                // What cannot be done is left.
                apply_change(&place.root, change).ok();
            }
            states.push((place.record().id, image(&place.root)));
        }
        let ways = (0..states.len()).flat_map(|a| (0..states.len()).map(move |b| [a, b])).flatten();
        for at in ways {
            let (id, expected) = &states[at];
            let (plan, applied) = place.restore(*id);
            prop_assert_eq!(&plan.conflicts, &[]);
            prop_assert_eq!(&applied.failed, &[]);
            prop_assert_eq!(&image(&place.root), expected);
            prop_assert_eq!(place.record().id, *id);
        }
    }

    #[test]
    fn checkpoint_restore_keeps_user_changes(
        before in proptest::collection::vec(tree_changes(), 1..10),
        agent in proptest::collection::vec(tree_changes(), 1..10),
        person in proptest::collection::vec(tree_changes(), 1..10),
    ) {
        let place = CheckpointWorkspace::new();
        let change = |acts: &[TreeChange]| acts.iter().for_each(|change| { apply_change(&place.root, change).ok(); });
        change(&before);
        let was = place.record();
        change(&agent);
        let done = place.record();
        change(&person);
        let mine = place.record();
        let seen = image(&place.root);
        let (plan, applied) = place.apply_step(&mine, Step { base: done.files.clone(), target: was.files.clone() });
        prop_assert_eq!(&applied.failed, &[]);
        let left = place.record();
        for (name, node) in mine.files.iter() {
            let by_person = done.files.get(name) != Some(node) && was.files.get(name) != Some(node);
            if by_person && !node.is_folder() && !plan.merged.contains(name) {
                prop_assert_eq!(left.files.get(name), Some(node), "{}", name);
            }
        }
        // And the way back from the way back is there.
        place.restore(mine.id);
        prop_assert_eq!(image(&place.root), seen);
    }
}

#[test]
fn checkpoint_branch_switches_keep_bytes() {
    let place = CheckpointWorkspace::new();
    for n in 0..60 {
        place.write_file(&format!("src/{}/{n}.rs", n % 7), &format!("fn f{n}() {{}}\n").repeat(n));
    }
    place.write_file("both.txt", "start\n");
    place.record();
    let branch = |which: &str| {
        place.write_file("both.txt", &format!("start\n{which}\n"));
        place.write_file(&format!("only/{which}.txt"), which);
        fs::remove_file(place.root.join(format!("src/3/{}.rs", if which == "left" { 3 } else { 10 })))
            .unwrap();
        fs::set_permissions(
            place.root.join("src/1/1.rs"),
            Permissions::from_mode(if which == "left" { 0o755 } else { 0o600 }),
        )
        .unwrap();
        symlink(which, place.root.join(format!("link-{which}"))).unwrap();
        (place.record().id, image(&place.root))
    };
    let start = place.record().id;
    let left = branch("left");
    place.restore(start);
    let right = branch("right");
    assert_ne!(left.1, right.1);
    for jump in 0..100 {
        let (id, expected) = if jump % 2 == 0 { &left } else { &right };
        let (plan, applied) = place.restore(*id);
        assert!(plan.conflicts.is_empty() && applied.failed.is_empty() && !plan.changes.is_empty());
        assert!(image(&place.root) == *expected, "jump {jump}");
    }
}

#[test]
fn checkpoint_restores_ten_thousand_files_in_few_packs() {
    let place = CheckpointWorkspace::new();
    for n in 0..10_000 {
        place.write_file(&format!("d{}/e{}/f{n}.txt", n % 20, n % 300), &format!("file {n}\n"));
    }
    let full = place.record();
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
    let (plan, applied) = place.restore(full.id);
    assert_eq!((applied.failed.len(), plan.conflicts.len()), (0, 0));
    assert!(image(&place.root) == before);
    assert_eq!(place.record().id, full.id);
    let packs = fs::read_dir(place.store.store().root().join("objects/pack")).unwrap().count();
    assert!(packs <= 6, "two states are two packs, not ten thousand files: {packs}");
}
