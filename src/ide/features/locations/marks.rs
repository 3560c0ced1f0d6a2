//! Picker of the marks of the shown file, and of those that name their file.

use crate::base::width::visible;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::editor::commands::locations;
use crate::text::position::Byte;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "marks",
    title: "Marks",
    footer: "Enter go",
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(letter) = pick.get::<char>() {
            locations::go_to_mark(cx, *letter);
        }
    },
    ..PickerSpec::EMPTY
};

/// Maximum bytes shown of a line.
const SHOWN: usize = 200;

fn rows(state: &State) -> Vec<PickRow> {
    let mut rows = Vec::new();
    if let Some(buffer) = state.buffers.current() {
        let text = buffer.area.text();
        let here = buffer.area.document.positions().marks();
        for (letter, at) in here.filter(|(letter, _)| !letter.is_ascii_uppercase()) {
            let line = text.line_of(at);
            let start = text.line_start(line);
            let shown =
                text.slice(start..text.char_floor(text.line_end(line).min(start + SHOWN))).into_owned();
            rows.push(PickRow {
                text: format!("{letter}  {:>5}  {}", line.0 + 1, visible(shown.trim())),
                aliases: Vec::new(),
                group: None,
                detail: String::new(),
                pick: Pick::new(letter),
            });
        }
    }
    for (letter, spot) in state.jumps.marks() {
        let open = state.buffers.all().iter().find(|buffer| buffer.id == spot.buffer);
        let now: Option<Byte> = open.and_then(|buffer| buffer.area.document.positions().get(spot.name));
        let line = match (open, now) {
            (Some(buffer), Some(at)) => buffer.area.text().line_of(at).0 + 1,
            _ => spot.at.0,
        };
        let file =
            spot.path.as_deref().map_or_else(|| "scratch".to_string(), |path| state.display_path(path));
        rows.push(PickRow {
            text: format!("{letter}  {line:>5}  {file}"),
            aliases: Vec::new(),
            group: None,
            detail: String::new(),
            pick: Pick::new(letter),
        });
    }
    rows
}
