//! Commands that change words, numbers and what is around selections.

use crate::ide::core::context::{Command, Cx, command, wait};
use crate::ide::core::keys::awaiting::Awaiting;
use crate::ide::editor::commands::edit::{apply, apply_elsewhere};
use crate::ide::editor::commands::{locations, registers};
use crate::text::operations::numbers;
use crate::text::operations::recase::{self, Case};
use crate::text::operations::surround;
use crate::text::operations::transpose::{self, Unit};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.transpose", "Transpose characters", &["swap characters"], |cx| swap(cx, Unit::Grapheme)),
    command("edit.transpose-over-lines", "Transpose characters across lines", &["swap characters"], |cx| {
        swap(cx, Unit::GraphemeOverLines);
    }),
    command("edit.transpose-words", "Transpose words", &["swap words"], |cx| swap(cx, Unit::Word)),
    command("edit.transpose-lines", "Transpose lines", &["swap lines"], |cx| swap(cx, Unit::Line)),
    command("edit.upper-case", "Transform to uppercase", &["capitals", "upcase"], |cx| case(cx, Case::Upper)),
    command("edit.lower-case", "Transform to lowercase", &["downcase"], |cx| case(cx, Case::Lower)),
    command("edit.title-case", "Transform to title case", &["capitalize"], |cx| case(cx, Case::Title)),
    command("edit.snake-case", "Transform to snake case", &[], |cx| case(cx, Case::Snake)),
    command("edit.camel-case", "Transform to camel case", &[], |cx| case(cx, Case::Camel)),
    command("edit.kebab-case", "Transform to kebab case", &[], |cx| case(cx, Case::Kebab)),
    command("edit.increment", "Increment number", &["add"], |cx| count(cx, 1, 0)),
    command("edit.decrement", "Decrement number", &["subtract"], |cx| count(cx, -1, 0)),
    command(
        "edit.number-series",
        "Number cursors in sequence",
        &["insert numbers", "increment series"],
        |cx| count(cx, 0, 1),
    ),
    command("edit.surround", "Surround selection", &["add brackets", "add quotes"], |cx| {
        wait(cx, Awaiting::SurroundAdd, "Surround with which character?");
    }),
    command("edit.surround-delete", "Delete surrounding pair", &["remove brackets", "remove quotes"], |cx| {
        wait(cx, Awaiting::SurroundDelete, "Delete which surrounding character?");
    }),
    command(
        "edit.surround-change",
        "Change surrounding pair",
        &["replace brackets", "replace quotes"],
        |cx| {
            wait(cx, Awaiting::SurroundChange, "Change which surrounding character?");
        },
    ),
];

fn swap(cx: &mut Cx<'_>, unit: Unit) {
    apply(cx, |text, selection| transpose::transpose(text, selection, unit));
}

fn case(cx: &mut Cx<'_>, case: Case) {
    apply_elsewhere(cx, false, move |text, selection| recase::recase(text, selection, case));
}

fn count(cx: &mut Cx<'_>, by: i128, each: i128) {
    apply(cx, |text, selection| numbers::add(text, selection, by, each));
}

/// The character came.
pub fn awaited(cx: &mut Cx<'_>, awaiting: Awaiting, c: char) {
    match awaiting {
        Awaiting::SurroundAdd => {
            apply(cx, |text, selection| surround::add(text, selection, c));
        }
        Awaiting::SurroundDelete => {
            apply(cx, |text, selection| surround::delete(text, selection, c));
        }
        Awaiting::SurroundChange => wait(cx, Awaiting::SurroundWith(c), "Change to which character?"),
        Awaiting::SurroundWith(old) => {
            apply(cx, |text, selection| surround::change(text, selection, old, c));
        }
        Awaiting::RegisterCopy => registers::copy(cx, c, false),
        Awaiting::RegisterCut => registers::copy(cx, c, true),
        Awaiting::RegisterPut => registers::put(cx, c),
        Awaiting::MarkSet => locations::set_mark(cx, c),
        Awaiting::MarkGo => locations::go_to_mark(cx, c),
        // Answered where keys are pressed.
        Awaiting::MacroTimes | Awaiting::Modal(_) => {}
    }
}
