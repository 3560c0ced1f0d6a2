//! Picker of the marks of the shown file, and of those that name their file.

use crate::base::width::visible;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::editor::commands::locations;
use crate::ide::features::locations::jumps;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "marks",
    title: "Marks",
    footer: "Enter go",
    preview: Some(|state, pick| place(state, *pick.get::<char>()?)),
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
        let line = jumps::line_now(state, spot);
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

/// Returns the place of a mark, if it is in a file.
fn place(state: &State, letter: char) -> Option<PreviewTarget> {
    if let Some((_, spot)) = state.jumps.marks().find(|(mark, _)| *mark == letter) {
        return Some(PreviewTarget::file(spot.path.clone()?, Some(jumps::line_now(state, spot))));
    }
    let buffer = state.buffers.current()?;
    let (_, at) = buffer.area.document.positions().marks().find(|(mark, _)| *mark == letter)?;
    Some(PreviewTarget::file(buffer.path.clone()?, Some(buffer.area.text().line_of(at).0 + 1)))
}
