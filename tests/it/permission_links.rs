//! Commands and searches do not reach the file that holds keys over links and other names of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use bowline::tools::Mode;
use serde_json::json;

use crate::permissions::{Fixture, NoUser, bash};

/// Each of the commands fails, and its output does not have the key.
async fn assert_commands_do_not_show_key(fixture: &Fixture, lines: &[&str]) {
    for line in lines {
        let (text, failed) = bash(fixture, Mode::AutoEdit, line).await;
        assert!(failed && !text.contains("the key"), "{line}: {text}");
    }
}

#[tokio::test]
async fn auth_file_is_unreachable_through_symlinks() {
    let fixture = Fixture::new(&["a.txt", "sub/b.txt"], "");
    let own = fixture.root.parent().unwrap().join("own");
    fs::create_dir_all(&own).unwrap();
    let keys = own.join("auth.json");
    fs::write(&keys, "{\"x\": \"the key\"}\n").unwrap();
    symlink("sub", fixture.root.join("inside")).unwrap();
    let follow = [
        "grep -R key .",
        "grep --dereference-recursive key",
        "rg -L key",
        "rg --follow key",
        "diff -r . sub",
    ];
    for line in follow {
        assert!(
            !bash(&fixture, Mode::AutoEdit, line).await.0.contains("holds keys"),
            "{line}: links stay inside"
        );
    }
    // By way of a folder that is linked in a linked folder.
    let beside = fixture.root.parent().unwrap().join("beside");
    fs::create_dir_all(&beside).unwrap();
    symlink(&own, beside.join("deep")).unwrap();
    symlink(&beside, fixture.root.join("sub/out")).unwrap();
    for line in follow {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(failed && text.contains("file that holds keys"), "{line}: {text}");
    }
    let (text, _) = bash(&fixture, Mode::AutoEdit, "grep -r key .").await;
    assert!(!text.contains("holds keys"), "it follows no links: {text}");
    fs::remove_file(fixture.root.join("sub/out")).unwrap();
    // Whatever a link is called, and whatever the shell makes of a word.
    let odd = std::os::unix::ffi::OsStrExt::from_bytes(b"sub/a\xff");
    for name in [std::ffi::OsStr::new("sub/$'x'"), odd] {
        symlink(&own, fixture.root.join(name)).unwrap();
        for line in ["grep -R key .", "cat sub/*/*", "head sub/?*/auth.*"] {
            let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
            assert!(failed && !text.contains("the key"), "{name:?} {line}: {text}");
        }
        fs::remove_file(fixture.root.join(name)).unwrap();
    }
    symlink(&keys, fixture.root.join("b.txt")).unwrap();
    let globs = ["cat *", "cat ./*", "cat b*", "cat [b].txt", "cat {a,b}.txt", "grep key *", "cat < b*"];
    assert_commands_do_not_show_key(&fixture, &globs).await;
    for line in ["cat sub/*", "ls *", "cat a*.txt sub/b.*"] {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(!failed || line.starts_with("cat sub"), "{line}: {text}");
        assert!(!text.contains("holds keys"), "{line}: {text}");
    }
    fs::remove_file(fixture.root.join("b.txt")).unwrap();
    fs::hard_link(&keys, fixture.root.join("sub/other")).unwrap();
    let args = json!({"pattern": "the key", "path": "."});
    let (text, _) = fixture.call_as(Mode::Full, Arc::new(NoUser), "pi", "grep", args).await;
    assert!(!text.contains("sub/other"), "{text}");
    let searches = ["grep -r key .", "rg -uu key", "git grep --no-index key"];
    assert_commands_do_not_show_key(&fixture, &searches).await;
}

/// Reads files that no word names.
const COMPUTED_PATHS: [&str; 20] = [
    "x=../own/auth.json; cat $x",
    "x=../own; cat $x/*",
    "for f in ../own/*; do cat \"$f\"; done",
    "find .. -name auth.json -exec cat {} +",
    "find .. -name auth.json -exec cat {} \\;",
    "find .. -name 'auth*' | xargs cat",
    "find ~ -name auth.json | xargs cat",
    "ls -d ../own/* | xargs cat",
    "ls -d ~/*/* | xargs cat",
    "cd .. && find . -name auth.json | xargs cat",
    "find ../work/../ow* -type f | xargs cat",
    "cat list | xargs cat",
    "xargs cat < list",
    "cat $(cat list)",
    "cat `cat list`",
    "read x < list; cat \"$x\"",
    "grep key $(cat list)",
    "sort --files0-from=list",
    "diff sub ../own",
    "diff sub/auth.json ../own",
];

#[tokio::test]
async fn auth_file_is_unreachable_by_computed_paths() {
    let fixture = Fixture::new(&["a.txt", "sub/auth.json"], "");
    let own = fixture.root.parent().unwrap().join("own");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("auth.json"), "{\"x\": \"the key\"}\n").unwrap();
    fs::write(fixture.root.join("list"), own.join("auth.json").to_str().unwrap()).unwrap();
    for line in COMPUTED_PATHS {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(failed && text.contains("Not run") && !text.contains("the key"), "{line}: {text}");
    }
    let harmless = [
        "find . -name '*.txt' | xargs cat",
        "find sub -type f -exec cat {} +",
        "find . -name a.txt | grep -v sub | sort | xargs grep -n found",
        "for f in *.txt sub/*; do cat \"$f\"; done",
        "x=a.txt; cat $x",
        "cat $(ls *.txt)",
        "diff a.txt sub/auth.json; true",
    ];
    for line in harmless {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(!failed && text.contains("found in"), "{line}: {text}");
    }
}
