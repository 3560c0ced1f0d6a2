//! The rows of a picker as a list of results: their lines are read in a task, from the open texts or the files. Must not
//! know which picker.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::base::width::visible;
use crate::exec::{Environment, FileData};
use crate::ide::core::context::{Cx, Tasks};
use crate::ide::core::layers::last_picker;
use crate::ide::core::layers::picker::{Location, Pick};
use crate::ide::features::project_search::job::{Batch, OpenText};
use crate::ide::features::project_search::navigate;
use crate::ide::features::project_search::search::OpenTexts;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::results::{self, FoundText, ListedFile, Origin, Query};
use crate::text::display::columns;
use crate::text::position::{Column, Line};
use crate::text::rope::Text;
use crate::workspace::grep::{FileTexts, GrepSummary, SIZE_MAX};

/// Maximum bytes of a listed line: a file with a single line could be very long.
const LINE_MAX: usize = 64 << 10;

/// A place: the path, the line from 1, and the column from 1 if it is known.
type Place = (PathBuf, usize, Option<usize>);

/// The line and the column of a place.
type LinePlace = (usize, Option<usize>);

/// Shows places as a list of results.
pub fn show(cx: &mut Cx<'_>, title: String, places: Vec<(last_picker::Place, Pick)>) {
    let open = navigate::open_texts(cx.state);
    let query = Query { pattern: title, options: cx.state.search.options, replacement: None };
    let (list, cancel) = navigate::open_list(cx, query);
    let place = |((path, line), pick): (last_picker::Place, Pick)| {
        let column = pick.get::<Location>().map(|location| location.column);
        (path, line.unwrap_or(1), column)
    };
    let places: Vec<Place> = places.into_iter().map(place).collect();
    let (env, tasks) = (cx.env.clone(), cx.tasks.clone());
    let tab_width = cx.state.text_options.tab_width;
    let work = async move { Reader { env: &*env, tasks, list, tab_width }.read(places, open, &cancel).await };
    cx.tasks.spawn("project_search.places", work, move |cx, summary| {
        navigate::on_searched(cx, list, summary.map_err(|error| error.to_string()));
    });
}

/// Reads the lines of places for a list.
struct Reader<'a> {
    env: &'a dyn Environment,
    tasks: Tasks,
    list: BufferId,
    tab_width: usize,
}

impl Reader<'_> {
    /// Adds the places to the list, file by file, in the order in which the files are named first.
    async fn read(&self, places: Vec<Place>, open: Vec<OpenText>, cancel: &CancellationToken) -> GrepSummary {
        let root = self.env.root().to_path_buf();
        let real = self.env.resolve(&root).await.unwrap_or_else(|_| root.clone());
        let open = OpenTexts::new(open, (root.clone(), real));
        let mut files: Vec<(PathBuf, Vec<LinePlace>)> = Vec::new();
        let mut known: HashMap<PathBuf, usize> = HashMap::new();
        for (path, line, column) in places {
            let at = *known.entry(path.clone()).or_insert(files.len());
            if at == files.len() {
                files.push((path, Vec::new()));
            }
            files[at].1.push((line, column));
        }
        let mut summary = GrepSummary::default();
        for (path, mut lines) in files {
            if cancel.is_cancelled() {
                summary.cancelled = true;
                break;
            }
            let Some(text) = self.text(&path, &open, &mut summary).await else { continue };
            lines.sort_unstable();
            lines.dedup_by_key(|(line, _)| *line);
            let batch = self.batch(&path, &root, summary.files, &text, &lines);
            summary.files += 1;
            summary.matches += batch.rows.len();
            let list = self.list;
            self.tasks.post("project_search.found", move |cx| navigate::on_found(cx, list, batch)).await;
        }
        summary
    }

    /// Returns the text of a file, as it is shown if it is open; counts why there is none.
    async fn text(&self, path: &Path, open: &OpenTexts, summary: &mut GrepSummary) -> Option<Text> {
        if let Some(text) = open.unsaved_text(path) {
            return Some(Text::from(text.as_str()));
        }
        if self.env.stat(path).await.is_ok_and(|stat| stat.size > SIZE_MAX) {
            summary.too_long += 1;
            return None;
        }
        let Ok(FileData { bytes, .. }) = self.env.read(path).await else {
            summary.unreadable += 1;
            return None;
        };
        let text = open.decode(bytes);
        summary.binary += usize::from(text.is_none());
        text.map(|text| Text::from(text.as_str()))
    }

    fn batch(&self, path: &Path, root: &Path, file: usize, text: &Text, lines: &[LinePlace]) -> Batch {
        let shown = crate::base::paths::display(path, root);
        // A name with a line end would be two lines.
        let name = visible(&shown).into_owned();
        let mut batch = Batch::default();
        for (line, column) in lines.iter().filter(|(line, _)| (1..=text.line_count()).contains(line)) {
            let at = Line(line - 1);
            let (start, end) = (text.line_start(at), text.line_end(at));
            if end.0 - start.0 > LINE_MAX {
                continue;
            }
            let old = text.slice(start..end).into_owned();
            let caret = column.map(|column| {
                columns::at_column(text, at, Column(column.saturating_sub(1)), self.tab_width).0 - start.0
            });
            let caret = caret.unwrap_or_else(|| old.len() - old.trim_start().len()).min(old.len());
            batch.text.push_str(&results::format_row(&name, *line, *line, &old));
            batch.rows.push((Origin { file, first: *line, last: *line }, FoundText { old, at: caret }));
        }
        batch.files.push(ListedFile { path: path.to_path_buf(), name, shifts: Vec::new() });
        batch
    }
}
