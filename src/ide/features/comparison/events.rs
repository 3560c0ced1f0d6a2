//! Marks a row of the session tree, compares another one with it, and moves in the result.

use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::features::comparison::view::{ComparisonView, Point};
use crate::ide::features::sessions::view::SessionView;
use crate::ide::features::sessions::{events as sessions, forest_events};
use crate::runtime::Handle;
use crate::tui::input::{Key, KeyCode};

/// Rows that a page moves.
const PAGE: isize = 10;
/// What failed, for the message when a task has no result.
const TASK: &str = "compare session entries";

/// Marks the selected row of the tree; with another row marked, compares both. On the marked row takes the mark
/// away.
pub fn mark_or_compare(cx: &mut Cx<'_>) {
    let keys = cx.state.keymap.keys_for(KeyContext::SessionTree, "session.compare");
    if forest_events::refuses(cx) {
        return;
    }
    let Some(view) = sessions::view_of(cx.state) else { return sessions::open(cx) };
    let Some(row) = view.selected_row().cloned() else { return cx.state.set_status("Nothing to choose") };
    let to = Point { entry: row.id.to_string(), text: text_of(view, &row) };
    match view.marked.take() {
        None => {
            view.marked = Some((row.id, to.text));
            let key = keys.unwrap_or_else(|| "the command again".to_string());
            cx.state.set_status(format!("Turn marked. Select the turn to compare with, then {key}"));
        }
        Some((marked, _)) if marked == row.id => cx.state.set_status("Mark removed"),
        Some((marked, text)) => compare(cx, Point { entry: marked.to_string(), text }, to),
    }
    sessions::damage(cx.state);
}

fn text_of(view: &SessionView, row: &crate::session::derived::outline::Row) -> String {
    view.text_of(row).unwrap_or_default().to_string()
}

fn compare(cx: &mut Cx<'_>, from: Point, to: Point) {
    cx.state.set_status("Comparing…");
    let (a, b) = (from.entry.clone(), to.entry.clone());
    let work = |session: Handle| async move { session.compare(&a, &b).await };
    ask_session(cx, "comparison.compare", TASK, work, |cx, found| {
        cx.state.set_status("");
        cx.state.layers.close::<ComparisonView>();
        cx.state.push_layer(ComparisonView::new([from, to], found));
    });
}

/// Handles a key while the comparison is open; returns whether it was handled.
pub fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    let Some(view) = cx.state.layers.top_mut::<ComparisonView>() else { return false };
    match (key.code, key.typed()) {
        (KeyCode::Up, _) | (_, Some('k')) => view.step(-1),
        (KeyCode::Down, _) | (_, Some('j')) => view.step(1),
        (KeyCode::PageUp, _) => view.scroll(-PAGE),
        (KeyCode::PageDown, _) => view.scroll(PAGE),
        (KeyCode::Escape, _) | (_, Some('q')) => drop(cx.state.pop_layer()),
        // Keys of the whole program, such as the one that quits.
        _ => return false,
    }
    cx.state.damage.add_all();
    true
}
