//! Picker of the registers and their content.

use crate::base::width::visible;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::editor::commands::registers;
use crate::ide::features::locations::kill_ring;
use crate::text::clipboard::content::{Content, ContentShape};

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "registers",
    title: "Registers",
    footer: "Enter paste",
    preview: Some(|state, pick| {
        let name = pick.get::<char>()?;
        let content = state.registers.read(&state.kill_ring, *name)?;
        Some(PreviewTarget::text(kill_ring::shown(&content)))
    }),
    has_places: false,
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(name) = pick.get::<char>() {
            registers::paste(cx, *name);
        }
    },
    ..PickerSpec::EMPTY
};

/// Maximum characters shown of a register's text.
const SHOWN: usize = 200;

fn rows(state: &State) -> Vec<PickRow> {
    let held = state.registers.all(&state.kill_ring);
    let row = |(name, content): (char, Content)| {
        let start: String = content.joined().chars().take(SHOWN).collect();
        let detail = match content.shape {
            ContentShape::Chars => String::new(),
            ContentShape::Lines => "lines".to_string(),
            ContentShape::Block => "rectangle".to_string(),
        };
        PickRow {
            text: format!("{name}  {}", visible(&start.replace('\n', "⏎"))),
            aliases: Vec::new(),
            group: None,
            detail,
            pick: Pick::new(name),
        }
    };
    held.into_iter().map(row).collect()
}
