//! Picker of the functions, types and headings of the shown file, with their containers.

use std::pin::pin;

use futures::future::{Either, select};
use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{PickRow, Picker, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::layers::replaced_rows::replace_rows;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::editor::commands::locations;
use crate::ide::features::language_servers::questions;
use crate::ide::features::symbols::job::{SymbolLocation, SymbolsJob};
use crate::ide::features::symbols::server_symbols::{self, ServerSymbols};

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
    let servers = server_symbols::ask(cx);
    let cancel = CancellationToken::new();
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
    }
    let tree = on_thread(move || {
        let rows = job.map(SymbolsJob::run).unwrap_or_default();
        for row in rows {
            push(&injector, row);
        }
    });
    let work = async move { cancel.run_until_cancelled(answer(tree, servers)).await.unwrap_or_default() };
    cx.tasks.spawn("symbols.find", work, move |cx, found| {
        let found = answer_or_error(cx, "find symbols", found).unwrap_or_default();
        questions::note_problems(cx.state, "symbols", found.problems);
        if let Some(rows) = found.rows {
            replace_rows(cx, number, rows);
        }
        cx.state.finish_filling(number);
    });
}

/// Returns what the servers answer, once there is nothing more to come that is listed: they need not wait for the tree.
async fn answer(
    tree: impl Future<Output = ()>,
    servers: Option<impl Future<Output = ServerSymbols>>,
) -> ServerSymbols {
    let Some(servers) = servers else {
        tree.await;
        return ServerSymbols::default();
    };
    match select(pin!(tree), pin!(servers)).await {
        Either::Left(((), servers)) => servers.await,
        Either::Right((found, tree)) => {
            if found.rows.is_none() {
                tree.await;
            }
            found
        }
    }
}
