//! The functions, types and headings of the file that is shown, each in what holds it.

use nucleo::Injector;

use crate::ide::core::context::{Cx, answered};
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{Load, Row};
use crate::ide::editor::commands::locations;
use crate::ide::features::symbols::job::SymbolAt;
use crate::ide::features::symbols::job::SymbolsJob;

/// The table's row.
pub const PICKER: Row = Row {
    id: "outline",
    title: "Go to symbol",
    footer: "Enter go",
    load: |_| Load::Task(find),
    accept: |cx, pick, _| {
        if let Some(SymbolAt { buffer, version, at }) = pick.get() {
            locations::go_to(cx, *buffer, *version, *at);
        }
    },
};

/// Puts the named things of the file that is shown into the picker of this number.
fn find(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let Some(job) = cx.state.buffers.current().and_then(SymbolsJob::of) else {
        return cx.state.filled(picker);
    };
    let work = move || job.run().into_iter().for_each(|row| push(&injector, row));
    cx.tasks.spawn_blocking("symbols.find", work, move |cx, found| {
        cx.state.filled(picker);
        answered(cx, "find symbols", found);
    });
}
