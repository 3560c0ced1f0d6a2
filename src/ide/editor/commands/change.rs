//! Commands that change words, numbers and what is around selections.

use crate::ide::core::awaiting::Awaiting;
use crate::ide::core::context::{Command, Cx, command, wait};
use crate::ide::editor::commands::edit::{apply, apply_elsewhere};
use crate::ide::editor::commands::{locations, registers};
use crate::text::numbers;
use crate::text::recase::{self, Case};
use crate::text::surround;
use crate::text::transpose::{self, Unit};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.transpose", "Exchange the characters around the cursor", |cx| swap(cx, Unit::Grapheme)),
    command("edit.transpose-over-lines", "Exchange the characters around the cursor, over line ends", |cx| {
        swap(cx, Unit::GraphemeOverLines);
    }),
    command("edit.transpose-words", "Exchange the words around the cursor", |cx| swap(cx, Unit::Word)),
    command("edit.transpose-lines", "Exchange the line with the one above", |cx| swap(cx, Unit::Line)),
    command("edit.upper-case", "UPPER CASE", |cx| case(cx, Case::Upper)),
    command("edit.lower-case", "lower case", |cx| case(cx, Case::Lower)),
    command("edit.title-case", "Title Case", |cx| case(cx, Case::Title)),
    command("edit.snake-case", "snake_case", |cx| case(cx, Case::Snake)),
    command("edit.camel-case", "camelCase", |cx| case(cx, Case::Camel)),
    command("edit.kebab-case", "kebab-case", |cx| case(cx, Case::Kebab)),
    command("edit.increment", "Count the number up", |cx| count(cx, 1, 0)),
    command("edit.decrement", "Count the number down", |cx| count(cx, -1, 0)),
    command("edit.number-series", "Make the numbers at the cursors a series", |cx| count(cx, 0, 1)),
    command("edit.surround", "Put a pair around the selection", |cx| {
        wait(cx, Awaiting::SurroundAdd, "surround with which sign?");
    }),
    command("edit.surround-delete", "Take a pair away from around the cursor", |cx| {
        wait(cx, Awaiting::SurroundDelete, "take away which sign?");
    }),
    command("edit.surround-change", "Put another pair around in place of one", |cx| {
        wait(cx, Awaiting::SurroundChange, "change which sign?");
    }),
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
        Awaiting::SurroundChange => wait(cx, Awaiting::SurroundWith(c), "by which sign?"),
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
