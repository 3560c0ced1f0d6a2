//! The card of searches: the first hits, each in a row. Must not know other kinds of calls.

use std::path::Path;

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::other;
use crate::ide::features::transcript::cards::rows::{INDENT, PROSE, WHOLE_ROWS, fit, indented, more};
use crate::ide::features::transcript::items::Call;
use crate::ide::features::transcript::places::NamedPlace;
use crate::tools::contract::view::{CallKind, Hit, ResultView};
use crate::tui::widgets::line::{Line, Span};

/// The table's row.
pub const CARD: Card = Card::new(CallKind::Search, other::body);

/// Hits shown in short form.
const ROWS: usize = 5;

/// Returns the first hits, or the whole text where all is shown.
pub fn hits(hits: &[Hit], text: &str, form: &CardForm<'_>) -> Vec<Line> {
    if form.is_full {
        return indented(text.lines(), form, WHOLE_ROWS, PROSE);
    }
    let mut rows: Vec<Line> = hits.iter().take(ROWS).map(|hit| row(hit, form)).collect();
    if hits.len() > ROWS {
        rows.push(more(Some(hits.len() - ROWS), form));
    }
    rows
}

fn row(hit: &Hit, form: &CardForm<'_>) -> Line {
    let place = hit.line.map_or_else(|| hit.path.clone(), |line| format!("{}:{line}", hit.path));
    let spans = vec![
        Span::decoration(INDENT, "agent.tool.output"),
        Span::new(place, "agent.tool.title"),
        Span::new("  ", "agent.tool.output"),
        Span::new(hit.text.trim_start(), "agent.tool.output"),
    ];
    fit(spans, usize::from(form.width))
}

/// Returns the places that a search found, as they may be meant: from the workspace, from the folder of the
/// search, or beside its file.
pub fn places(call: &Call) -> Vec<NamedPlace> {
    let Some(ResultView::Hits { hits, .. }) = &call.result else { return Vec::new() };
    let folder = Path::new(call.view.body.as_deref().unwrap_or_default());
    let bases = [Some(Path::new("")), Some(folder), folder.parent()];
    let of = |hit: &Hit| {
        let paths = bases.iter().flatten().map(|base| base.join(&hit.path).to_string_lossy().into_owned());
        let mut paths: Vec<String> = paths.collect();
        paths.dedup();
        let line = hit.line;
        paths.into_iter().map(move |path| NamedPlace { path, line })
    };
    hits.iter().flat_map(of).collect()
}
