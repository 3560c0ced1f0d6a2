//! The words that we do not use, because the field has others: a reader who searches for the usual word must find it.
//! Names of the code, texts on the screen and pages of documentation are held to one list.

use crate::source::{self, Source, root};

/// A word, and what is used in its place.
struct Banned {
    /// Parts of a name, joined by `_`; or words of a text.
    word: &'static str,
    replacement: &'static str,
}

const fn banned(word: &'static str, instead: &'static str) -> Banned {
    Banned { word, replacement: instead }
}

/// Parts of names of the code: `tell_as` finds `tell_as_it_was` and `TellAs`, not `fortell_asked`. A word that has a
/// usual second meaning is not listed by itself (`kept`, `heard`, `place`, `look`, `told`, `past`, `whole`): as a part
/// of a name it may well be right, and a test cannot know which meaning it has.
const BANNED_NAMES: &[Banned] = &[
    banned("retell", "translate"),
    banned("restate", "translate"),
    banned("outfit", "agent setup, toolset"),
    banned("inquiry", "user question, permission request"),
    banned("inquiries", "user questions, permission requests"),
    banned("errands", "subcommands"),
    banned("whoever", "the caller, another process"),
    banned("offering", "available"),
    banned("relocating", "workspace change"),
    banned("take_up", "adopt"),
    banned("put_on", "graft"),
    banned("bring_back", "restore"),
    banned("brought_back", "restored"),
    banned("witness", "before-change hook"),
    banned("barred", "denied paths"),
    banned("shelf", "undo store, kept files"),
    banned("doubt", "ambiguous, unresolved"),
    banned("ears", "listener"),
    banned("equip", "agent setup, toolset"),
    banned("errand", "subcommand"),
    banned("keeper", "checkpointer, store"),
    banned("leave_out", "exclude, skip"),
    banned("look_again", "rescan, recheck"),
    banned("pump", "event source"),
    banned("put_together", "merge"),
    banned("recruit", "subagent"),
    banned("recruits", "subagents"),
    banned("riders", "per-view state, decorations"),
    banned("survey", "scan"),
    banned("taken_back", "withdrawn, undone"),
    banned("way_back", "restore"),
    banned("wished", "requested, preferred"),
];

/// What types and modules are not called. As a part of a longer name each of these may be right (`is_hidden`,
/// `moving_average`); as the whole name of a type or module it is one of the meanings that have another word.
const BANNED_DECLARATIONS: &[Banned] = &[
    banned("accounts", "session statistics"),
    banned("arrange", "layout"),
    banned("asks", "permission requests, user questions"),
    banned("drive", "client"),
    banned("driven", "client"),
    banned("fitting", "truncate"),
    banned("going", "lifecycle"),
    banned("leg", "restore step"),
    banned("looks", "read-only"),
    banned("offered", "available"),
    banned("settle", "after_frame, flush"),
    banned("staying", "lifecycle"),
    banned("subject", "targets"),
    banned("ways", "restore"),
    banned("feed", "preload"),
    banned("alone", "network-only"),
    banned("act", "intent"),
    banned("pace", "debounce"),
    banned("shares", "parallel"),
    banned("wishes", "trust requests"),
    banned("witness", "before-change hook"),
    banned("apart", "subprocess"),
    banned("bars", "denied paths"),
    banned("hidden", "Secret"),
    banned("leave", "approval"),
    banned("long", "background"),
    banned("quick", "inline"),
    banned("stored", "one subcommand each"),
    banned("wording", "error classification"),
];

/// Whose types and modules are called as the wire calls things: `contents` is a field of Google's API.
const WIRE_MODULES: &[&str] = &["src/llm/gemini/", "src/llm/providers/"];

/// Words in what users read: texts on the screen, of the command line, and documentation.
const BANNED_TEXTS: &[Banned] = &[
    banned("the person", "the user"),
    banned("somebody", "the user, another process"),
    banned("somebody else", "another process"),
    banned("whoever", "the caller, another process"),
    banned("nobody", "no user, no process"),
    banned("way back", "restore"),
    banned("ways back", "restores"),
    banned("bring back", "restore"),
    banned("brings back", "restores"),
    banned("brought back", "restored"),
    banned("put together", "merge, merged"),
    banned("takes that back", "Undo: …"),
    banned("take over the other", "revert, copy"),
    banned("inquiry", "question"),
    banned("errand", "subcommand"),
    banned("leave out of", "exclude from"),
    banned("told differently", "edited"),
    banned("answers from now on", "Model: …"),
    banned("the person's", "the user's"),
    banned("aboard", "built-in"),
    banned("are told", "are sent"),
    banned("broke off", "was cut off"),
    banned("floats", "pop-up"),
    banned("from scratch", "Redraw screen"),
    banned("goes on from here", "moved to"),
    banned("ground of its own", "highlight"),
    banned("in other words", "Other"),
    banned("is told", "is sent"),
    banned("it will be made", "New file"),
    banned("its like", "similar"),
    banned("its rights", "permissions"),
    banned("lasting rule", "Always allow"),
    banned("losing changes", "Discard changes"),
    banned("made no sense", "invalid response"),
    banned("only look", "read-only"),
    banned("only looks", "read-only"),
    banned("said before", "prompt history"),
    banned("save it so", "Save with encoding"),
    banned("say it", "send"),
    banned("stands behind", "takes no arguments"),
    banned("stay here", "restore"),
    banned("sum up", "compact, summarize"),
    banned("the answer broke", "the response was cut off"),
    banned("tokens are given", "API keys"),
    banned("was given up", "was canceled"),
    banned("what says", "Filter"),
    banned("white space", "whitespace"),
    banned("with other words", "edited"),
];

/// Whose strings models read, not users: those follow the vendors' own words.
const MODEL_TEXT_FILES: &[&str] =
    &["src/tools/", "src/agent/", "src/patch/", "src/llm/providers/", "src/runtime/agent_setup/subagents.rs"];

/// What marks a line whose strings users do not read: developers do, or the model.
const UNSHOWN_LINE_MARKS: &[&str] = &[
    "tracing::",
    ".expect(",
    "panic!(",
    "unreachable!(",
    "#[must_use",
    "reason =",
    "Decision::Deny",
    "nobody is there to allow it (rule",
];

/// The words of a text, lower case, each between single spaces. Names and ids are one word.
fn words_of(text: &str) -> String {
    let mut out = String::from(" ");
    for word in
        text.split(|c: char| !c.is_alphanumeric() && !"'_-".contains(c)).filter(|word| !word.is_empty())
    {
        out.push_str(&word.to_lowercase());
        out.push(' ');
    }
    out
}

/// The parts of a name, lower case, between `_`: `_way_back_` of `WayBack` and `way_back`.
fn parts_of(name: &str) -> String {
    let mut out = String::from("_");
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && was_lower {
            out.push('_');
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        out.extend(c.to_lowercase());
    }
    out.push('_');
    out
}

fn names_of(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.lines().enumerate().flat_map(|(at, line)| {
        let names = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        names.filter(|name| !name.is_empty()).map(move |name| (at + 1, name))
    })
}

/// The lines of a file outside of tests and comments that hold a string, from the first quote to the last.
fn strings_of(file: &Source) -> Vec<(usize, &str)> {
    let tests = file.raw.find("#[cfg(test)]\nmod tests").unwrap_or(file.raw.len());
    let shown = file.raw[..tests].lines().enumerate().filter(|(_, line)| {
        !line.trim_start().starts_with("//") && !UNSHOWN_LINE_MARKS.iter().any(|hidden| line.contains(hidden))
    });
    shown
        .filter_map(|(at, line)| {
            let (first, last) = (line.find('"')?, line.rfind('"')?);
            (first < last).then(|| (at + 1, &line[first + 1..last]))
        })
        .collect()
}

fn find_in_text(place: &str, text: &str, found: &mut Vec<String>) {
    let words = words_of(text);
    for row in BANNED_TEXTS.iter().filter(|row| words.contains(&format!(" {} ", row.word))) {
        found.push(format!("{place}: `{}`; use: {}", row.word, row.replacement));
    }
}

#[test]
fn glossary_applies_to_identifiers() {
    let mut found = Vec::new();
    for file in source::sources().iter().filter(|file| !file.is_test) {
        for (line, name) in names_of(&file.code) {
            let parts = parts_of(name);
            for row in BANNED_NAMES.iter().filter(|row| parts.contains(&format!("_{}_", row.word))) {
                found.push(format!("{}:{line}: `{name}`; use: {}", file.path, row.replacement));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The names of types and modules that a file declares, as parts joined by `_`.
fn declared_in(code: &str) -> Vec<String> {
    let words: Vec<&str> =
        code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let declares = |word: &str| matches!(word, "struct" | "enum" | "trait" | "type" | "mod");
    let pairs = words.windows(2).filter(|pair| declares(pair[0]));
    pairs.map(|pair| parts_of(pair[1]).trim_matches('_').to_string()).collect()
}

#[test]
fn glossary_applies_to_types_and_modules() {
    let mut found = Vec::new();
    for file in source::sources().iter().filter(|file| !file.is_test) {
        if WIRE_MODULES.iter().any(|folder| file.path.starts_with(folder)) {
            continue;
        }
        for name in declared_in(&file.code) {
            for row in BANNED_DECLARATIONS.iter().filter(|row| row.word == name) {
                found.push(format!("{}: `{name}`; use: {}", file.path, row.replacement));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn glossary_applies_to_user_texts() {
    let mut found = Vec::new();
    let for_models = |file: &&Source| MODEL_TEXT_FILES.iter().any(|folder| file.path.starts_with(folder));
    for file in source::sources().iter().filter(|file| !file.is_test).filter(|file| !for_models(file)) {
        for (line, text) in strings_of(file) {
            find_in_text(&format!("{}:{line}", file.path), text, &mut found);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn glossary_applies_to_documentation() {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut found = Vec::new();
    for path in pages.chain([root().join("README.md"), root().join("Cargo.toml")]) {
        for (at, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            find_in_text(&format!("{}:{}", path.display(), at + 1), line, &mut found);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn glossary_check_splits_names_and_texts_into_words() {
    assert_eq!(parts_of("WayBack"), "_way_back_");
    assert_eq!(parts_of("tell_as_it_was"), "_tell_as_it_was_");
    assert_eq!(declared_in("pub struct WayBack { kind: u8 }\nmod pump;"), ["way_back", "pump"]);
    assert_eq!(words_of("The person's 2 ways"), " the person's 2 ways ");
    let mut found = Vec::new();
    find_in_text("a", "Nobody answers", &mut found);
    assert_eq!(found, ["a: `nobody`; use: no user, no process"]);
}
