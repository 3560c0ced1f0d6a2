//! The commands of the program, from outside: help, completions and manual page of each, and what wrong arguments get.

use std::process::Output;

use bowline::cli::args::Cli;
use clap::CommandFactory;

use crate::print::TestHome;
use crate::support::anthropic as wire;

fn output_texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn run(place: &TestHome, args: &[&str]) -> (Option<i32>, String, String) {
    output_texts(&place.command(args).output().unwrap())
}

/// The words of every command and every command below one.
fn commands() -> Vec<Vec<String>> {
    fn collect_subcommands(command: &clap::Command, path: &[String], all: &mut Vec<Vec<String>>) {
        for child in command.get_subcommands() {
            let path = [path, &[child.get_name().to_string()]].concat();
            collect_subcommands(child, &path, all);
            all.push(path);
        }
    }
    let mut all = Vec::new();
    collect_subcommands(&Cli::command(), &[], &mut all);
    assert!(all.len() > 20, "{all:?}");
    all
}

#[test]
fn help_of_every_command_exits_0_with_usage() {
    let place = TestHome::new(Vec::new());
    for path in commands() {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let (code, out, err) = run(&place, &[&words[..], &["--help"]].concat());
        assert_eq!((code, err.as_str()), (Some(0), ""), "{path:?}");
        assert!(out.contains(&format!("Usage: bowline {}", path.join(" "))), "{path:?}: {out}");
        let (code, same, _) = run(&place, &[&["help"], &words[..]].concat());
        assert_eq!((code, same), (Some(0), out), "{path:?}");
    }
}

#[test]
fn help_lists_every_command() {
    let place = TestHome::new(Vec::new());
    let (code, out, _) = run(&place, &["--help"]);
    assert_eq!(code, Some(0));
    for path in commands().iter().filter(|path| path.len() == 1) {
        assert!(
            out.lines().any(|line| line.trim_start().starts_with(&format!("{} ", path[0]))),
            "{path:?}: {out}"
        );
    }
}

#[test]
fn invalid_arguments_exit_2_with_message() {
    let place = TestHome::new(Vec::new());
    for (args, said) in [
        (&["login", "a", "b"][..], "unexpected argument 'b' found"),
        (&["logout", "--json"], "unexpected argument '--json' found"),
        (&["models"], "`bowline models refresh [PROVIDER]`"),
        (&["models", "list"], "unrecognized subcommand 'list'"),
        (&["prompt"], "bowline prompt --show"),
        (&["sessions", "nonsense"], "unrecognized subcommand 'nonsense'"),
        (&["sessions", "delete"], "<SESSION>"),
        (&["sessions", "search"], "<TEXT>..."),
        (&["sessions", "stats", "--by", "king"], "[possible values: session, day, model, project, tool]"),
        (&["sessions", "diff", "x", "y", "z"], "unexpected argument 'z' found"),
        (&["sessions", "restore", "x", "y", "--take", "neither"], "[possible values: ours, theirs, both]"),
        (&["sessions", "revert", "x", "y", "z"], "unexpected argument 'z' found"),
        (&["export"], "<SESSION>"),
        (&["export", "x", "--format", "pdf"], "[possible values: md, html, jsonl]"),
        (&["import"], "<FILES>..."),
        (&["import", "x", "--from", "vi"], "[possible values: pi, claude, codex]"),
        (&["tool", "--list", "read"], "cannot be used with"),
        (&["completions"], "<SHELL>"),
        (&["completions", "tcsh"], "[possible values: bash, elvish, fish, powershell, zsh]"),
        (&["man", "pages"], "unexpected argument 'pages' found"),
        (&["doctor", "x"], "unexpected argument 'x' found"),
        (&["theme"], "convert"),
        (&["theme", "convert"], "<FILE>"),
        (&["theme", "convert", "x", "--name", "a", "--output", "b"], "cannot be used with"),
        (&["theme", "convert", "x", "--force"], "--output <FILE>"),
    ] {
        let (code, out, err) = run(&place, args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.contains(said), "{args:?}: {err}");
    }
}

#[test]
fn completions_and_man_pages_cover_every_command() {
    let place = TestHome::new(Vec::new());
    let pages = place.work().join("pages");
    let (code, out, _) = run(&place, &["man", "--output", pages.to_str().unwrap()]);
    assert!(code == Some(0) && out.contains("pages"), "{out}");
    let (code, page, _) = run(&place, &["man"]);
    assert_eq!(code, Some(0));
    let scripts = ["bash", "zsh", "fish", "elvish", "powershell"].map(|shell| {
        let (code, script, err) = run(&place, &["completions", shell]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{shell}");
        script
    });
    for path in commands() {
        let name = path.last().unwrap();
        assert!(scripts.iter().all(|script| script.contains(name.as_str())), "{path:?}");
        let own = std::fs::read_to_string(pages.join(format!("bowline-{}.1", path.join("-")))).unwrap();
        assert!(own.contains(".TH"), "{path:?}");
        if path.len() == 1 {
            assert!(page.contains(&format!("bowline\\-{name}(1)")), "{path:?}: {page}");
        }
    }
}

#[test]
fn man_to_unusable_folder_fails_and_names_it() {
    let place = TestHome::new(Vec::new());
    std::fs::write(place.work().join("file"), "").unwrap();
    let (code, out, err) = run(&place, &["man", "-o", "file/pages"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("cannot write to file/pages: "), "{err}");
}

#[test]
fn help_short_fits_one_screen_and_long_lists_every_option() {
    let place = TestHome::new(Vec::new());
    let help = |flag: &str| {
        let (code, out, err) = output_texts(&place.command(&[flag]).env("COLUMNS", "80").output().unwrap());
        assert_eq!((code, err.as_str()), (Some(0), ""), "{flag}");
        out
    };
    let (short, long) = (help("-h"), help("--help"));
    // One row is for the next prompt of the shell.
    assert!(short.lines().count() <= 23, "{} lines\n{short}", short.lines().count());
    assert!(short.lines().all(|line| line.chars().count() <= 80), "{short}");
    let tagline = env!("CARGO_PKG_DESCRIPTION");
    let readme = std::fs::read_to_string(crate::source::root().join("README.md")).unwrap();
    assert!(readme.starts_with(&format!("# bowline\n\n{tagline}.")), "{tagline}");
    assert!(
        short.starts_with(&format!("{tagline}\n")) && long.starts_with(&format!("{tagline}\n")),
        "{short}"
    );
    for option in Cli::command().get_arguments().filter_map(clap::Arg::get_long) {
        assert!(long.contains(&format!("--{option}")), "{option}: {long}");
    }
    for text in ["--print", "--help"] {
        assert!(short.contains(text), "{text}: {short}");
    }
    assert!(!short.contains("--session-dir"), "{short}");
    let (_, version, _) = run(&place, &["-V"]);
    assert_eq!(version, format!("bowline {}\n", env!("CARGO_PKG_VERSION")));
    let (_, tool, _) = run(&place, &["tool", "-h"]);
    assert!(tool.contains("--exclude-tools"), "{tool}");
}

#[test]
fn unknown_word_without_terminal_is_rejected_and_stays_a_prompt_with_p() {
    let place = TestHome::new(vec![wire::text_reply("Yes.")]);
    let (code, out, err) = run(&place, &["nonsense"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("unknown command nonsense") && err.contains("bowline -p nonsense"), "{err}");
    assert!(run(&place, &["session-stat"]).2.contains("did you mean `sessions`?"));
    let (code, out, err) = run(&place, &["-p", "nonsense"]);
    assert_eq!((code, out.as_str()), (Some(0), "Yes.\n"), "{err}");
}

#[test]
fn misspelled_command_is_rejected_with_the_nearest() {
    let place = TestHome::new(vec![wire::text_reply("Yes.")]);
    for args in [&["docter"][..], &["docter", "--json"]] {
        let (code, out, err) = run(&place, args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains("unknown command docter; did you mean `doctor`?"), "{err}");
        assert!(err.contains("To open a new file of that name: bowline ./docter"), "{err}");
    }
    // Below a command and for options clap proposes the nearest.
    for (args, said) in [
        (&["sessions", "serach", "x"][..], "'search'"),
        (&["--modle", "x"], "'--model'"),
        (&["doctor", "--jsn"], "'--json'"),
    ] {
        let (code, _, err) = run(&place, args);
        assert!(code == Some(2) && err.contains("similar") && err.contains(said), "{args:?}: {err}");
    }
    assert!(place.server.requests().is_empty());
    assert_eq!(place.run(&["-p", "docter"]), (0, "Yes.\n".into(), String::new()));
}

#[test]
fn keys_lists_each_builtin_keymap_by_context() {
    let place = TestHome::new(Vec::new());
    for (name, modes, context) in [
        ("default", "none", "global"),
        ("vim", "vim", "normal"),
        ("helix", "helix", "normal"),
        ("emacs", "none", "editor"),
        ("vscode", "none", "editor"),
    ] {
        let (code, out, err) = run(&place, &["keys", "--keymap", name, "--json"]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{name}");
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&found["keymap"], &found["modes"]), (&name.into(), &modes.into()));
        let contexts = found["contexts"].as_array().unwrap();
        assert!(contexts.iter().any(|one| one["context"] == context), "{name}: {out}");
        for binding in contexts.iter().flat_map(|one| one["bindings"].as_array().unwrap()) {
            let has_title = binding["title"].as_str().is_some_and(|title| !title.is_empty());
            assert!(has_title && !binding["keys"].as_array().unwrap().is_empty(), "{name}: {binding}");
        }
        let (code, text, _) = run(&place, &["--keymap", name, "keys"]);
        assert!(code == Some(0) && text.starts_with(&format!("Key map: {name}\n\n")), "{text}");
    }
}

#[test]
fn keys_resolves_user_keymap_over_its_base_and_reports_problems() {
    let place = TestHome::new(Vec::new());
    let config = place.dir.path().join("home/config");
    std::fs::create_dir_all(config.join("keymaps")).unwrap();
    std::fs::write(config.join("settings.toml"), "keymap = \"mine\"\n").unwrap();
    let rows = "\"Ctrl-p\" = \"app.quit\"\n\"Ctrl-Alt-p\" = \"plugin.tidy.run\"\n\"F3\" = \"no.such\"\n";
    std::fs::write(config.join("keymaps/mine.toml"), format!("base = \"default\"\n[global]\n{rows}"))
        .unwrap();
    let (code, text, err) = run(&place, &["keys"]);
    assert_eq!(code, Some(0));
    assert!(err.contains("mine.toml:5: no such command: `no.such`"), "{err}");
    let line = |id: &str| text.lines().find(|line| line.contains(&format!("  {id} "))).unwrap_or_default();
    assert!(line("app.quit").contains("Ctrl-q, Ctrl-p  "), "{text}");
    assert!(line("app.palette").contains("F1"), "the keys of the base stay: {text}");
    let (_, out, _) = run(&place, &["keys", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["problems"].as_array().unwrap().len(), 1);
    let bindings = found["contexts"][0]["bindings"].as_array().unwrap();
    let plugin = bindings.iter().find(|binding| binding["command"] == "plugin.tidy.run").unwrap();
    assert_eq!((&plugin["keys"][0], plugin["title"].is_null()), (&"Ctrl-Alt-p".into(), true));
}

#[test]
fn keys_unknown_keymap_is_wrong_usage_in_arguments_and_default_in_settings() {
    let place = TestHome::new(Vec::new());
    let (code, out, err) = run(&place, &["keys", "--keymap", "nope"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("unknown key map \"nope\"; known: default, emacs, helix, vim, vscode"), "{err}");
    assert!(!err.contains("are used"), "{err}");
    let config = place.dir.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), "keymap = \"nope\"\n").unwrap();
    let (code, out, err) = run(&place, &["keys"]);
    assert!(code == Some(0) && out.starts_with("Key map: default\n"), "{out}");
    assert!(err.contains("the default keys are used"), "{err}");
}

/// The script is sourced by the shell that it is for.
#[test]
fn completions_of_bash_complete_commands_and_their_options() {
    let place = TestHome::new(Vec::new());
    let (_, script, _) = run(&place, &["completions", "bash"]);
    std::fs::write(place.work().join("completions.bash"), script).unwrap();
    let complete = |words: &[&str]| {
        let (last, at) = (words.last().unwrap(), words.len() - 1);
        let call = format!(
            "source ./completions.bash; COMP_WORDS=({}); COMP_CWORD={at}; _bowline bowline '{last}' '{}'; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words[at - 1]
        );
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["--norc", "-c", &call]).current_dir(place.work()).output().unwrap();
        let (code, out, err) = output_texts(&output);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{call}");
        out.lines().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(complete(&["bowline", "doc"]), ["doctor"]);
    assert_eq!(complete(&["bowline", "doctor", "--js"]), ["--json"]);
    assert_eq!(complete(&["bowline", "sessions", "sea"]), ["search"]);
}

#[test]
fn prompt_equal_to_command_name_is_sent_as_prompt() {
    let place = TestHome::new(vec![wire::text_reply("Yes."), wire::text_reply("No.")]);
    assert_eq!(place.run(&["sessions"]), (0, "No sessions.\n".into(), String::new()));
    std::fs::write(place.work().join("sessions"), "text\n").unwrap();
    // Without a terminal every argument is a prompt.
    assert_eq!(place.run(&["sessions"]), (0, "Yes.\n".into(), String::new()));
    assert_eq!(place.run(&["-p", "login"]), (0, "No.\n".into(), String::new()));
}
