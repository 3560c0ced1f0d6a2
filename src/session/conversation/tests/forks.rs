//! Labels, names, forks and copies.

use std::path::Path;

use super::{look, parts, texts, user};
use crate::session::{Entry, EntryBody, Session, SessionError};

/// `root - left - label(root)`, `root - kept - label(left) - named`; the session and its folder.
fn branched(root: &Path) -> (Session, [String; 3]) {
    let (clock, ids) = parts();
    let mut session = Session::create(root, Path::new("/w"), clock, ids);
    let first = session.append(user("root")).unwrap();
    let left = session.append(user("left")).unwrap();
    session.set_label(&first, Some("start")).unwrap();
    session.branch(Some(&first)).unwrap();
    let kept = session.append(user("kept")).unwrap();
    session.set_label(&left, Some("elsewhere")).unwrap();
    session.append(EntryBody::SessionInfo { name: Some("named".into()) }).unwrap();
    (session, [first, left, kept])
}

#[test]
fn session_labels_and_name_use_latest() {
    let root = tempfile::tempdir().unwrap();
    let (mut session, [first, left, _]) = branched(root.path());
    let named = |session: &Session, id: &str| session.labels().get(id).cloned();
    assert_eq!((session.name(), named(&session, &first)), (Some("named".into()), Some("start".into())));
    session.set_label(&first, Some("again")).unwrap();
    session.set_label(&left, None).unwrap();
    assert_eq!((named(&session, &first), named(&session, &left)), (Some("again".into()), None));
    assert!(matches!(session.set_label("nobody", Some("x")), Err(SessionError::NoSuchEntry(_))));
}

#[test]
fn session_fork_keeps_branch_and_labels() {
    let root = tempfile::tempdir().unwrap();
    let (session, [first, _, kept]) = branched(root.path());
    let fork = session.fork(root.path(), Path::new("/v"), session.leaf()).unwrap();
    assert_eq!(fork.header().parent_session.as_deref(), session.file().unwrap().to_str());
    assert_eq!((fork.header().cwd.as_str(), fork.name()), ("/v", Some("named".into())));
    assert_ne!(fork.id(), session.id());
    let written = look(fork.file().unwrap());
    assert_eq!((texts(&written), written.problems().len()), (texts(&session), 0));
    let labels: Vec<(String, String)> = written.labels().into_iter().collect();
    assert_eq!(labels, [(first.clone(), "start".to_string())]);
    // The label between them is gone, and what followed it follows what was before.
    let info = written.entries().find(|entry| entry.kind() == "session_info").unwrap();
    assert_eq!(info.parent_id(), Some(kept.as_str()));
    let kinds: Vec<&str> = written.entries().map(Entry::kind).collect();
    assert_eq!(kinds, ["message", "message", "session_info", "label"]);
    let original = session.tree().get(&first).unwrap().line().unwrap();
    assert_eq!(written.tree().get(&first).unwrap().line().unwrap(), original);
    let early = session.fork(root.path(), Path::new("/v"), Some(&first)).unwrap();
    assert_eq!((texts(&early).len(), early.labels().len()), (1, 1));
    assert!(session.fork(root.path(), Path::new("/v"), Some("nobody")).is_err());
}

#[test]
fn session_copy_keeps_every_branch() {
    let root = tempfile::tempdir().unwrap();
    let (session, _) = branched(root.path());
    let mut copy = session.copy(root.path()).unwrap();
    let lines = |session: &Session| -> Vec<String> {
        session.entries().map(|entry| entry.line().unwrap().into_owned()).collect()
    };
    assert_eq!((lines(&copy), texts(&copy)), (lines(&session), texts(&session)));
    assert_eq!(copy.header().parent_session.as_deref(), session.file().unwrap().to_str());
    copy.append(user("more")).unwrap();
    assert_eq!(look(copy.file().unwrap()).entries().len(), session.entries().len() + 1);
}
