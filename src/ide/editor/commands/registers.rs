//! Commands that store texts in registers and insert them, in every text field.

use crate::ide::core::context::{Command, Cx, await_char, command, kill_command};
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::editor::commands::edit;
use crate::text::clipboard::content::{Content, ContentShape};
use crate::text::clipboard::registers::{CopyKind, is_writable};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("register.copy", "Copy to register", &["yank"], |cx| {
        await_char(cx, PendingChar::RegisterCopy, "Register: a-z, A-Z appends, + is the clipboard");
    }),
    command("register.cut", "Cut to register", &["delete to register"], |cx| {
        await_char(cx, PendingChar::RegisterCut, "Register: a-z, A-Z appends, + is the clipboard");
    }),
    kill_command("register.put", "Paste from register", &["put"], |cx| {
        await_char(cx, PendingChar::RegisterPaste, "Which register?");
    }),
    command("register.picker", "Show registers", &["clipboard history"], |cx| {
        cx.defer_picker("registers");
    }),
    command(
        "register.kill-ring",
        "Paste from kill ring",
        &["clipboard history", "paste history", "yank history"],
        |cx| {
            if cx.state.kill_ring.entries().next().is_none() {
                return cx.state.set_status("Nothing was cut or copied yet");
            }
            cx.defer_picker("kill-ring");
        },
    ),
];

/// Stores a text in a register, the unnamed one without a name; the clipboard register also goes to the
/// system.
pub fn write(cx: &mut Cx<'_>, name: Option<char>, content: Content, taken: CopyKind) {
    if matches!(name, Some('+' | '*')) {
        cx.ui.clipboard = Some(content.joined());
    }
    cx.state.registers.write(&mut cx.state.kill_ring, name, content, taken);
}

/// Returns the content of a register, including computed ones: `%` the file, `/` the last search, `:` the
/// last command, `.` the text typed last.
pub fn read(cx: &Cx<'_>, name: char) -> Option<Content> {
    let state = &*cx.state;
    match name {
        '%' => {
            let path = state.buffers.current().and_then(|buffer| buffer.path.as_deref());
            path.map(|path| Content::chars(state.display_path(path)))
        }
        ':' => state.modal.line_history.last().cloned().map(Content::chars),
        '.' => Some(Content::chars(state.modal.last_inserted.clone())).filter(|c| !c.texts[0].is_empty()),
        '/' => {
            let sought = state.modal.last_search.as_ref().map(|(pattern, _)| pattern);
            sought.or(state.search.last.as_ref()).cloned().map(Content::chars)
        }
        name => state.registers.read(&state.kill_ring, name),
    }
}

/// Copies or cuts the selection into a register.
pub fn copy(cx: &mut Cx<'_>, name: char, cut: bool) {
    if !is_writable(name) {
        return cx.state.set_error(format!("Register is read-only: {name}"));
    }
    let Some((area, ..)) = cx.state.text_target() else { return };
    let texts = area.selected();
    if texts.iter().all(String::is_empty) {
        return cx.state.set_status("Nothing selected");
    }
    if cut && !edit::apply(cx, |text, selection| crate::text::operations::edit::insert(text, selection, "")) {
        return;
    }
    let taken = if cut { CopyKind::Cut } else { CopyKind::Copied };
    write(cx, Some(name), Content::new(texts, ContentShape::Chars), taken);
    cx.state.set_status(format!("Copied to register {name}"));
}

/// Inserts the text of a register at every cursor.
pub fn paste(cx: &mut Cx<'_>, name: char) {
    match read(cx, name) {
        Some(content) => edit::paste_texts(cx, &content.texts),
        None => cx.state.set_status(format!("Register is empty: {name}")),
    }
}
