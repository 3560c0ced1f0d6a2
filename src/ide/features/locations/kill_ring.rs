//! Picker of the kill ring, newest first: what was cut or copied, whole beside the list. Enter inserts it at the cursors.

use std::sync::Arc;

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::editor::commands::edit;
use crate::text::clipboard::content::Content;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "kill-ring",
    title: "Paste from kill ring",
    footer: "Enter paste",
    preview: Some(|state, pick| {
        let content = state.kill_ring.entries().nth(*pick.get::<usize>()?)?;
        Some(PreviewTarget::text(shown(content)))
    }),
    has_places: false,
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        let content = pick.get::<usize>().and_then(|at| cx.state.kill_ring.entries().nth(*at)).cloned();
        match content {
            Some(_) if cx.state.text_target().is_none() => cx.state.set_status("No text to paste into here"),
            Some(content) => edit::paste_texts(cx, &content.texts),
            None => {}
        }
    },
    ..PickerSpec::EMPTY
};

/// Maximum bytes shown beside the list: a frame must not grow with what was cut.
const SHOWN_MAX: usize = 64 << 10;
/// Maximum bytes of a row's text.
const ROW_MAX: usize = 200;

/// Returns the beginning of a text, the parts of several cursors on lines of their own.
pub fn shown(content: &Content) -> Arc<str> {
    let mut text = String::new();
    for part in &*content.texts {
        if !text.is_empty() {
            text.push('\n');
        }
        let room = SHOWN_MAX.saturating_sub(text.len());
        text.push_str(&part[..part.floor_char_boundary(room)]);
    }
    text.into()
}

fn rows(state: &State) -> Vec<PickRow> {
    let row = |(at, content): (usize, &Content)| {
        let all = shown(content);
        let start = all.trim_start();
        let start = &start[..start.floor_char_boundary(ROW_MAX)];
        let lines = all.lines().count();
        PickRow {
            text: visible(&start.replace('\n', "⏎").replace('\t', " ")).into_owned(),
            aliases: Vec::new(),
            group: None,
            detail: if lines > 1 { pluralize(lines, "line", "lines") } else { String::new() },
            pick: Pick::new(at),
        }
    };
    state.kill_ring.entries().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clipboard::content::ContentShape;

    #[test]
    fn kill_ring_preview_is_bounded_at_a_character() {
        let content = Content::new(vec!["é".repeat(SHOWN_MAX), "two".to_string()], ContentShape::Chars);
        assert_eq!(shown(&content).len(), SHOWN_MAX + 1);
        let parts = Content::new(vec!["one".to_string(), "two".to_string()], ContentShape::Chars);
        assert_eq!(&*shown(&parts), "one\ntwo");
    }
}
