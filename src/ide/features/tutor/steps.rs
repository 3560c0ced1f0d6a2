//! The text of the tutor. Each key in it is looked up in the key map in use; a command without a key there is named as
//! the palette names it. Must not know where the text is shown.

use crate::ide::core::catalog::Catalog;
use crate::ide::core::keys::keymap::{KeyContext, Keymap, ModalStyle};

/// One step. In its lines `{a|b}` stands for the key of the first of these commands that has one, and `{prompt:a}` for
/// the key in the prompt. Lines after `modal>` or `plain>` are for key maps with or without modes, those after `here>`
/// or `away>` for the tutor's own project or another one.
pub struct Step {
    /// Its title.
    pub title: &'static str,
    /// Its lines.
    pub lines: &'static [&'static str],
}

/// All steps.
pub const STEPS: &[Step] = &[
    Step {
        title: "Move",
        lines: &[
            "Go to the end of this line and back with {vim.right|helix.right|move.right} and \
             {vim.left|helix.left|move.left}, to other lines with {vim.down|helix.down|move.down} and \
             {vim.up|helix.up|move.up}.",
            "A word at a time: {vim.word|helix.word|move.word-right} and {vim.word-back|helix.word-back|move.word-left}.",
            "Now move down to step 2.",
        ],
    },
    Step {
        title: "Edit",
        lines: &[
            "modal>Put the cursor on the second `l` of the marked word. {vim.delete-character|helix.delete} deletes it.",
            "plain>Put the cursor before the second `l` of the marked word. {edit.delete} deletes it.",
            "modal>{vim.insert|helix.insert} begins to insert text, {app.escape} ends it. Write your name behind the comma.",
            "plain>What you type is inserted. Write your name behind the comma.",
            "",
            "    --> Helllo, ",
            "",
            "{file.save} saves the file. A dot beside its name says that it is not saved.",
        ],
    },
    Step {
        title: "Undo",
        lines: &[
            "{vim.undo|helix.undo|edit.undo} undoes the last change, {vim.redo|helix.redo|edit.redo} does it again.",
            "Nothing is lost when you undo and then type: {history.tree} shows every state of the text.",
            "Look at some of them; {dialog:app.escape} closes the list and keeps the text.",
        ],
    },
    Step {
        title: "Open a file",
        lines: &[
            "{view.files-picker} lists the files of the project.",
            "here>Type `not`, which is enough for notes.txt, and press {picker:list.accept}.",
            "away>Type a few letters of a file's name and press {picker:list.accept}.",
            "{view.buffers-picker} lists the open files: come back to TUTOR.md by it.",
        ],
    },
    Step {
        title: "Search",
        lines: &[
            "{search.find|vim.search} searches in this file: type `anchor`, {question:list.accept} goes to it.",
            "{search.next|vim.search-next|helix.search-next} goes to the next match.",
            "",
            "    --> an anchor here, and another anchor there",
            "",
            "{workspace.grep-picker} searches in all files of the project while you type.",
        ],
    },
    Step {
        title: "Ask the agent",
        lines: &[
            "{view.focus-agent} goes to the prompt, {prompt:view.focus-editor} comes back here.",
            "here>Type: make greet() in src/greet.py say goodbye, too",
            "away>Type a question about this project.",
            "{prompt:agent.send} sends it. `@` in it completes names of files, `/` lists commands.",
            "Before the agent runs a command that may change something, it asks you: the answers have letters.",
            "Without a model a guide answers, which only reads files. {agent.model-picker} lists models and logs in.",
        ],
    },
    Step {
        title: "Review and undo a turn",
        lines: &[
            "{review.open} shows what the agent changed since your last message, hunk by hunk:",
            "{review:review.accept-hunk} accepts one, {review:review.reject-hunk} rejects it, {review:app.escape} closes.",
            "{session.undo-turn} takes back the files of the whole last turn.",
            "Without a model there is nothing to review yet. Come back to this step later.",
        ],
    },
    Step {
        title: "Session tree",
        lines: &[
            "{view.session-tree} shows the conversation as a tree: each message is a place to go back to.",
            "{tree:list.accept} on a message of yours goes there and puts its text into the prompt; what came after",
            "it stays as a branch. {tree:session.restore-both} brings the files back as well.",
            "{tree:app.escape} closes the tree. {session.resume} lists earlier sessions of the folder.",
        ],
    },
    Step {
        title: "Settings",
        lines: &[
            "{settings.open} lists every setting with its value and where it comes from. Type `wrap` to find one.",
            "{picker:list.accept} changes it at once. {view.themes} shows themes while you choose.",
            "{agent.open-settings} has the settings of the agent: model, thinking, what runs without asking.",
        ],
    },
    Step {
        title: "Help",
        lines: &[
            "{app.palette} finds every command by its name and shows its key. {app.keys} lists the keys of the",
            "pane that you are in. When you pause after the first key of a sequence, the next ones are shown.",
            "{app.quit} ends bowline. `bowline -c` in a shell goes on with the last session of a folder.",
            "{help.tutor} opens these steps again, from the beginning.",
        ],
    },
];

/// What stands before the steps.
const INTRODUCTION: &str = "# Ten steps

Read a step, try it, go on with the next one. You may change and break everything in this file:
it is made anew each time that the tutor begins.
";

/// Returns the placeholders of a step, without their braces.
pub fn placeholders(step: &Step) -> impl Iterator<Item = &'static str> {
    let parts = step.lines.iter().flat_map(|line| line.split('{').skip(1));
    parts.filter_map(|part| Some(part.split_once('}')?.0))
}

/// Returns the context in which a key is pressed.
fn context(name: &str, keymap: &Keymap) -> KeyContext {
    match name {
        "prompt" => KeyContext::Prompt,
        "picker" => KeyContext::Picker,
        "question" => KeyContext::InputPrompt,
        "dialog" => KeyContext::Dialog,
        "review" => KeyContext::Review,
        "tree" => KeyContext::SessionTree,
        _ if keymap.modal_style() == ModalStyle::None => KeyContext::Editor,
        _ => KeyContext::Normal,
    }
}

/// Returns the keys of a placeholder: those of the first command that has some, else how the palette names the first one.
pub fn keys(placeholder: &str, keymap: &Keymap, catalog: &Catalog) -> Option<String> {
    let (name, commands) = placeholder.split_once(':').unwrap_or(("", placeholder));
    let context = context(name, keymap);
    let mut ids = commands.split('|');
    let bound = ids.clone().find_map(|id| keymap.keys_for(context, id));
    if let Some(keys) = bound {
        return Some(format!("`{keys}`"));
    }
    let palette = keymap.keys_for(context, "app.palette")?;
    let title = ids.find_map(|id| catalog.command(id))?.title;
    Some(format!("`{palette}` and “{title}”"))
}

/// Returns a line with keys in place of its placeholders.
fn fill(line: &str, keymap: &Keymap, catalog: &Catalog) -> String {
    let mut filled = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((placeholder, behind)) = after.split_once('}') else { break };
        filled.push_str(before);
        filled.push_str(&keys(placeholder, keymap, catalog).unwrap_or_else(|| placeholder.to_string()));
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// Returns a line if it is for this key map and project.
fn meant<'a>(line: &'a str, keymap: &Keymap, is_own_project: bool) -> Option<&'a str> {
    let is_modal = keymap.modal_style() != ModalStyle::None;
    let conditions =
        [("modal>", is_modal), ("plain>", !is_modal), ("here>", is_own_project), ("away>", !is_own_project)];
    for (mark, is_meant) in conditions {
        if let Some(line) = line.strip_prefix(mark) {
            return is_meant.then_some(line);
        }
    }
    Some(line)
}

/// Returns the whole text. `is_own_project` says whether the tutor's project is the one that is worked on.
pub fn text(keymap: &Keymap, catalog: &Catalog, is_own_project: bool) -> String {
    let steps = STEPS.iter().enumerate().map(|(n, step)| {
        let lines = step.lines.iter().filter_map(|line| meant(line, keymap, is_own_project));
        let lines: String = lines.map(|line| fill(line, keymap, catalog) + "\n").collect();
        format!("\n## {}. {}\n\n{lines}", n + 1, step.title)
    });
    std::iter::once(INTRODUCTION.to_string()).chain(steps).collect()
}
