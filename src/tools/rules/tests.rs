//! Rules against command lines and paths.

use super::*;

const FILE: &str = r#"
[[rule]]
decision = "allow"
command = "cargo test"

[[rule]]
decision = "allow"
command = "git"

[[rule]]
decision = "deny"
command = "git push"

[[rule]]
decision = "ask"
command = "git commit"

[[rule]]
decision = "deny"
command = "rm"

[[rule]]
decision = "deny"
path = ".env"

[[rule]]
decision = "allow"
tool = "edit"
path = "~/notes/**"

[[rule]]
decision = "ask"
tool = "write"
path = "src/*.rs"
"#;

fn rules(text: &str, author: Author) -> (Rules, Vec<String>) {
    let mut rules = Rules::default();
    let problems = rules.add(text, author, Path::new("/w/a[b"), Path::new("/home/me"));
    (rules, problems)
}

fn word(said: Option<Said>) -> &'static str {
    match said.map(|said| said.ruling) {
        None => "-",
        Some(Ruling::Allow) => "allow",
        Some(Ruling::Ask) => "ask",
        Some(Ruling::Deny) => "deny",
    }
}

#[test]
fn every_part_of_a_command_line_needs_leave() {
    let (rules, problems) = rules(FILE, Author::Person);
    assert_eq!(problems, Vec::<String>::new());
    for (line, expected) in [
        ("cargo test", "allow"),
        ("cargo test -p x", "allow"),
        ("cargo 'test' \"$x\"", "allow"),
        ("cd x && cargo test | tail -5", "allow"),
        ("timeout 60 cargo test 2>&1", "allow"),
        ("cargo test && rm -rf b", "deny"),
        ("cargo test && touch b", "-"),
        ("cargo test > f", "-"),
        ("cargo test &", "-"),
        ("cargo test $(touch x)", "-"),
        ("cargo test $(cargo test)", "allow"),
        ("FOO=1 cargo test", "-"),
        ("cargo tests", "-"),
        ("cargo", "-"),
        ("cargo $x", "-"),
        ("./cargo test", "-"),
        ("bash -c 'cargo test'", "-"),
        ("sudo cargo test", "-"),
        ("cargo test 'open", "-"),
        ("ls", "-"),
        ("git status", "allow"),
        ("git push origin", "deny"),
        ("git -C x push", "ask"),
        ("git $x", "ask"),
        ("git commit -m x", "ask"),
        ("git commit; git push", "deny"),
        ("cd x && git fetch", "-"),
        ("/bin/rm x", "deny"),
        ("$x y", "ask"),
        ("find . -exec rm {} +", "deny"),
        ("ls | xargs rm", "deny"),
        ("bash -c 'ls; rm x'", "deny"),
        ("echo rm", "-"),
    ] {
        assert_eq!(word(rules.command(&["bash"], line)), expected, "{line}");
    }
    assert_eq!(rules.command(&["bash"], "git push").unwrap().rule, "deny command \"git push\"");
}

#[test]
fn paths_are_judged_by_patterns() {
    let (rules, _) = rules(FILE, Author::Person);
    let said = |tool, class, path: &str| word(rules.file(&[tool], class, &[Path::new(path)]));
    for (tool, class, path, expected) in [
        ("read", ToolClass::Reads, "/w/a[b/.env", "deny"),
        ("read", ToolClass::Reads, "/w/a[b/deep/er/.env", "deny"),
        ("read", ToolClass::Reads, "/w/a[b/.envrc", "-"),
        ("read", ToolClass::Reads, "/w/ab/.env", "-"),
        ("edit", ToolClass::Edits, "/home/me/notes/ä/b.md", "allow"),
        ("write", ToolClass::Edits, "/home/me/notes/b.md", "-"),
        ("edit", ToolClass::Edits, "/home/me/notes.md", "-"),
        ("write", ToolClass::Edits, "/w/a[b/src/a.rs", "ask"),
        ("write", ToolClass::Edits, "/w/a[b/src/x/a.rs", "-"),
        ("write", ToolClass::Edits, "relative", "-"),
    ] {
        assert_eq!(said(tool, class, path), expected, "{tool} {path}");
    }
    // A link's own name is enough to forbid, and not enough to allow.
    let (real, link) = (Path::new("/etc/x"), Path::new("/home/me/notes/x"));
    assert_eq!(word(rules.file(&["edit"], ToolClass::Edits, &[real, link])), "-");
    let (real, link) = (Path::new("/etc/x"), Path::new("/w/a[b/.env"));
    assert_eq!(word(rules.file(&["read"], ToolClass::Reads, &[real, link])), "deny");
}

#[test]
fn a_rule_for_a_tool_forbids_and_asks() {
    let (rules, _) = rules("[[rule]]\ndecision = \"deny\"\ntool = \"bash\"", Author::Person);
    assert_eq!(word(rules.command(&["bash"], "ls")), "deny");
    assert_eq!(word(rules.file(&["read"], ToolClass::Reads, &[Path::new("/w/x")])), "-");
    // Leave for all commands would be leave for what nobody can tell.
    let (rules, _) = self::rules("[[rule]]\ndecision = \"allow\"\ntool = \"bash\"", Author::Person);
    assert_eq!(word(rules.command(&["bash"], "rm x")), "-");
}

#[test]
fn a_project_only_tightens() {
    let (rules, problems) = rules(FILE, Author::Project);
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert_eq!(problems[0], "allow command \"cargo test\": a project cannot allow anything; ignored");
    assert_eq!(word(rules.command(&["bash"], "cargo test")), "-");
    assert_eq!(word(rules.command(&["bash"], "rm x")), "deny");
}

#[test]
fn what_is_wrong_never_loosens() {
    let allow = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
    for wrong in [
        "command = \"a; b\"",
        "command = \"a > b\"",
        "command = \"$x\"",
        "command = \"\"",
        "command = \"a\"\npath = \"b\"",
        "path = \"!x\"",
        "path = \"\"",
        "",
    ] {
        let (rules, problems) =
            rules(&format!("{allow}[[rule]]\ndecision = \"deny\"\n{wrong}"), Author::Person);
        assert_eq!(problems.len(), 1, "{wrong}");
        assert_eq!(word(rules.command(&["bash"], "make")), "-", "{wrong}");
    }
    for broken in ["[[rule", "[[rule]]\ndecision = \"maybe\"", "[[rule]]\ndecision = \"deny\"\nhots = \"x\""]
    {
        let (rules, problems) = rules(broken, Author::Person);
        assert!(problems.len() == 1 && problems[0].ends_with("everything is asked about"), "{problems:?}");
        assert_eq!(word(rules.command(&["bash"], "make")), "ask");
        assert_eq!(word(rules.file(&["edit"], ToolClass::Edits, &[Path::new("/w/x")])), "ask");
    }
}
