//! Picker of the functions, types and headings of the shown file, with their containers.

use nucleo::Injector;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::editor::commands::locations;
use crate::ide::features::symbols::job::SymbolLocation;
use crate::ide::features::symbols::job::SymbolsJob;

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

/// Adds the symbols of the shown file to the picker of this number.
fn find(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let Some(job) = cx.state.buffers.current().and_then(SymbolsJob::of) else {
        return cx.state.finish_filling(picker);
    };
    let work = move || job.run().into_iter().for_each(|row| push(&injector, row));
    cx.tasks.spawn_blocking("symbols.find", work, move |cx, found| {
        cx.state.finish_filling(picker);
        answer_or_error(cx, "find symbols", found);
    });
}
