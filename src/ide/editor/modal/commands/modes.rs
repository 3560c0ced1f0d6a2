//! Commands that change the mode.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::modal::Mode;
use crate::ide::editor::commands::locations;
use crate::ide::editor::modal::insert_mode::keys as typing_keys;
use crate::ide::editor::modal::insert_mode::keys::EraseTarget;
use crate::ide::editor::modal::{insert_mode, visual};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.normal", "Return to Normal mode", &["escape"], normal),
    command("vim.visual", "Start Visual mode", &["v", "select characters"], |cx| {
        visual::toggle(cx, Mode::Visual);
    }),
    command("vim.visual-lines", "Start Visual Line mode", &["V", "select lines"], |cx| {
        visual::toggle(cx, Mode::VisualLine);
    }),
    command("vim.visual-block", "Start Visual Block mode", &["column selection", "rectangle"], |cx| {
        visual::toggle(cx, Mode::VisualBlock);
    }),
    command("vim.visual-again", "Reselect last Visual selection", &["gv"], visual::reselect),
    command("vim.other-end", "Go to other end", &["o", "flip selection"], |cx| visual::swap_ends(cx, false)),
    command("vim.other-corner", "Go to other corner", &["O"], |cx| visual::swap_ends(cx, true)),
    command("vim.older-change", "Go to older change", &["g;"], |cx| step_changes(cx, 1)),
    command("vim.newer-change", "Go to newer change", &["g,"], |cx| step_changes(cx, -1)),
    command("vim.jump-back", "Go to older jump", &["go back"], |cx| step_jumps(cx, 1)),
    command("vim.jump-forward", "Go to newer jump", &["go forward"], |cx| step_jumps(cx, -1)),
    command(
        "vim.command-line",
        "Open command line",
        &["ex", "colon"],
        crate::ide::editor::modal::command_line::run::begin,
    ),
    command("vim.line-older", "Show older command line", &["command history"], |cx| {
        crate::ide::editor::modal::command_line::run::step_history(cx, 1);
    }),
    command("vim.line-newer", "Show newer command line", &["command history"], |cx| {
        crate::ide::editor::modal::command_line::run::step_history(cx, -1);
    }),
    command("vim.substitute-again", "Repeat substitution in line", &["&"], |cx| {
        crate::ide::editor::modal::command_line::run::run(cx, "&");
    }),
    command("vim.substitute-everywhere", "Repeat substitution in file", &["g&"], |cx| {
        crate::ide::editor::modal::command_line::run::run(cx, "%s//~/&");
    }),
    command("vim.erase-word-back", "Delete word before cursor", &[], |cx| {
        typing_keys::erase(cx, EraseTarget::Word);
    }),
    command("vim.erase-line-back", "Delete line before cursor", &[], |cx| {
        typing_keys::erase(cx, EraseTarget::Line);
    }),
    command("vim.typing-left", "Move left while inserting", &[], |cx| typing_keys::move_char(cx, false)),
    command("vim.typing-right", "Move right while inserting", &[], |cx| typing_keys::move_char(cx, true)),
    command("vim.typing-home", "Move home while inserting", &[], typing_keys::home),
    command("vim.shift-right", "Indent line while inserting", &[], |cx| typing_keys::shift(cx, false)),
    command("vim.shift-left", "Dedent line while inserting", &["outdent"], |cx| {
        typing_keys::shift(cx, true);
    }),
    command("vim.save-and-close", "Save and close file", &["ZZ", "wq"], |cx| {
        crate::ide::editor::modal::command_line::run::run(cx, "x");
    }),
    command("vim.close", "Close file without saving", &["ZQ", "discard changes"], |cx| {
        crate::ide::editor::modal::command_line::run::run(cx, "q!");
    }),
];

fn normal(cx: &mut Cx<'_>) {
    let begun = !cx.state.modal.is_idle();
    match cx.state.modal.mode {
        Mode::Insert | Mode::Replace => insert_mode::insert::end_insert(cx),
        mode if mode.is_visual() && !begun => visual::end_visual(cx),
        _ if begun => {}
        _ => cx.defer_command("app.escape"),
    }
    cx.state.modal.reset_pending();
    cx.state.damage.add(Part::Status);
}

fn step_changes(cx: &mut Cx<'_>, older: isize) {
    let count = cx.state.modal.take_count().unwrap_or(1) as isize;
    locations::step_changes(cx, older * count);
}

fn step_jumps(cx: &mut Cx<'_>, back: isize) {
    let count = cx.state.modal.take_count().unwrap_or(1) as isize;
    locations::step_jumps(cx, back * count);
}
