//! Picker of the jump list, newest first.

use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::editor::commands::locations;
use crate::ide::model::jumps::JumpLocation;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "jumps",
    title: "Jumps",
    footer: "Enter go",
    preview: Some(|state, pick| {
        let spot = state.jumps.list().0.get(*pick.get::<usize>()?)?;
        Some(PreviewTarget::file(spot.path.clone()?, Some(line_now(state, spot))))
    }),
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(at) = pick.get::<usize>()
            && let Some(spot) = cx.state.jumps.go(*at)
        {
            locations::go_to_location(cx, &spot);
        }
    },
    ..PickerSpec::EMPTY
};

/// Returns the line of a location, from 1, where its file has changed since.
pub fn line_now(state: &State, spot: &JumpLocation) -> usize {
    let open = state.buffers.all().iter().find(|buffer| buffer.id == spot.buffer);
    let now = open.and_then(|buffer| {
        Some(buffer.area.text().line_of(buffer.area.document.positions().get(spot.name)?).0 + 1)
    });
    now.unwrap_or(spot.at.0)
}

fn rows(state: &State) -> Vec<PickRow> {
    let (jumps, here) = state.jumps.list();
    let row = |(at, spot): (usize, &JumpLocation)| {
        let file =
            spot.path.as_deref().map_or_else(|| "scratch".to_string(), |path| state.display_path(path));
        PickRow {
            text: format!("{file}:{}", line_now(state, spot)),
            aliases: Vec::new(),
            group: None,
            detail: if at == here { "here".to_string() } else { String::new() },
            pick: Pick::new(at),
        }
    };
    jumps.iter().enumerate().rev().map(row).collect()
}
