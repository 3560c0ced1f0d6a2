//! Picker of the functions, types and headings of the shown file, with their containers.

use std::ops::Range;
use std::pin::pin;

use futures::future::{Either, select};
use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{
    Pick, PickRow, Picker, PickerSpec, RowSource, push, redraw, show_selected,
};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::layers::replaced_rows::replace_rows;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::editor::commands::locations;
use crate::ide::features::language_servers::questions;
use crate::ide::features::symbols::job::{SymbolLocation, SymbolsJob};
use crate::ide::features::symbols::server_symbols::{self, ServerSymbols};
use crate::text::position::Byte;

/// How long the first rows are waited for before one is selected, in milliseconds.
const FILL_WAIT_MS: u64 = 10;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "outline",
    title: "Go to symbol",
    footer: "Enter go",
    preview: Some(|state, pick| {
        let SymbolLocation { buffer, at, .. } = pick.get()?;
        let buffer = state.buffers.all().iter().find(|open| open.id == *buffer)?;
        let text = buffer.area.text();
        let line = text.line_of((*at).min(text.end())).0 + 1;
        Some(PreviewTarget::file(buffer.path.clone()?, Some(line)))
    }),
    load: |_| RowSource::Task(find),
    accept: |cx, pick, _| {
        if let Some(SymbolLocation { buffer, version, at }) = pick.get() {
            locations::go_to(cx, *buffer, *version, *at);
        }
    },
    ..PickerSpec::EMPTY
};

/// Adds the symbols of the shown file to the picker of this number: those of the syntax tree, which those of its language
/// servers replace.
fn find(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let job = cx.state.buffers.current().and_then(SymbolsJob::of);
    let caret = cx.state.buffers.current().map(|buffer| {
        let (text, caret) = (buffer.area.text(), buffer.area.caret());
        let (start, end) = text.line_bounds(text.line_of(caret));
        (caret, start..end)
    });
    let of_tree = caret.clone();
    let servers = server_symbols::ask(cx);
    let cancel = CancellationToken::new();
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
    }
    let tree = on_thread(move || {
        let rows = job.map(SymbolsJob::run).unwrap_or_default();
        let around = around(&rows, of_tree.as_ref());
        for row in rows {
            push(&injector, row);
        }
        around
    });
    let work = async move { cancel.run_until_cancelled(answer(tree, servers)).await.unwrap_or_default() };
    cx.tasks.spawn("symbols.find", work, move |cx, found| {
        let (found, of_tree) = answer_or_error(cx, "find symbols", found).unwrap_or_default();
        questions::note_problems(cx.state, "symbols", found.problems);
        let around = found.rows.as_ref().map_or(of_tree, |rows| around(rows, caret.as_ref()));
        if let Some(rows) = found.rows {
            replace_rows(cx, number, rows);
        }
        start_at(cx, number, around);
        cx.state.finish_filling(number);
    });
}

/// A caret, and the start and end of its line.
type Caret = (Byte, Range<Byte>);

/// Returns the symbol around the caret: the last one that begins before it, unless only one behind it is in its line.
fn around(rows: &[PickRow], caret: Option<&Caret>) -> Option<Pick> {
    let (caret, line) = caret?;
    let at = |row: &PickRow| row.pick.get::<SymbolLocation>().map(|symbol| symbol.at);
    let before = rows.iter().rev().find(|row| at(row).is_some_and(|at| at <= *caret));
    let is_in_line = |row: &&PickRow| at(row).is_some_and(|at| line.start <= at && at <= line.end);
    let found = before.filter(is_in_line).or_else(|| rows.iter().find(is_in_line)).or(before);
    found.map(|row| row.pick.clone())
}

/// Selects a row of the picker of this number, unless something was typed or another row is selected.
fn start_at(cx: &mut Cx<'_>, number: u64, row: Option<Pick>) {
    let Some(picker) = cx.state.layers.all_mut::<Picker>().find(|picker| picker.number == number) else {
        return;
    };
    if row.is_none() || picker.selected > 0 || !picker.query.text().is_empty() {
        return;
    }
    picker.tick(FILL_WAIT_MS);
    picker.select_again(0, row);
    redraw(cx.state);
    show_selected(cx);
}

/// Returns what the servers answer, once there is nothing more to come that is listed: they need not wait for the tree. Also
/// the row of the tree around the caret, if it has come.
async fn answer(
    tree: impl Future<Output = Option<Pick>>,
    servers: Option<impl Future<Output = ServerSymbols>>,
) -> (ServerSymbols, Option<Pick>) {
    let Some(servers) = servers else { return (ServerSymbols::default(), tree.await) };
    match select(pin!(tree), pin!(servers)).await {
        Either::Left((around, servers)) => (servers.await, around),
        Either::Right((found, tree)) => {
            let around = if found.rows.is_none() { tree.await } else { None };
            (found, around)
        }
    }
}
