//! The line in the title of the file tree in which a filter is typed: the tree shows the files whose paths contain its
//! words meanwhile. Enter opens the selected one, Escape takes the filter back.

use std::path::PathBuf;

use ratatui::layout::Rect;
use ratatui::style::Style;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::width::{text_width, truncate};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::file_tree::events::reveal_file;
use crate::ide::model::file_list;
use crate::ide::model::text_area::TextArea;
use crate::text::position::{Byte, Line};
use crate::tui::canvas::Canvas;
use crate::workspace::walk::{self, Scope};

/// Where the text begins, after the sign.
const TEXT_X: u16 = 3;
/// Maximum number of files that a filter shows.
const FILES_MAX: usize = 500;

/// The line.
pub struct TreeFilter {
    query: TextArea,
    /// Version of the query that was searched for.
    searched: u64,
    /// Columns of the tree when it opened.
    cols: u16,
    /// What was selected before, for Escape.
    before: Option<PathBuf>,
    /// Cancels the search of the query before.
    search: Option<DropGuard>,
    /// Whether the tree still shows what another query found.
    is_searching: bool,
    /// Whether Enter was pressed meanwhile: it is for what is typed, not for what is shown.
    accepts: bool,
}

/// Opens the line over the title of the tree.
pub fn open(cx: &mut Cx<'_>) {
    panes::focus(cx, Focus::Files);
    let before = cx.state.files.current().map(|row| row.path.clone());
    let cols = cx.state.areas.files.map_or(cx.state.size.0, |area| area.width);
    cx.state.push_layer(TreeFilter {
        query: TextArea::default(),
        searched: 0,
        cols,
        before,
        search: None,
        is_searching: false,
        accepts: false,
    });
}

impl Layer for TreeFilter {
    fn context(&self) -> KeyContext {
        KeyContext::InputPrompt
    }

    fn is_line(&self) -> bool {
        true
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        Rect::new(0, 0, self.cols.min(size.0), 1)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, _) = canvas.size();
        let (plain, sign) = (canvas.style("ui.overlay"), canvas.style("ui.prompt"));
        canvas.fill(Rect::new(0, 0, cols, 1), plain);
        canvas.text(1, 0, "/", Style { bg: plain.bg, ..sign });
        let text = self.query.text().line(Line(0)).into_owned();
        canvas.content(TEXT_X, 0, &truncate(&text, usize::from(cols.saturating_sub(TEXT_X + 1))), plain);
        let (note, used) = (" +ignored ", usize::from(TEXT_X) + text_width(&text));
        if state.files.with_ignored && used + note.len() < usize::from(cols) {
            let soft = canvas.style("ui.overlay.soft");
            canvas.text(cols - note.len() as u16, 0, note, soft);
        }
    }

    fn cursor(&self, (cols, _): (u16, u16)) -> Option<(u16, u16)> {
        let before = self.query.text().slice(Byte(0)..self.query.selection.primary().head);
        Some(((TEXT_X + text_width(&before) as u16).min(cols.saturating_sub(1)), 0))
    }

    fn text(&mut self) -> Option<&mut TextArea> {
        Some(&mut self.query)
    }

    fn actions(&self) -> Actions {
        Actions { step, accept, on_change, escape, ..Actions::default() }
    }
}

fn step(cx: &mut Cx<'_>, by: isize) {
    cx.state.files.step(by);
    cx.state.damage.add(Part::Files);
}

fn on_change(cx: &mut Cx<'_>) {
    let Some(line) = cx.state.layers.top_mut::<TreeFilter>() else { return };
    let version = line.query.document.version();
    if std::mem::replace(&mut line.searched, version) != version {
        search(cx);
    }
}

/// Searches for what is typed, if the line is open.
pub fn search(cx: &mut Cx<'_>) {
    let Some(line) = cx.state.layers.top_mut::<TreeFilter>() else { return };
    let query = line.query.text().to_string();
    let cancel = CancellationToken::new();
    line.search = Some(cancel.clone().drop_guard());
    let before = line.before.clone();
    (line.is_searching, line.accepts) = (!query.trim().is_empty(), false);
    if query.trim().is_empty() {
        cx.state.files.clear_filter(before.as_deref());
        return cx.state.damage.add(Part::Files);
    }
    let (list, with_ignored) = (&cx.state.files.file_list, cx.state.files.with_ignored);
    let (known, mut walked) = (list.fresh(with_ignored, cx.now), list.begin_walk(with_ignored, cx.now));
    let root = cx.env.root().to_path_buf();
    let stop = cancel.clone();
    let work = move || {
        if let Some(list) = known {
            return matching(&list, &query, &stop);
        }
        let scope = Scope::from(&*root).with_ignored(with_ignored);
        let end = walk::walk(scope, &stop, |paths| paths.iter().for_each(|path| walked.push(path)));
        // A part of the files must not be kept as if it were all.
        if end.cancelled { Vec::new() } else { matching(&walked.end(), &query, &stop) }
    };
    cx.tasks.spawn_blocking("file_tree.filter", work, move |cx, paths| {
        // Closing the line, or another query, cancels.
        let line = cx.state.layers.top_mut::<TreeFilter>().filter(|_| !cancel.is_cancelled());
        let is_current = line.is_some();
        let accepts = line.is_some_and(|line| {
            line.is_searching = false;
            line.accepts
        });
        match paths {
            Ok(paths) if is_current => cx.state.files.set_filter(paths.iter().map(String::as_str)),
            Ok(_) => {}
            Err(error) => cx.state.set_error(format!("Cannot search the file tree: {error}")),
        }
        cx.state.damage.add(Part::Files);
        if accepts {
            accept(cx);
        }
    });
}

/// Returns the first paths that contain all words of a query, in any case, those of one folder next to each other.
fn matching(list: &str, query: &str, cancel: &CancellationToken) -> Vec<String> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let paths = file_list::paths(list).take_while(|_| !cancel.is_cancelled());
    let is_match = |path: &&str| {
        let path = path.to_lowercase();
        words.iter().all(|word| path.contains(word.as_str()))
    };
    let mut found: Vec<String> = paths.filter(is_match).take(FILES_MAX).map(String::from).collect();
    found.sort_by(|one, other| one.split('/').cmp(other.split('/')));
    found
}

/// Takes the filter back, and shows the selected row in the whole tree; a file is opened. Waits for the search of what
/// is typed.
fn accept(cx: &mut Cx<'_>) {
    if let Some(line) = cx.state.layers.top_mut::<TreeFilter>().filter(|line| line.is_searching) {
        line.accepts = true;
        return;
    }
    let selected = cx.state.files.current().cloned();
    cx.state.pop_layer();
    cx.state.files.clear_filter(None);
    let Some(row) = selected else { return };
    reveal_file(cx, &row.path);
    if !row.entry.is_folder {
        cx.state.note_jump();
        (cx.state.catalog.open_file)(cx, row.path, None);
        panes::focus(cx, Focus::Editor);
    }
}

fn escape(cx: &mut Cx<'_>) {
    let Some(line) = cx.state.layers.pop_as::<TreeFilter>() else { return };
    cx.state.files.clear_filter(line.before.as_deref());
    cx.state.damage.add_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_tree_filter_matches_all_words_and_keeps_folders_together() {
        let list = "src/b/x.rs\0src/a.rs\0SRC/a.md\0src/b.rs\0docs/a.rs\0";
        let found = |query: &str| matching(list, query, &CancellationToken::new());
        assert_eq!(found("src A"), ["SRC/a.md", "src/a.rs"]);
        assert_eq!(found("src .rs"), ["src/a.rs", "src/b/x.rs", "src/b.rs"]);
        let many = "a\0".repeat(2 * FILES_MAX);
        assert_eq!(matching(&many, "a", &CancellationToken::new()).len(), FILES_MAX);
    }
}
