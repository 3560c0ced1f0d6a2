//! List of what servers found in the open texts, and in files that are not open.

use std::collections::HashSet;
use std::path::Path;

use crate::base::width::visible;
use crate::ide::core::layers::picker::{About, Location, Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::features::files::place_list::PLACES;
use crate::ide::features::language_servers::commands::{one_line, summary};
use crate::ide::features::language_servers::places::{ServerPlace, go_to_picks};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::model::buffers::Buffer;
use crate::lsp::answers::diagnostics::{BriefDiagnostic, Severity};
use crate::lsp::position::Encoding;
use crate::text::display::columns;

/// Maximum number of rows of files that are not open.
const ELSEWHERE_MAX: usize = 2_000;

/// The diagnostics of all files.
pub const PICKER: PickerSpec = PickerSpec {
    id: "diagnostics",
    title: "Diagnostics",
    preview: Some(|_, pick| match (pick.get::<Location>(), pick.get::<ServerPlace>()) {
        (Some(place), _) => Some(PreviewTarget::from(place)),
        (_, Some(place)) => Some(PreviewTarget::file(place.path.clone(), Some(place.at.line as usize + 1))),
        _ => None,
    }),
    // Letters in their order are in every long message.
    by_words: true,
    // In the list a long message is cut off.
    about: Some(About { lines: 2, in_place_of_preview: false, text: |_, row| vec![row.text.clone()] }),
    load: |state| RowSource::Rows(diagnostics(state), Vec::new()),
    accept: |cx, pick, _| go_to_picks(cx, vec![pick.clone()]),
    accept_many: Some(|cx, marked| go_to_picks(cx, marked.to_vec())),
    ..PLACES
};

/// Returns the rows: those of the shown text first, each text by severity and position, then those of other files.
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
            let place = format!("{}:{line}", buffer.path_or_name(&state.workspace));
            let detail = with_origin(place, &mark.diagnostic.origin());
            rows.push(row(summary(mark), detail, Pick::new(Location { path: path.clone(), line, column })));
        }
    }
    rows.extend(elsewhere(state));
    rows
}

/// Returns the rows of files that are not open, the worst first.
fn elsewhere(state: &State) -> Vec<PickRow> {
    let open: HashSet<&Path> = state.buffers.all().iter().filter_map(Buffer::real_path).collect();
    let project = &state.slots[LANGUAGE_SERVERS].project;
    let all = Severity::ALL.into_iter().flat_map(|severity| project.of_severity(severity));
    let all = all.filter(|(path, ..)| !open.contains(path)).take(ELSEWHERE_MAX);
    let rows = all.map(|(path, found, encoding): (&Path, &BriefDiagnostic, Encoding)| {
        let at = found.range.start;
        let place = format!("{}:{}", visible(&state.display_path(path)), at.line as usize + 1);
        let pick = Pick::new(ServerPlace { path: path.to_path_buf(), at, encoding });
        row(one_line(found.severity, &found.message), with_origin(place, &found.origin), pick)
    });
    rows.collect()
}

/// Returns a row, which is found by its file and its check, too.
fn row(text: String, detail: String, pick: Pick) -> PickRow {
    PickRow { text, aliases: vec![detail.clone()], group: None, detail, pick }
}

/// Returns a place with the check that found something there.
fn with_origin(place: String, origin: &str) -> String {
    if origin.is_empty() { place } else { format!("{place}  {}", visible(origin)) }
}
