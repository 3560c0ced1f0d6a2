//! The key maps of other programs: keys that their users press without thinking do what they do there.

use std::fmt::Write as _;

use std::collections::BTreeSet;

use bowline::ide::core::keys::keymap::{BUILTIN, KeyContext, Keymap, Lookup};
use bowline::ide::features::palette::keymaps;
use bowline::ide::shell::catalog::CATALOG;
use bowline::tui::input::Key;

use crate::support::test_ide::IdeSetup;

fn keymap(name: &str) -> Keymap {
    let (_, text) = BUILTIN.iter().find(|(known, _)| *known == name).unwrap();
    let (map, problems) = keymaps::read(&CATALOG, name, text);
    assert_eq!(problems, Vec::<String>::new());
    map
}

fn assert_keys(name: &str, rows: &[(KeyContext, &str, &str)]) {
    let map = keymap(name);
    for (context, keys, id) in rows {
        let pressed: Vec<Key> = keys.split(' ').map(|key| key.parse().unwrap()).collect();
        assert_eq!(map.lookup(*context, &pressed), Lookup::Command((*id).to_string()), "{name}: {keys}");
    }
}

#[test]
fn vscode_keymap_has_the_keys_of_daily_work() {
    use KeyContext::{Editor, Files, Prompt};

    assert_keys(
        "vscode",
        &[
            (Prompt, "Ctrl-Shift-p", "app.palette"),
            (Editor, "Ctrl-p", "view.files-picker"),
            (Prompt, "Ctrl-Shift-f", "workspace.search"),
            (Editor, "Ctrl-Shift-h", "workspace.replace"),
            (Prompt, "Ctrl-`", "terminal.toggle"),
            (Prompt, "Ctrl-,", "settings.open"),
            (Prompt, "Ctrl-k Ctrl-t", "view.themes"),
            (Editor, "Ctrl-k Ctrl-s", "app.keys"),
            (Editor, "Ctrl-\\", "window.split-right"),
            (Editor, "Ctrl-w", "file.close"),
            (Prompt, "Ctrl-PageDown", "file.next"),
            (Editor, "Ctrl-Tab", "file.previous-used"),
            (Editor, "Ctrl-Shift-Tab", "file.next-used"),
            (Editor, "Ctrl-Shift-t", "file.reopen"),
            (Editor, "Alt-Up", "edit.move-lines-up"),
            (Editor, "Ctrl-Alt-Down", "select.add-below"),
            (Editor, "Ctrl-Shift-o", "view.outline-picker"),
            (Editor, "Ctrl-d", "select.next-occurrence"),
            (Editor, "Ctrl-Shift-k", "edit.delete-line"),
            (Editor, "Alt-z", "view.toggle-wrap"),
            (Editor, "Ctrl-Shift-z", "edit.redo"),
            (Editor, "Ctrl-g", "search.go-to-line"),
            (Editor, "Ctrl-/", "edit.comment"),
            (Files, "F2", "files.rename"),
        ],
    );
}

#[test]
fn emacs_keymap_has_the_keys_of_daily_work() {
    use KeyContext::{Editor, Prompt};

    assert_keys(
        "emacs",
        &[
            (Editor, "Ctrl-f", "move.right"),
            (Editor, "Alt-f", "move.word-right"),
            (Editor, "Ctrl-x Ctrl-f", "file.open"),
            (Editor, "Ctrl-x Ctrl-s", "file.save"),
            (Editor, "Ctrl-x b", "view.buffers-picker"),
            (Editor, "Ctrl-x 3", "window.split-right"),
            (Editor, "Ctrl-x o", "view.next-pane"),
            (Prompt, "Alt-x", "app.palette"),
            (Editor, "Alt-%", "search.replace"),
            (Editor, "Ctrl-s", "search.find"),
            (Editor, "Ctrl-y", "edit.yank"),
        ],
    );
}

#[tokio::test]
async fn vscode_keys_of_the_program_leave_the_terminal() {
    use KeyContext::Terminal;

    assert_keys(
        "vscode",
        &[
            (Terminal, "Ctrl-Shift-p", "app.palette"),
            (Terminal, "F1", "app.palette"),
            (Terminal, "Ctrl-0", "view.focus-files"),
            (Terminal, "Ctrl-Shift-e", "view.focus-files"),
            (Terminal, "Ctrl-1", "view.focus-editor"),
            (Terminal, "Alt-3", "view.focus-agent"),
            (Terminal, "Ctrl-`", "terminal.toggle"),
            (Terminal, "Ctrl-Tab", "view.buffers-picker"),
            (Terminal, "F6", "view.next-pane"),
        ],
    );
    let map = include_str!("../../keymaps/vscode.toml");
    let mut ide = IdeSetup::new().keymap(map).with("a.txt", "one\n").size(100, 30).start().await;
    ide.keys("Alt-4 Ctrl-,").await;
    assert!(ide.picture().contains("─ Settings ─"), "{}", ide.picture());
}

#[tokio::test]
async fn vscode_chords_work_in_the_prompt_and_keep_typing_intact() {
    let map = include_str!("../../keymaps/vscode.toml");
    let mut ide = IdeSetup::new().keymap(map).with("a.txt", "one\ntwo\n").size(100, 30).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("hello").await;
    ide.keys("Ctrl-k Ctrl-t").await;
    assert!(ide.picture().contains("─ Theme ─"), "{}", ide.picture());
    ide.keys("Escape").await;
    assert!(ide.picture().contains("┃ hello"), "{}", ide.picture());
    ide.keys("Alt-2 Alt-Down").await;
    assert_eq!(ide.text(), "two\none\n");
    ide.keys("Ctrl-Shift-k").await;
    assert_eq!(ide.text(), "two\n");
}

/// The heading of docs/keys.md behind which the page is generated.
const EVERY_KEY: &str = "## Every default key\n";

#[test]
fn keys_page_lists_every_default_key() {
    let map = keymap("default");
    let mut list = EVERY_KEY.to_string();
    for context in KeyContext::ALL {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for (keys, id) in map.bindings(context) {
            let keys = format!("`{}`", keys.replace('|', "\\|"));
            match rows.iter_mut().find(|(known, _)| *known == id) {
                Some((_, all)) => all.push(keys),
                None => rows.push((id, vec![keys])),
            }
        }
        if rows.is_empty() {
            continue;
        }
        write!(list, "\n### {}\n\n| keys | command | id |\n|---|---|---|\n", context.name()).unwrap();
        for (id, keys) in rows {
            let title = CATALOG.command(&id).map_or("", |command| command.title);
            writeln!(list, "| {} | {title} | `{id}` |", keys.join(", ")).unwrap();
        }
    }
    let path = crate::source::root().join("docs/keys.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let at = page.find(EVERY_KEY).unwrap_or(page.len());
    if std::env::var_os("COMMANDS_UPDATE").is_some() {
        std::fs::write(&path, format!("{}{list}", &page[..at])).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap()[at..], list, "COMMANDS_UPDATE=1 writes it");
}

#[tokio::test]
async fn leader_shows_its_groups_and_their_keys() {
    let mut ide = IdeSetup::new().size(80, 24).with("a.txt", "one\n").start().await;
    ide.keys("Alt-,").await;
    ide.advance(std::time::Duration::from_secs(1));
    ide.snap("leader_groups");
    ide.keys("w").await;
    ide.advance(std::time::Duration::from_secs(1));
    ide.snap("leader_window");
    ide.keys("v").await;
    assert_eq!(ide.status_message(), "");
}

#[test]
fn keys_of_the_leader_in_the_documentation_exist() {
    let map = keymap("default");
    let root = crate::source::root();
    let pages = std::fs::read_dir(root.join("docs")).unwrap().map(|page| page.unwrap().path());
    let mut seen = 0;
    for page in
        pages.chain([root.join("README.md")]).filter(|page| page.extension().is_some_and(|e| e == "md"))
    {
        let text = std::fs::read_to_string(&page).unwrap();
        for named in text.split('`').filter(|code| code.starts_with("Alt-, ")) {
            let pressed: Vec<Key> =
                named.replace("\\|", "|").split(' ').map(|key| key.parse().unwrap()).collect();
            let places = [KeyContext::Editor, KeyContext::Prompt, KeyContext::Terminal];
            let is_known = places.iter().any(|place| map.lookup(*place, &pressed) != Lookup::Unknown);
            assert!(is_known, "{}: {named}", page.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

/// The default keys of other programs, each with what it does here; the first lines of the files say how.
const PEERS: [(&str, &str); 2] = [
    ("emacs", include_str!("../fixtures/keys-emacs.txt")),
    ("helix", include_str!("../fixtures/keys-helix.txt")),
];

/// Returns the keys of a row of such a list, and the command that it names.
fn peer_row(line: &str) -> (&str, Option<&str>) {
    let mut parts = line.rsplitn(3, " | ");
    let (Some(state), Some(_), Some(keys)) = (parts.next(), parts.next(), parts.next()) else {
        panic!("three parts: {line}");
    };
    match state.split_once(' ') {
        Some(("same", id)) => (keys, Some(id)),
        Some(("other", rest)) => (keys, Some(rest.split_once(": ").expect("what is different").0)),
        Some(("none:", why)) if !why.is_empty() => (keys, None),
        _ => panic!("same, other or none: {line}"),
    }
}

#[test]
fn keymap_lists_of_the_keys_of_other_programs_hold() {
    let mut wrong = Vec::new();
    for (name, list) in PEERS {
        let map = keymap(name);
        let (mut context, mut listed) = (KeyContext::Global, BTreeSet::new());
        for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let section = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
            if let Some(section) = section {
                context = KeyContext::ALL.into_iter().find(|known| known.name() == section).expect(section);
                continue;
            }
            let (keys, wanted) = peer_row(line);
            let pressed: Vec<Key> = keys.split(' ').map(|key| key.parse().unwrap()).collect();
            let is = match map.lookup(context, &pressed) {
                Lookup::Command(id) => Some(id),
                Lookup::Pending(_) | Lookup::Unknown => None,
            };
            if is.as_deref() != wanted {
                wrong.push(format!("{name}: `{line}`, but it is {is:?}"));
            }
            listed.insert(keys.to_string());
        }
        assert!(listed.len() > 150, "{name}: {}", listed.len());
        // And no key of the map is missing in the list.
        let (_, text) = BUILTIN.iter().find(|(known, _)| *known == name).unwrap();
        let tables = toml::de::DeTable::parse(text).unwrap().into_inner();
        for table in ["global", "text", "editor", "normal", "visual", "insert"] {
            let Some(toml::de::DeValue::Table(rows)) = tables.get(table).map(toml::Spanned::get_ref) else {
                continue;
            };
            let missing = rows.keys().filter(|keys| !listed.contains(keys.get_ref().as_ref()));
            wrong.extend(
                missing.map(|keys| format!("{name}: `{}` of [{table}] is not listed", keys.get_ref())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
