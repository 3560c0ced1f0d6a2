//! Commands that change words, numbers and surrounding characters of selections.

use crate::ide::core::context::{Command, Cx, await_char, command};
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::editor::commands::edit::{apply, apply_in_background};
use crate::ide::editor::commands::{locations, registers};
use crate::text::operations::numbers;
use crate::text::operations::recase::{self, Case};
use crate::text::operations::surround;
use crate::text::operations::transpose::{self, TransposeUnit};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.transpose", "Transpose characters", &["swap characters"], |cx| {
        transpose_at_cursors(cx, TransposeUnit::Grapheme);
    }),
    command("edit.transpose-over-lines", "Transpose characters across lines", &["swap characters"], |cx| {
        transpose_at_cursors(cx, TransposeUnit::GraphemeOverLines);
    }),
    command("edit.transpose-words", "Transpose words", &["swap words"], |cx| {
        transpose_at_cursors(cx, TransposeUnit::Word);
    }),
    command("edit.transpose-lines", "Transpose lines", &["swap lines"], |cx| {
        transpose_at_cursors(cx, TransposeUnit::Line);
    }),
    command("edit.upper-case", "Transform to uppercase", &["capitals", "upcase"], |cx| {
        change_case(cx, Case::Upper);
    }),
    command("edit.lower-case", "Transform to lowercase", &["downcase"], |cx| change_case(cx, Case::Lower)),
    command("edit.title-case", "Transform to title case", &["capitalize"], |cx| change_case(cx, Case::Title)),
    command("edit.snake-case", "Transform to snake case", &["snake_case", "underscores"], |cx| {
        change_case(cx, Case::Snake);
    }),
    command("edit.camel-case", "Transform to camel case", &["camelCase", "change case"], |cx| {
        change_case(cx, Case::Camel);
    }),
    command("edit.kebab-case", "Transform to kebab case", &["kebab-case", "hyphens"], |cx| {
        change_case(cx, Case::Kebab);
    }),
    command("edit.increment", "Increment number", &["add"], |cx| increment(cx, 1, 0)),
    command("edit.decrement", "Decrement number", &["subtract"], |cx| increment(cx, -1, 0)),
    command(
        "edit.number-series",
        "Number cursors in sequence",
        &["insert numbers", "increment series"],
        |cx| increment(cx, 0, 1),
    ),
    command("edit.surround", "Surround selection", &["add brackets", "add quotes"], |cx| {
        await_char(cx, PendingChar::SurroundAdd, "Surround with which character?");
    }),
    command("edit.surround-delete", "Delete surrounding pair", &["remove brackets", "remove quotes"], |cx| {
        await_char(cx, PendingChar::SurroundDelete, "Delete which surrounding character?");
    }),
    command(
        "edit.surround-change",
        "Change surrounding pair",
        &["replace brackets", "replace quotes"],
        |cx| {
            await_char(cx, PendingChar::SurroundChange, "Change which surrounding character?");
        },
    ),
];

fn transpose_at_cursors(cx: &mut Cx<'_>, unit: TransposeUnit) {
    apply(cx, |text, selection| transpose::transpose(text, selection, unit));
}

fn change_case(cx: &mut Cx<'_>, case: Case) {
    apply_in_background(cx, false, move |text, selection| recase::recase(text, selection, case));
}

fn increment(cx: &mut Cx<'_>, by: i128, each: i128) {
    apply(cx, |text, selection| numbers::add(text, selection, by, each));
}

/// Handles the awaited character.
pub fn on_pending_char(cx: &mut Cx<'_>, awaiting: PendingChar, c: char) {
    match awaiting {
        PendingChar::SurroundAdd => {
            apply(cx, |text, selection| surround::add(text, selection, c));
        }
        PendingChar::SurroundDelete => {
            apply(cx, |text, selection| surround::delete(text, selection, c));
        }
        PendingChar::SurroundChange => {
            await_char(cx, PendingChar::SurroundWith(c), "Change to which character?");
        }
        PendingChar::SurroundWith(old) => {
            apply(cx, |text, selection| surround::change(text, selection, old, c));
        }
        PendingChar::RegisterCopy => registers::copy(cx, c, false),
        PendingChar::RegisterCut => registers::copy(cx, c, true),
        PendingChar::RegisterPaste => registers::paste(cx, c),
        PendingChar::MarkSet => locations::set_mark(cx, c),
        PendingChar::MarkGo => locations::go_to_mark(cx, c),
        // Handled where keys are pressed.
        PendingChar::MacroCount | PendingChar::Modal(_) => {}
    }
}
