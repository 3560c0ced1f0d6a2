//! List of what servers found in the open texts.

use crate::base::width::visible;
use crate::ide::core::layers::picker::{Location, Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::files::place_list::PLACES;
use crate::ide::features::language_servers::commands::summary;
use crate::text::display::columns;

/// The diagnostics of all open texts.
pub const PICKER: PickerSpec = PickerSpec {
    id: "diagnostics",
    title: "Diagnostics",
    load: |state| RowSource::Rows(diagnostics(state), Vec::new()),
    ..PLACES
};

/// Returns the rows: those of the shown text first, each text by severity and position.
fn diagnostics(state: &State) -> Vec<PickRow> {
    let shown = state.buffers.current().map(|buffer| buffer.id);
    let mut buffers: Vec<_> = state.buffers.all().iter().collect();
    buffers.sort_by_key(|buffer| Some(buffer.id) != shown);
    let mut rows = Vec::new();
    for buffer in buffers {
        let Some(path) = buffer.path.clone() else { continue };
        let text = buffer.area.text();
        let mut marks: Vec<_> = buffer.servers.diagnostics.all().collect();
        marks.sort_by_key(|mark| std::cmp::Reverse(mark.diagnostic.severity));
        for mark in marks {
            let at = mark.range.start.min(text.end());
            let line = text.line_of(at).0 + 1;
            let column = columns::column_of(text, at, buffer.tab_width(state.text_options.tab_width)).0 + 1;
            let origin = mark.diagnostic.origin();
            let place = format!("{}:{line}", buffer.path_or_name(&state.workspace));
            let detail = if origin.is_empty() { place } else { format!("{place}  {}", visible(&origin)) };
            rows.push(PickRow {
                text: summary(mark),
                aliases: Vec::new(),
                group: None,
                detail,
                pick: Pick::new(Location { path: path.clone(), line, column }),
            });
        }
    }
    rows
}
