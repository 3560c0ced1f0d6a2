//! Rules by paths and approvals hold for the file that a path leads to, whatever it is called.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use bowline::tools::{Approval, Ask, Decision, Mode, Rules};
use futures::future::BoxFuture;
use serde_json::json;

use crate::permissions::{Fixture, NoUser};

#[tokio::test]
async fn path_rule_allow_resolves_symlinks() {
    let fixture = Fixture::new(&["src/a.rs"], "[[rule]]\ndecision = \"allow\"\npath = \"src/**\"\n");
    let parent = fixture.root.parent().unwrap();
    fs::create_dir_all(parent.join("other")).unwrap();
    fs::write(parent.join("other/a.txt"), "old\n").unwrap();
    symlink("../../other", fixture.root.join("src/folder")).unwrap();
    symlink("../../other/a.txt", fixture.root.join("src/b.rs")).unwrap();
    for path in ["src/folder/a.txt", "src/folder/new.txt", "src/b.rs"] {
        let args = json!({"path": path, "content": "x"});
        let (text, failed) = fixture.call("pi", "write", args).await;
        assert!(failed && text.contains("file outside the workspace"), "{path}: {text}");
    }
    assert_eq!(fs::read_to_string(parent.join("other/a.txt")).unwrap(), "old\n");
    assert!(!parent.join("other/new.txt").exists());
    assert!(!fixture.call("pi", "write", json!({"path": "src/a.rs", "content": "x"})).await.1);
}

#[tokio::test]
async fn path_rule_allow_keeps_protection_of_linked_file() {
    let fixture = Fixture::new(&["a.txt"], "[[rule]]\ndecision = \"allow\"\npath = \"/**\"\n");
    let parent = fixture.root.parent().unwrap();
    fs::create_dir_all(parent.join("other")).unwrap();
    fs::create_dir_all(fixture.root.join(".git/hooks")).unwrap();
    fs::write(parent.join(".bashrc"), "old\n").unwrap();
    // Outside the workspace under one name, guarded under the other.
    fs::hard_link(parent.join(".bashrc"), parent.join("other/a.txt")).unwrap();
    fs::write(parent.join("other/b.txt"), "old\n").unwrap();
    symlink("../../../other/b.txt", fixture.root.join(".git/hooks/pre-commit")).unwrap();
    for path in ["../other/a.txt", ".git/hooks/pre-commit"] {
        let args = json!({"path": path, "content": "x"});
        let (text, failed) = fixture.call("pi", "write", args).await;
        assert!(failed && text.contains("your own set-up"), "{path}: {text}");
    }
    for path in ["other/a.txt", "other/b.txt"] {
        assert_eq!(fs::read_to_string(parent.join(path)).unwrap(), "old\n");
    }
}

#[tokio::test]
async fn path_rule_allow_does_not_expose_auth_file() {
    for decision in ["allow", "ask"] {
        let fixture =
            Fixture::new(&["a.txt"], &format!("[[rule]]\ndecision = \"{decision}\"\npath = \"/**\"\n"));
        let own = fixture.root.parent().unwrap().join("own");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("auth.json"), "{\"x\": \"the key\"}\n").unwrap();
        symlink(own.join("auth.json"), fixture.root.join("link.txt")).unwrap();
        for mode in Mode::ALL {
            for path in ["link.txt", "../own/auth.json"] {
                let args = json!({"path": path});
                let (text, failed) = fixture.call_as(mode, Arc::new(NoUser), "pi", "read", args).await;
                assert!(failed && text.contains("file that holds keys"), "{decision} {mode:?}: {text}");
            }
        }
    }
}

/// Denies, and remembers whether the answer could have held for later calls.
#[derive(Default)]
struct RecordingDeny(std::sync::Mutex<Vec<(String, bool)>>);

impl Approval for RecordingDeny {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        self.0.lock().unwrap().push((ask.rule, ask.repeatable || ask.proposal.is_some()));
        Box::pin(std::future::ready(Decision::Deny(String::new())))
    }
}

#[tokio::test]
async fn approval_of_protected_file_is_once_only() {
    let patch = "*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n\
                 *** Add File: ../other.txt\n+x\n*** End Patch";
    let hook = json!({"path": ".git/hooks/pre-commit", "content": "x"});
    for (rules, set, name, args) in [
        ("", "openai", "apply_patch", json!({"input": patch})),
        ("[[rule]]\ndecision = \"ask\"\npath = \"/**\"\n", "pi", "write", hook),
    ] {
        let fixture = Fixture::new(&["a.txt"], rules);
        let unwilling = Arc::new(RecordingDeny::default());
        let (text, failed) = fixture.call_as(Mode::OnRequest, unwilling.clone(), set, name, args).await;
        assert!(failed && !fixture.root.join(".git").exists(), "{text}");
        let asked = unwilling.0.lock().unwrap();
        let reason = "file of the repository's, bowline's or your own set-up".to_string();
        assert_eq!(*asked, [(reason, false)], "{name}");
    }
}

#[tokio::test]
async fn path_rule_applies_to_path_with_at_prefix() {
    let mut fixture = Fixture::new(&["types/a.ts"], "[[rule]]\ndecision = \"deny\"\npath = \"types/a.ts\"\n");
    let own = fixture.root.parent().unwrap().join("own");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("auth.json"), "{\"x\": \"the key\"}\n").unwrap();
    symlink(&own, fixture.root.join("link")).unwrap();
    let (text, failed) = fixture.call("pi", "read", json!({"path": "@types/a.ts"})).await;
    assert!(failed && text.contains("forbidden by the rule `deny path"), "{text}");
    fixture.rules = Rules::default();
    let (text, failed) = fixture.call("pi", "read", json!({"path": "@link/auth.json"})).await;
    assert!(failed && text.contains("file that holds keys"), "{text}");
    assert!(!fixture.call("pi", "read", json!({"path": "@types/a.ts"})).await.1);
}
