//! The list of the lines of the shown file, filtered while typing. Must not know queries of the find bar.

use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::editor::commands::locations;
use crate::ide::model::buffers::BufferId;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "lines",
    title: "Go to line by text",
    footer: "Enter go",
    preview: Some(|state, pick| place(state, pick.get()?)),
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| {
        if let Some(LinePlace { buffer, version, at }) = pick.get() {
            locations::go_to(cx, *buffer, *version, *at);
        }
    },
    ..PickerSpec::EMPTY
};

/// Maximum bytes of a line that are searched and shown.
const SEARCHED: usize = 500;

/// A line in a version of an open file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LinePlace {
    buffer: BufferId,
    version: u64,
    at: Byte,
}

/// Returns the place of a line, if its text is in a file.
fn place(state: &State, LinePlace { buffer, at, .. }: &LinePlace) -> Option<PreviewTarget> {
    let buffer = state.buffers.all().iter().find(|open| open.id == *buffer)?;
    let text = buffer.area.text();
    Some(PreviewTarget::file(buffer.path.clone()?, Some(text.line_of((*at).min(text.end())).0 + 1)))
}

/// Adds the lines of the shown file to the picker of this number, in a task that ends with the picker.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let Some(buffer) = cx.state.buffers.current().filter(|buffer| !buffer.is_image) else {
        return cx.state.finish_filling(picker);
    };
    let (text, id, version) = (buffer.area.text().clone(), buffer.id, buffer.area.document.version());
    let cancel = CancellationToken::new();
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
    }
    let work = move || {
        for line in (0..=text.last_line().0).map(Line).take_while(|_| !cancel.is_cancelled()) {
            let shown = shown(&text, line);
            if !shown.is_empty() {
                let place = LinePlace { buffer: id, version, at: text.line_start(line) };
                push(
                    &injector,
                    PickRow {
                        text: shown,
                        aliases: Vec::new(),
                        group: None,
                        detail: (line.0 + 1).to_string(),
                        pick: Pick::new(place),
                    },
                );
            }
        }
    };
    cx.tasks.spawn_blocking("find.lines", work, move |cx, listed| {
        cx.state.finish_filling(picker);
        answer_or_error(cx, "list the lines", listed);
    });
}

/// Returns the beginning of a line without its indentation.
fn shown(text: &Text, line: Line) -> String {
    let start = text.line_start(line);
    let end = text.char_floor(text.line_end(line).min(start + SEARCHED));
    visible(text.slice(start..end).trim()).into_owned()
}
