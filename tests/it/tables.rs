//! Rows and files agree: commands, key maps, pickers, panes, tools, dialects, themes. A feature
//! that is not in its table does not exist; a row without its file would be a lie.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use bowline::ide::core::context::Command;
use bowline::ide::core::damage::Part;
use bowline::ide::core::keys::keymap::{KeyContext, Keymap, Lookup};
use bowline::ide::core::layers::rank::{Names, rank};
use bowline::ide::editor::modal::command_line::run;
use bowline::ide::features::palette::keymaps;
use bowline::ide::features::prompt::slash_commands::SLASH_COMMANDS;
use bowline::ide::shell::catalog::CATALOG;
use bowline::ide::shell::panes::panes;
use bowline::tui::input::{Key, KeyCode, Mods};
use bowline::tui::theme::Theme;

use crate::source::{self, root};

/// How many modules of `ide` declare a constant of that name: each must be in the row of its feature, or in a table of
/// the shell.
fn modules_declaring(constant: &str) -> usize {
    let declaration = format!("pub const {constant}:");
    let sources = source::sources();
    sources.iter().filter(|file| file.top() == "ide" && file.raw.contains(&declaration)).count()
}

fn builtin_keymaps() -> BTreeMap<String, (Keymap, String)> {
    let entries = std::fs::read_dir(root().join("keymaps")).unwrap().map(|e| e.unwrap().path());
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let (map, problems) =
            Keymap::parse(&text, |id| CATALOG.command(id).map(|command| command.id.to_string()));
        assert_eq!(problems, [], "{}", path.display());
        (path.file_stem().unwrap().to_str().unwrap().to_string(), (map, text))
    };
    entries.map(read).collect()
}

#[test]
fn command_catalog_contains_every_area() {
    let in_rows = CATALOG.features.iter().map(|feature| feature.commands.len()).sum::<usize>();
    assert_eq!(CATALOG.areas.len() + in_rows, modules_declaring("COMMANDS"));
}

#[test]
fn command_ids_are_valid_and_unique() {
    let mut seen = BTreeSet::new();
    for id in CATALOG.commands().flat_map(|command| command.former_ids.iter().chain([&command.id])) {
        assert!(seen.insert(id), "two commands are called {id}");
        let (area, verb) = id.split_once('.').expect("area.verb");
        let legal = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(legal(area) && legal(verb), "{id}");
    }
}

/// What titles begin with: the verbs that users search for. `New` stands for "create new", as in most editors.
const VERBS: &[&str] = &[
    "Accept",
    "Add",
    "Allow",
    "Append",
    "Apply",
    "Attach",
    "Branch",
    "Break",
    "Cancel",
    "Change",
    "Choose",
    "Close",
    "Collapse",
    "Comment",
    "Compact",
    "Compare",
    "Complete",
    "Convert",
    "Copy",
    "Cut",
    "Cycle",
    "Decrease",
    "Decrement",
    "Dedent",
    "Delete",
    "Deny",
    "Duplicate",
    "Edit",
    "Enlarge",
    "Equalize",
    "Exclude",
    "Expand",
    "Extend",
    "Find",
    "Fit",
    "Flip",
    "Focus",
    "Fold",
    "Fork",
    "Format",
    "Go",
    "Hide",
    "Import",
    "Increase",
    "Increment",
    "Indent",
    "Insert",
    "Interrupt",
    "Join",
    "Keep",
    "Label",
    "Log",
    "Lowercase",
    "Make",
    "Mark",
    "Move",
    "New",
    "Number",
    "Open",
    "Paste",
    "Pin",
    "Pipe",
    "Queue",
    "Quit",
    "Record",
    "Redo",
    "Redraw",
    "Refresh",
    "Reindent",
    "Reject",
    "Reload",
    "Remove",
    "Rename",
    "Reopen",
    "Repeat",
    "Replace",
    "Replay",
    "Reselect",
    "Reset",
    "Restore",
    "Resume",
    "Retry",
    "Return",
    "Reverse",
    "Revert",
    "Review",
    "Revoke",
    "Rotate",
    "Run",
    "Save",
    "Scroll",
    "Search",
    "Select",
    "Send",
    "Set",
    "Show",
    "Shrink",
    "Sort",
    "Split",
    "Start",
    "Stash",
    "Stop",
    "Substitute",
    "Surround",
    "Swap",
    "Switch",
    "Take",
    "Test",
    "Toggle",
    "Transform",
    "Transpose",
    "Trim",
    "Trust",
    "Undo",
    "Unfold",
    "Uppercase",
    "Wrap",
    "Zoom",
];

/// Titles that are whole with one word, because every editor has them so.
const ONE_WORD: &[&str] = &["Copy", "Cut", "Paste", "Quit", "Redo", "Undo"];

#[test]
fn command_titles_start_with_verb_and_are_short() {
    for command in CATALOG.commands() {
        let (id, title) = (command.id, command.title);
        let words: Vec<&str> = title.split(' ').collect();
        let verb = words[0].trim_end_matches(',');
        assert!(VERBS.contains(&verb), "{id}: {title:?} begins with no verb of the list");
        assert!(
            (2..=5).contains(&words.len()) || ONE_WORD.contains(&title),
            "{id}: {title:?} has not two to five words"
        );
        assert!(!title.ends_with('.') && words.iter().all(|word| !word.is_empty()), "{id}: {title:?}");
    }
}

#[test]
fn command_aliases_differ_from_title() {
    for command in CATALOG.commands() {
        for alias in command.aliases {
            assert!(!alias.is_empty() && alias.trim() == *alias, "{}: {alias:?}", command.id);
            assert!(!command.title.eq_ignore_ascii_case(alias), "{}: {alias:?} is its title", command.id);
        }
    }
}

#[test]
fn command_titles_are_unique_per_palette() {
    // The commands of the Vim and the Helix map are never in one palette.
    for hidden in ["vim.", "helix."] {
        let mut titles = BTreeMap::new();
        for command in CATALOG.commands().filter(|command| !command.id.starts_with(hidden)) {
            if let Some(other) = titles.insert(command.title, command.id) {
                panic!("{other} and {} have the title {:?}", command.id, command.title);
            }
        }
    }
}

/// Ids of earlier versions, with those of today. Key maps of users have them.
const FORMER_IDS: &[(&str, &str)] = &[
    ("diff.again", "diff.reload"),
    ("list.accept-backward", "search.previous"),
    ("plugins.places", "plugins.results"),
    ("prompt.delete-stash", "list.remove"),
    ("session.leave-out", "session.exclude-message"),
    ("session.tell-as-it-was", "session.restore-message"),
    ("session.tell-differently", "session.edit-message"),
    ("settings.reset", "list.reset"),
    ("workspace.list", "workspace.results"),
];

#[test]
fn command_former_ids_still_work_in_keymaps() {
    let declared: BTreeSet<&str> =
        CATALOG.commands().flat_map(|command| command.former_ids).copied().collect();
    assert_eq!(declared, FORMER_IDS.iter().map(|(former, _)| *former).collect());
    for (former, id) in FORMER_IDS {
        assert_eq!(CATALOG.command(former).map(|command| command.id), Some(*id));
        let (map, problems) = keymaps::read(&CATALOG, "keys.toml", &format!("[global]\nF9 = \"{former}\"\n"));
        assert_eq!(problems, Vec::<String>::new());
        // Bound by today's id: hints and the palette look keys up by it.
        let key = Key::from_str("F9").unwrap();
        assert_eq!(map.lookup(KeyContext::Global, &[key]), Lookup::Command((*id).to_string()));
        assert_eq!(map.keys_for(KeyContext::Global, id), Some("F9".to_string()));
    }
}

#[test]
fn picker_table_rows_have_file_and_command() {
    let ids: BTreeSet<&str> = CATALOG.pickers().map(|row| row.id).collect();
    assert_eq!(ids.len(), CATALOG.pickers().count(), "two pickers share an id");
    assert_eq!(ids.len(), modules_declaring("PICKER"));
    let sources = source::sources();
    let commands: String = sources
        .iter()
        .filter(|file| file.raw.contains("pub const COMMANDS:"))
        .map(|file| file.raw.clone())
        .collect();
    for row in CATALOG.pickers() {
        assert!(
            commands.contains(&format!("defer_picker(\"{}\")", row.id)),
            "no command opens the picker {}",
            row.id
        );
        assert!(!row.title.is_empty() && !row.footer.is_empty());
    }
}

#[test]
fn pane_table_covers_every_screen_part() {
    let parts: BTreeSet<Part> = panes().map(|pane| pane.part).collect();
    assert_eq!(parts, Part::ALL.into_iter().collect());
    assert_eq!(panes().count(), parts.len());
    assert_eq!(modules_declaring("PANE"), parts.len());
}

#[test]
fn dialect_table_matches_folders() {
    let entries = std::fs::read_dir(root().join("src/llm/providers")).unwrap().map(|e| e.unwrap());
    let folders = entries
        .filter(|e| e.path().is_dir())
        .map(|e| e.file_name().into_string().unwrap())
        .collect::<BTreeSet<_>>();
    let text = std::fs::read_to_string(root().join("src/llm/providers/mod.rs")).unwrap();
    for name in &folders {
        assert!(
            text.contains(&format!("{name}::DIALECT")),
            "the dialect {name} is not in the table of dialects"
        );
    }
    assert_eq!(bowline::llm::providers::DIALECTS.len(), folders.len());
}

#[test]
fn default_keymap_matches_contract() {
    let (map, _) = &builtin_keymaps()["default"];
    let contract = [
        (KeyContext::Global, "F1", "app.palette"),
        (KeyContext::Global, "Alt-x", "app.palette"),
        (KeyContext::Global, "Ctrl-q", "app.quit"),
        (KeyContext::Editor, "Ctrl-s", "file.save"),
        (KeyContext::Editor, "Ctrl-o", "file.open"),
        (KeyContext::Editor, "Ctrl-p", "view.files-picker"),
        (KeyContext::Prompt, "Ctrl-p", "view.files-picker"),
        (KeyContext::Prompt, "Ctrl-s", "file.save"),
        (KeyContext::Global, "Alt-Shift-m", "agent.cycle-model"),
        (KeyContext::Text, "Ctrl-z", "edit.undo"),
        (KeyContext::Text, "Ctrl-_", "edit.undo"),
        (KeyContext::Text, "Alt-z", "edit.redo"),
        (KeyContext::Text, "Ctrl-a", "move.line-start"),
        (KeyContext::Text, "Ctrl-e", "move.line-end"),
        (KeyContext::Text, "Ctrl-k", "edit.kill-line"),
        (KeyContext::Text, "Ctrl-u", "edit.kill-line-back"),
        (KeyContext::Text, "Ctrl-w", "edit.kill-word-back"),
        (KeyContext::Text, "Alt-d", "edit.kill-word"),
        (KeyContext::Text, "Alt-Backspace", "edit.kill-word-back"),
        (KeyContext::Text, "Ctrl-y", "edit.yank"),
        (KeyContext::Text, "Alt-y", "edit.yank-pop"),
        (KeyContext::Editor, "Ctrl-f", "search.find"),
        (KeyContext::Editor, "Ctrl-g", "search.go-to-line"),
        (KeyContext::Editor, "Ctrl-r", "search.replace"),
        (KeyContext::Global, "Alt-1", "view.focus-files"),
        (KeyContext::Global, "Alt-2", "view.focus-editor"),
        (KeyContext::Global, "Alt-3", "view.focus-agent"),
        (KeyContext::Global, "Alt-4", "terminal.toggle"),
        (KeyContext::Terminal, "Alt-4", "terminal.toggle"),
        (KeyContext::Terminal, "F6", "view.next-pane"),
        (KeyContext::Global, "F6", "view.next-pane"),
        (KeyContext::Prompt, "Enter", "agent.send"),
        (KeyContext::Prompt, "Alt-Enter", "agent.follow-up"),
        (KeyContext::Prompt, "Shift-Enter", "edit.newline"),
        (KeyContext::Prompt, "Ctrl-j", "edit.newline"),
        (KeyContext::Global, "Escape", "app.escape"),
        (KeyContext::Global, "Shift-Tab", "agent.cycle-thinking"),
        (KeyContext::Global, "Ctrl-l", "agent.model-picker"),
        (KeyContext::Global, "Alt-m", "agent.model-picker"),
        (KeyContext::Global, "Alt-t", "agent.tools-picker"),
        (KeyContext::Global, "Alt-g", "view.session-tree"),
        (KeyContext::Prompt, "Ctrl-t", "agent.toggle-thinking"),
        (KeyContext::Prompt, "Ctrl-o", "agent.toggle-output"),
        (KeyContext::Prompt, "Alt-Up", "agent.dequeue"),
        (KeyContext::Files, "?", "app.keys"),
        (KeyContext::Global, "F2", "app.keys"),
    ];
    for (place, keys, command) in contract {
        let key = Key::from_str(keys).unwrap();
        assert_eq!(
            map.lookup(place, &[key]),
            Lookup::Command(command.to_string()),
            "{keys} in {}",
            place.name()
        );
    }
}

#[test]
fn slash_commands_are_unique_and_map_to_commands() {
    let names: BTreeSet<&str> = SLASH_COMMANDS.iter().map(|word| word.name).collect();
    assert_eq!(names.len(), SLASH_COMMANDS.len());
    for word in SLASH_COMMANDS {
        assert!(word.name.chars().all(|c| c.is_ascii_lowercase()), "{}", word.name);
        if let Some(id) = word.command() {
            assert!(CATALOG.command(id).is_some(), "/{} stands for {id}, which is no command", word.name);
        }
    }
}

/// Whether a terminal without extended keyboard protocols can send a key.
fn is_legacy(key: &Key) -> bool {
    let (ctrl, shift, alt) =
        (key.mods.contains(Mods::CTRL), key.mods.contains(Mods::SHIFT), key.mods.contains(Mods::ALT));
    match key.code {
        KeyCode::Char(c) if ctrl => {
            !shift && (c.is_ascii_lowercase() || " _]\\^[".contains(c)) && !(alt && c == '[')
        }
        KeyCode::Enter | KeyCode::Backspace | KeyCode::Escape => !ctrl && !shift,
        KeyCode::Tab => !ctrl && !alt,
        KeyCode::F(n) => n <= 12,
        KeyCode::Char(_)
        | KeyCode::Up
        | KeyCode::Down
        | KeyCode::Left
        | KeyCode::Right
        | KeyCode::Home
        | KeyCode::End
        | KeyCode::PageUp
        | KeyCode::PageDown
        | KeyCode::Insert
        | KeyCode::Delete => true,
    }
}

#[test]
fn keymaps_reach_essential_commands_with_legacy_keys() {
    for (name, (map, _)) in builtin_keymaps() {
        let legacy = |keys: &str| keys.split(' ').all(|key| is_legacy(&Key::from_str(key).unwrap()));
        let reachable: BTreeSet<String> = KeyContext::ALL
            .into_iter()
            .flat_map(|place| map.bindings(place))
            .filter(|(keys, _)| legacy(keys))
            .map(|(_, c)| c)
            .collect();
        // The palette lists every command that works from anywhere; so the palette must be
        // reachable, and so must what only makes sense inside a picker, where it cannot be used.
        assert!(reachable.contains("app.palette"), "{name}");
        for id in [
            "list.up",
            "list.down",
            "list.accept",
            "list.toggle",
            "app.escape",
            "agent.send",
            "agent.follow-up",
            "edit.newline",
        ] {
            assert!(reachable.contains(id), "{name}: {id} has only keys that old terminals cannot send");
        }
    }
}

#[test]
fn themes_parse_and_define_every_used_scope() {
    let sources = crate::source::sources();
    let mut scopes = BTreeSet::new();
    for file in sources.iter().filter(|s| s.module.starts_with("ide::")) {
        for (at, _) in file.raw.match_indices("style(\"") {
            scopes.insert(file.raw[at + 7..].split('"').next().unwrap().to_string());
        }
    }
    assert!(scopes.len() > 20, "the scan found {scopes:?}");
    for entry in std::fs::read_dir(root().join("themes")).unwrap().map(|e| e.unwrap().path()) {
        let name = entry.file_stem().unwrap().to_str().unwrap();
        let theme =
            Theme::parse(name, &std::fs::read_to_string(&entry).unwrap()).unwrap_or_else(|e| panic!("{e}"));
        assert!(Theme::from_name(name).is_some(), "{name} is not built in");
        for scope in &scopes {
            assert!(theme.contains(scope), "{name} has no style for {scope}");
        }
    }
}

#[test]
fn vim_line_commands_are_found_by_abbreviation() {
    let name = |line| run::find(&CATALOG, line).map(|(row, rest)| (row.long, rest));
    assert_eq!(name("w x"), Some(("write", " x")));
    assert_eq!(name("wri"), Some(("write", "")));
    assert_eq!(name("wq!"), Some(("wq", "!")));
    assert_eq!(name("s/a/b/"), Some(("substitute", "/a/b/")));
    assert_eq!(name("g/a/d"), Some(("global", "/a/d")));
    assert_eq!(name(">>"), Some((">>>>", ">")));
    assert_eq!(name("t."), Some(("t", ".")));
    assert_eq!(name("m0"), Some(("move", "0")));
    assert_eq!(name("ka"), Some(("k", "a")));
    assert_eq!(name("wx"), None);
    assert_eq!(name("nonsense"), None);
}

#[test]
fn vim_line_commands_have_consistent_names_and_titles() {
    let rows =
        run::LINE_COMMANDS.iter().chain(CATALOG.features.iter().flat_map(|feature| feature.line_commands));
    for row in rows {
        assert!(row.long.starts_with(row.short), "{}", row.long);
        assert!(!row.title.is_empty());
        let found = run::find(&CATALOG, row.long);
        assert!(found.is_some_and(|(found, _)| found.long == row.long), "{}", row.long);
    }
}

#[test]
fn feature_table_matches_folders() {
    let ids: BTreeSet<&str> = CATALOG.features.iter().map(|feature| feature.id).collect();
    assert_eq!(ids.len(), CATALOG.features.len(), "two features share an id");
    let sources = source::sources();
    let declare = sources.iter().filter(|file| file.raw.contains("pub const FEATURE:"));
    let folders: BTreeSet<&str> = declare.filter_map(|file| file.module.rsplit("::").next()).collect();
    assert_eq!(ids, folders);
}

/// Rows of the palette that are seen without scrolling in a small window.
const SEEN_ROWS: usize = 12;

/// Returns the commands of a palette that come before one for one of its names.
fn before<'a>(listed: &'a [&Command], command: &Command, name: &str) -> Option<Vec<&'a Command>> {
    let score = |command: &Command| {
        let names = Names { title: command.title, aliases: command.aliases, id: command.id, about: "" };
        rank(name, &names).map(|found| found.score)
    };
    let own = score(command)?;
    Some(listed.iter().copied().filter(|other| score(other) > Some(own)).collect())
}

#[test]
fn command_is_found_by_its_title_its_id_and_each_of_its_aliases() {
    let mut faults = Vec::new();
    // The commands of the Vim and the Helix map are never in one palette.
    for hidden in ["vim.", "helix."] {
        let listed: Vec<&Command> =
            CATALOG.commands().filter(|command| !command.id.starts_with(hidden)).collect();
        for command in &listed {
            let found = |name: &str| before(&listed, command, name);
            for name in [command.title, command.id] {
                if found(name).is_none_or(|before| !before.is_empty()) {
                    faults.push(format!("{} is not the first for {name:?}", command.id));
                }
            }
            for alias in command.aliases {
                let Some(before) = found(alias) else {
                    faults.push(format!("{} is not found by {alias:?}", command.id));
                    continue;
                };
                // Titles with the word come first. A name of a letter or two is a key.
                let word = alias.to_lowercase();
                let starts = |title: &str| {
                    title
                        .to_lowercase()
                        .split(|letter: char| !letter.is_alphanumeric())
                        .any(|at| at.starts_with(&word))
                };
                let is_crowded = before.len() >= SEEN_ROWS && alias.chars().count() > 2;
                if is_crowded || before.iter().any(|other| !starts(other.title)) && !word.contains(' ') {
                    faults.push(format!(
                        "{}: {} commands come before it for {alias:?}",
                        command.id,
                        before.len()
                    ));
                }
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}
