//! Going from mode to mode.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::effect::Effect;
use crate::ide::core::modal::Mode;
use crate::ide::editor::commands::locations;
use crate::ide::editor::modal::typing::keys as typing_keys;
use crate::ide::editor::modal::typing::keys::Erase;
use crate::ide::editor::modal::{typing, visual};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.normal", "Keys are commands; gives up what has begun", normal),
    command("vim.visual", "Select characters", |cx| visual::toggle(cx, Mode::Visual)),
    command("vim.visual-lines", "Select lines", |cx| visual::toggle(cx, Mode::VisualLine)),
    command("vim.visual-block", "Select a rectangle", |cx| visual::toggle(cx, Mode::VisualBlock)),
    command("vim.visual-again", "Select again what was selected last", visual::again),
    command("vim.other-end", "Move the other end of the selection", |cx| visual::other_end(cx, false)),
    command("vim.other-corner", "Move the other corner of the selection", |cx| visual::other_end(cx, true)),
    command("vim.older-change", "Go to where a change was made before", |cx| changes(cx, 1)),
    command("vim.newer-change", "Go to where a change was made after", |cx| changes(cx, -1)),
    command("vim.jump-back", "Go back through the jumps", |cx| jumps(cx, 1)),
    command("vim.jump-forward", "Go forward through the jumps", |cx| jumps(cx, -1)),
    command("vim.command-line", "Type a command", crate::ide::editor::modal::line::run::begin),
    command("vim.line-older", "The command line before", |cx| {
        crate::ide::editor::modal::line::run::step(cx, 1);
    }),
    command("vim.line-newer", "The command line after", |cx| {
        crate::ide::editor::modal::line::run::step(cx, -1);
    }),
    command("vim.substitute-again", "Make the last substitution again in this line", |cx| {
        crate::ide::editor::modal::line::run::run(cx, "&");
    }),
    command("vim.substitute-everywhere", "Make the last substitution again in every line", |cx| {
        crate::ide::editor::modal::line::run::run(cx, "%s//~/&");
    }),
    command("vim.erase-word-back", "Delete to the start of the word; no register keeps it", |cx| {
        typing_keys::erase(cx, Erase::Word);
    }),
    command("vim.erase-line-back", "Delete to the start of the line; no register keeps it", |cx| {
        typing_keys::erase(cx, Erase::Line);
    }),
    command("vim.typing-left", "Left in the line while typing", |cx| typing_keys::step(cx, false)),
    command("vim.typing-right", "Right in the line while typing", |cx| typing_keys::step(cx, true)),
    command("vim.typing-home", "To the first column while typing", typing_keys::home),
    command("vim.shift-right", "Indent the line by one stop", |cx| typing_keys::shift(cx, false)),
    command("vim.shift-left", "Take one stop of indentation from the line", |cx| {
        typing_keys::shift(cx, true);
    }),
    command("vim.save-and-close", "Save and close the file", |cx| {
        crate::ide::editor::modal::line::run::run(cx, "x");
    }),
    command("vim.close", "Close the file without saving", |cx| {
        crate::ide::editor::modal::line::run::run(cx, "q!");
    }),
];

fn normal(cx: &mut Cx<'_>) {
    let begun = !cx.state.modal.is_fresh();
    match cx.state.modal.mode {
        Mode::Insert | Mode::Replace => typing::insert::end(cx),
        mode if mode.is_visual() && !begun => visual::leave(cx),
        _ if begun => {}
        _ => cx.effects.push(Effect::Run("app.escape")),
    }
    cx.state.modal.forget();
    cx.state.damage.add(Part::Status);
}

fn changes(cx: &mut Cx<'_>, older: isize) {
    let count = cx.state.modal.take_count().unwrap_or(1) as isize;
    locations::change(cx, older * count);
}

fn jumps(cx: &mut Cx<'_>, back: isize) {
    let count = cx.state.modal.take_count().unwrap_or(1) as isize;
    locations::step(cx, back * count);
}
