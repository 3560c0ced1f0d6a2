//! Commands that create and change selections: more cursors, occurrences, lines, brackets, blocks.

use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::damage::Part;
use crate::ide::model::buffers::BufferId;
use crate::text::operations::block::{Block, BlockDirection};
use crate::text::operations::select;
use crate::text::rope::Text;
use crate::text::selection::Selection;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("select.add-above", "Add cursor above", &["multiple cursors"], |cx| add_vertical(cx, false)),
    command("select.add-below", "Add cursor below", &["multiple cursors"], |cx| add_vertical(cx, true)),
    command(
        "select.next-occurrence",
        "Select next occurrence",
        &["add selection to next match", "multiple cursors"],
        |cx| {
            occurrences(cx, false);
        },
    ),
    command(
        "select.all-occurrences",
        "Select all occurrences",
        &["change all", "highlights", "multiple cursors"],
        |cx| {
            occurrences(cx, true);
        },
    ),
    command("select.split-lines", "Split selection into lines", &["cursors at line ends"], |cx| {
        map_selection(cx, select::split_lines);
    }),
    command("select.keep-primary", "Keep only primary cursor", &["remove secondary cursors"], |cx| {
        map_selection(cx, |_, selection| select::only_primary(selection));
    }),
    command("select.drop-primary", "Remove primary cursor", &["delete last cursor"], |cx| {
        map_selection(cx, |_, selection| select::without_primary(selection));
    }),
    command("select.next-range", "Switch to next cursor", &["rotate selections"], |cx| {
        map_selection(cx, |_, selection| select::rotate(selection, true));
    }),
    command("select.previous-range", "Switch to previous cursor", &["rotate selections"], |cx| {
        map_selection(cx, |_, selection| select::rotate(selection, false));
    }),
    command("select.line", "Select line", &["expand line selection"], |cx| map_selection(cx, select::lines)),
    command("select.brackets", "Select inside brackets", &["enclosing"], |cx| {
        map_selection(cx, select::inside_brackets);
    }),
    command("select.indent-block", "Select indented block", &[], |cx| {
        let tab_width = cx.state.tab_width();
        map_selection(cx, |text, selection| select::indent_blocks(text, selection, tab_width));
    }),
    command("select.block-up", "Extend column selection up", &["rectangle", "block selection"], |cx| {
        block(cx, BlockDirection::Up);
    }),
    command("select.block-down", "Extend column selection down", &["rectangle", "block selection"], |cx| {
        block(cx, BlockDirection::Down);
    }),
    command("select.block-left", "Extend column selection left", &["rectangle", "block selection"], |cx| {
        block(cx, BlockDirection::Left);
    }),
    command("select.block-right", "Extend column selection right", &["rectangle", "block selection"], |cx| {
        block(cx, BlockDirection::Right);
    }),
];

/// Maximum size in bytes of a text that is searched at once; a task searches longer ones.
const SEARCH_INLINE_MAX: usize = 256 << 10;

/// The selection at the start of a search for its other occurrences.
struct Occurrences {
    /// In which file.
    buffer: BufferId,
    /// Version of its text.
    version: u64,
    /// The selection.
    selection: Selection,
}

/// Changes the selection of the focused text.
fn map_selection(cx: &mut Cx<'_>, shape: impl FnOnce(&Text, &Selection) -> Selection) {
    let Some((area, _, part)) = cx.state.text_target() else { return };
    area.select(shape(area.text(), &area.selection));
    cx.state.damage.add(part);
    show_count(cx);
}

fn show_count(cx: &mut Cx<'_>) {
    let count = cx.state.text_target().map_or(1, |(area, ..)| area.selection.ranges().len());
    if count > 1 {
        cx.state.set_status(format!("{count} cursors. Escape keeps one"));
    }
}

fn add_vertical(cx: &mut Cx<'_>, down: bool) {
    let tab_width = cx.state.tab_width();
    map_selection(cx, |text, selection| select::add_vertical(text, selection, down, tab_width));
}

fn occurrences(cx: &mut Cx<'_>, all: bool) {
    let Some((area, _, part)) = cx.state.text_target() else { return };
    let empty = area.selection.primary().is_empty();
    if empty {
        area.select(select::words(area.text(), &area.selection));
        cx.state.damage.add(part);
    }
    let Some((area, _, _)) = cx.state.text_target() else { return };
    if area.selection.primary().is_empty() {
        return cx.state.set_status("No word at the cursor");
    }
    if empty && !all {
        return;
    }
    let snapshot = (area.text().clone(), area.selection.clone());
    let (text, selection) = snapshot;
    if text.end().0 <= SEARCH_INLINE_MAX {
        let found = if all { select::add_all } else { select::add_next }(&text, &selection);
        return show_selection(cx, found);
    }
    let Some(buffer) = cx.state.buffers.current().filter(|_| part == Part::Editor) else {
        return cx.state.set_status("Text too long to find occurrences");
    };
    let (buffer, version) = (buffer.id, buffer.area.document.version());
    let of = Occurrences { buffer, version, selection: selection.clone() };
    // These may read the whole text.
    let work = move || if all { select::add_all } else { select::add_next }(&text, &selection);
    cx.tasks.spawn_blocking("select.find-occurrences", work, move |cx, selection| {
        if let Some(selection) = answer_or_error(cx, "find occurrences", selection) {
            on_found(cx, &of, selection.as_ref());
        }
    });
}

/// Applies occurrences found by a task, if nothing has changed since.
fn on_found(cx: &mut Cx<'_>, request: &Occurrences, found: Option<&Selection>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let same = buffer.id == request.buffer
        && buffer.area.document.version() == request.version
        && buffer.area.selection == request.selection;
    if same {
        let Some(buffer) = cx.state.buffers.current_mut() else { return };
        if let Some(found) = found {
            buffer.area.select(found.clone());
            cx.state.set_status(format!("{} cursors. Escape keeps one", found.ranges().len()));
        } else {
            cx.state.set_status("No more occurrences");
        }
        cx.state.damage.add(Part::Editor);
    }
}

fn show_selection(cx: &mut Cx<'_>, found: Option<Selection>) {
    match found {
        Some(found) => map_selection(cx, |_, _| found),
        None => cx.state.set_status("No more occurrences"),
    }
}

fn block(cx: &mut Cx<'_>, towards: BlockDirection) {
    let tab_width = cx.state.tab_width();
    let Some((area, _, part)) = cx.state.text_target() else { return };
    let text = area.text().clone();
    let now = area.block.filter(|block| block.selection(&text, tab_width) == area.selection);
    let from = now.unwrap_or_else(|| Block::of(&text, area.selection.primary(), tab_width));
    let block = from.extended(&text, towards, tab_width);
    area.select(block.selection(&text, tab_width));
    area.block = Some(block);
    cx.state.damage.add(part);
}
