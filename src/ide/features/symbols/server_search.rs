//! Symbols of the project as language servers know them, searched for while the query is typed. A query is sent once
//! nothing was typed for a moment; the answer to an earlier one is dropped.

use std::path::Path;
use std::time::Duration;

use futures::future::join_all;
use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, push};
use crate::ide::core::state::State;
use crate::ide::features::files::{open, place_list};
use crate::ide::features::language_servers::places::{self, PlaceReader};
use crate::ide::features::language_servers::questions::{self, AskedServer, Problem};
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::ide::features::language_servers::sync;
use crate::ide::features::symbols::server_symbols::detail;
use crate::ide::features::symbols::state::SYMBOLS;
use crate::lsp::answers::symbols::ProjectSymbol;
use crate::lsp::client::QuestionError;
use crate::lsp::client::symbols::PROJECT_SYMBOLS;
use crate::lsp::position::Encoding;
use crate::lsp::table::Feature;

/// How long nothing is typed before servers are asked.
const SEARCH_DELAY: Duration = Duration::from_millis(100);

/// A symbol that a server has found, as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundSymbol {
    /// The symbol.
    pub symbol: ProjectSymbol,
    /// Number of the server.
    server: u32,
    /// The unit of its columns.
    encoding: Encoding,
}

impl FoundSymbol {
    /// Returns its line, from 1, if the server has said it.
    pub fn line(&self) -> Option<usize> {
        self.symbol.range.map(|range| range.start.line as usize + 1)
    }
}

/// Returns the servers that are asked: those of the shown file, or else all that run.
fn servers(state: &State) -> Vec<&RunningServer> {
    let known = &state.slots[LANGUAGE_SERVERS];
    let is_asked = |server: &&RunningServer| server.offers(PROJECT_SYMBOLS);
    let shown = state.buffers.current().map(|buffer| buffer.id);
    let own = shown.map(|id| known.for_feature(id, Feature::WorkspaceSymbols)).unwrap_or_default();
    let own: Vec<_> = own.into_iter().filter(is_asked).collect();
    if !own.is_empty() {
        return own;
    }
    let wants = |number: u32| {
        let mut asked = known.texts.values().flat_map(|text| &text.servers);
        asked.any(|serving| serving.server == number && serving.features.contains(Feature::WorkspaceSymbols))
    };
    known.servers.iter().filter(is_asked).filter(|server| wants(server.number)).collect()
}

/// Whether a server finds symbols of the project.
pub fn is_available(state: &State) -> bool {
    !servers(state).is_empty()
}

/// Searches for the query of the topmost picker, replacing its previous search: at once before something is typed, else
/// after a moment.
pub fn search(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    picker.restart();
    (picker.is_filling, picker.search) = (true, None);
    let (number, is_typed) = (picker.number, !picker.query.text().is_empty());
    cx.state.damage.add(Part::Overlay);
    cx.state.slots[SYMBOLS].search_at = Some((cx.now + SEARCH_DELAY, number)).filter(|_| is_typed);
    if !is_typed {
        ask(cx, number);
    }
}

/// Asks for the query, if nothing was typed for a moment.
pub fn search_when_rested(cx: &mut Cx<'_>) {
    let now = cx.now;
    if let Some((_, number)) = cx.state.slots[SYMBOLS].search_at.take_if(|(at, _)| *at <= now) {
        ask(cx, number);
    }
}

/// Asks the servers for the query of the picker of this number, and adds what they find to it.
fn ask(cx: &mut Cx<'_>, number: u64) {
    sync::flush(cx.state);
    let servers: Vec<AskedServer> = servers(cx.state).into_iter().map(questions::asked).collect();
    let workspace = cx.state.workspace.clone();
    let Some(picker) = cx.state.layers.top_mut::<Picker>().filter(|picker| picker.number == number) else {
        return;
    };
    let (injector, query) = (picker.injector(), picker.query.text().to_string());
    let cancel = CancellationToken::new();
    picker.search = Some(cancel.clone().drop_guard());
    let work = async move {
        let asked = servers.into_iter().map(|server| find(server, &query, &injector, &workspace));
        cancel.run_until_cancelled(join_all(asked)).await.unwrap_or_default()
    };
    cx.tasks.spawn("symbols.search", work, move |cx, answers| {
        cx.state.finish_filling(number);
        let Some(answers) = answer_or_error(cx, "find symbols", answers) else { return };
        questions::note_problems(cx.state, "symbols", answers.into_iter().flatten().collect());
    });
}

/// Adds what a server finds to a picker; returns why it does not answer, if so.
async fn find(
    server: AskedServer,
    query: &str,
    injector: &Injector<PickRow>,
    workspace: &Path,
) -> Option<Problem> {
    let client = server.client.await?;
    match client.project_symbols(query).await {
        Ok(found) => {
            let encoding = client.encoding();
            for symbol in found {
                push(injector, row(FoundSymbol { symbol, server: server.number, encoding }, workspace));
            }
            None
        }
        Err(QuestionError::NotOffered) => None,
        Err(error) => Some((server.number, error)),
    }
}

fn row(found: FoundSymbol, workspace: &Path) -> PickRow {
    let symbol = &found.symbol;
    let place = match found.line() {
        Some(line) => places::label(workspace, &symbol.path, line),
        None => symbol.path.strip_prefix(workspace).unwrap_or(&symbol.path).display().to_string(),
    };
    PickRow {
        text: visible(&symbol.name).into_owned(),
        aliases: Vec::new(),
        group: None,
        detail: detail(symbol.kind, &place, &symbol.container),
        pick: Pick::new(found),
    }
}

/// Goes to symbols, the last one at the end; a server that has not said where one is says it now.
pub fn go_to(cx: &mut Cx<'_>, symbols: Vec<FoundSymbol>) {
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let client = |found: &FoundSymbol| known.server(found.server).map(questions::client);
    let asked: Vec<_> = symbols.into_iter().map(|found| (client(&found), found)).collect();
    let mut reader = PlaceReader::new(cx);
    let work = async move {
        let (mut found_places, mut problems) = (Vec::new(), Vec::new());
        for (client, found) in asked {
            let mut range = found.symbol.range;
            if range.is_none()
                && let Some(client) = client
                && let Some(client) = client.await
            {
                match client.symbol_range(&found.symbol).await {
                    Ok(resolved) => range = resolved,
                    Err(error) => problems.push((found.server, error)),
                }
            }
            // Of a symbol without a position at least the file is known.
            let at = range.unwrap_or_default().start;
            found_places.push(reader.place(&found.symbol.path, at, found.encoding).await.0);
        }
        (found_places, problems)
    };
    cx.tasks.spawn("symbols.locate", work, |cx, answer| {
        let Some((found, problems)) = answer_or_error(cx, "go to the symbol", answer) else { return };
        questions::note_problems(cx.state, "symbols", problems);
        match found.as_slice() {
            [place] => place_list::go_to(cx, place),
            _ => open::go_to_all(
                cx,
                found.into_iter().map(|place| (place.path, Some((place.line, place.column)))).collect(),
            ),
        }
    });
}
