//! A session beside the one that goes on.

use super::*;

fn lines(session: &Session) -> Vec<String> {
    session.entries().map(|entry| entry.line().unwrap().into_owned()).collect()
}

/// What can be seen of a session.
fn seen(session: &Session) -> (Vec<String>, Vec<String>, Option<String>, Vec<String>) {
    let mut labels: Vec<String> = session.labels().into_iter().map(|(id, name)| id + &name).collect();
    labels.sort();
    (lines(session), texts(session), session.leaf().map(str::to_string), labels)
}

/// Says a few things on two branches.
fn grow(session: &mut Session, from: usize) {
    let first = session.append(user(&format!("a{from}"))).unwrap();
    session.append(EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() }).unwrap();
    session.append(user(&format!("b{from}"))).unwrap();
    session.branch(Some(&first)).unwrap();
    session.append(user(&format!("c{from}"))).unwrap();
    session.set_label(&first, Some("here")).unwrap();
}

#[test]
fn session_snapshot_is_unaffected_by_appends() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let cwd = Path::new("/work");
    let in_file = Session::create(root.path(), cwd, clock.clone(), ids.clone());
    for mut session in [in_file, Session::in_memory(cwd, clock, ids)] {
        let empty = session.read_only_copy();
        grow(&mut session, 0);
        let (before, beside) = (seen(&session), session.read_only_copy());
        assert_eq!((&seen(&beside), beside.file()), (&before, session.file()));
        assert_eq!((beside.id(), beside.name()), (session.id(), session.name()));
        grow(&mut session, 1);
        assert_eq!(seen(&beside), before);
        assert_eq!(empty.entries().len(), 0);
        assert_eq!(seen(&session.read_only_copy()), seen(&session));
        let mut beside = session.read_only_copy();
        let added = beside.append(user("no"));
        assert_eq!(added.is_err(), session.file().is_some(), "what has a file is only looked at");
    }
}

#[test]
fn session_snapshot_reads_index_and_later_entries() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut session = Session::create(root.path(), Path::new("/work"), clock, ids);
    grow(&mut session, 0);
    let path = session.file().unwrap().to_path_buf();
    drop(session);
    drop(open(&path));
    let mut session = open(&path);
    grow(&mut session, 1);
    let (before, beside) = (seen(&session), session.read_only_copy());
    grow(&mut session, 2);
    assert_eq!(seen(&beside), before);
    fs::remove_file(&path).unwrap();
    // The next entry makes the file again, and the lines are elsewhere.
    grow(&mut session, 3);
    assert_eq!(seen(&beside), before);
}
