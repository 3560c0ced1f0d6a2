//! The tutor: its steps in every key map, and the project that it is tried on.

use bowline::ide::core::keys::keymap::{BUILTIN, Keymap};
use bowline::ide::core::panes::Focus;
use bowline::ide::features::tutor::steps::{self, STEPS};
use bowline::ide::model::buffers::Buffer;
use bowline::ide::shell::catalog::{CATALOG, read_keymap};
use bowline::ide::shell::input;

use crate::support::pty::Launch;
use crate::support::test_ide::{IdeSetup, TestIde};

fn keymap(name: &str) -> Keymap {
    let (_, text) = BUILTIN.into_iter().find(|(known, _)| *known == name).unwrap();
    let (keymap, problems) = read_keymap(name, text);
    assert!(problems.is_empty(), "{name}: {problems:?}");
    keymap
}

fn open_tutor(ide: &mut TestIde) {
    let command = CATALOG.command("help.tutor").unwrap();
    ide.headless.app().with_cx(|cx| input::run(cx, command));
}

#[test]
fn tutor_commands_have_keys_or_names_in_every_key_map() {
    assert_eq!(STEPS.len(), 10);
    for (map, _) in BUILTIN {
        let keymap = keymap(map);
        for step in STEPS {
            assert!(steps::placeholders(step).count() > 0, "{}", step.title);
            for placeholder in steps::placeholders(step) {
                let (context, ids) = placeholder.split_once(':').unwrap_or(("", placeholder));
                for id in ids.split('|') {
                    assert!(CATALOG.command(id).is_some(), "{}: no command {id}", step.title);
                }
                let keys = steps::keys(placeholder, &keymap, &CATALOG);
                let keys = keys.unwrap_or_else(|| panic!("{map}: {}: {placeholder}", step.title));
                // A palette over a list or view would not know the row.
                assert!(context.is_empty() || !keys.contains('“'), "{map}: {}: {placeholder}", step.title);
            }
        }
        for is_own_project in [true, false] {
            let text = steps::text(&keymap, &CATALOG, is_own_project);
            assert!(!text.contains(['{', '}', '>']) || text.matches('>').count() == 2, "{map}: {text}");
        }
    }
}

#[test]
fn tutor_shows_the_keys_of_the_map_in_use() {
    let text = |name: &str| steps::text(&keymap(name), &CATALOG, true);
    for (map, words) in [
        ("default", "`Ctrl-z` undoes the last change"),
        ("vim", "`u` undoes the last change, `Ctrl-r`"),
        ("helix", "`Space f` lists the files"),
        ("emacs", "`Ctrl-x Ctrl-s` saves"),
    ] {
        assert!(text(map).contains(words), "{map}: {}", text(map));
    }
}

#[tokio::test]
async fn tutor_opens_fresh_steps_and_keeps_those_that_are_open() {
    let mut ide = IdeSetup::new().size(100, 30).start().await;
    open_tutor(&mut ide);
    ide.wait_for_text("Ten steps").await;
    assert_eq!((ide.current_file_name(), ide.state().panes.focus), ("TUTOR.md".to_string(), Focus::Editor));
    assert!(ide.home("state-tutor/src/greet.py").is_file());
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    open_tutor(&mut ide);
    ide.headless.idle().await;
    assert!(ide.text().starts_with("x# Ten steps"), "{}", ide.text());
    ide.keys("Alt-w").await;
    open_tutor(&mut ide);
    ide.wait_for_text("# Ten steps").await;
    assert!(ide.text().starts_with("# Ten steps"), "{}", ide.text());
}

#[tokio::test]
async fn tutor_file_is_not_opened_again_at_the_next_start() {
    let plan = IdeSetup::new().size(100, 30).file("a.txt", "one\n").restore_session();
    let mut ide = plan.start().await;
    ide.keys("Alt-2 Ctrl-o").await;
    ide.type_in("a.txt").await;
    ide.keys("Enter").await;
    ide.wait_for_text("one").await;
    open_tutor(&mut ide);
    ide.wait_for_text("Ten steps").await;
    ide.keys("Ctrl-q").await;
    ide.headless.app().final_writes(true)();
    let mut ide = ide.restart().restore_session().start().await;
    ide.wait_for_text("one").await;
    let names: Vec<String> = ide.state().buffers.all().iter().map(Buffer::name).collect();
    assert_eq!(names, ["a.txt"]);
}

#[test]
fn tutor_command_works_on_its_own_project_with_the_keys_of_the_map() {
    let launch = Launch::bowline(&["--keymap", "helix", "tutor"]).size(120, 60);
    let folder = launch.home().join("state-tutor");
    let mut pty = launch.start();
    pty.wait_text("`Space f` lists the files of the project.");
    assert!(folder.join("TUTOR.md").is_file());
    // The step works: the list of files has those of the project.
    pty.send(" f");
    pty.wait_text("greet.py");
    pty.send("not\r");
    pty.wait_text("You opened this file");
    pty.send("\x11");
    pty.wait_exit();
}
