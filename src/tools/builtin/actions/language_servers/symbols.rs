//! Symbols of a file and of the project, and what calls a function or is called by it.

use super::locations::shown;
use super::question::{Asked, Question, answers, open, servers};
use crate::lsp::answers::locations::Location;
use crate::lsp::answers::symbols::{PROJECT_SYMBOLS_MAX, ProjectSymbol};
use crate::lsp::client::hierarchy::Relation;
use crate::lsp::client::symbols::{FILE_SYMBOLS, PROJECT_SYMBOLS};
use crate::lsp::client::{Client, QuestionError};
use crate::lsp::table::Feature;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::language_servers::places::{PlaceLines, ServerPlace};

/// Maximum number of functions at a place whose calls are listed: more mean different things.
const ITEMS_MAX: usize = 5;

/// Returns the symbols of a file, or those of the project that match a query.
pub async fn answer(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let is_project = question.file.as_deref().is_none_or(|file| file == "*");
    match (&question.query, is_project) {
        (Some(query), true) => {
            let running = servers(call)?.running().await;
            if running.is_empty() {
                return Err("No language server runs. Name a file whose servers are to be asked.".to_string());
            }
            let asked = running.into_iter().filter(|server| server.client.offers(PROJECT_SYMBOLS));
            let asked = asked.map(|server| (server.name, server.client.with_timeout(question.timeout)));
            project(call, query, asked.collect()).await
        }
        (Some(query), false) => {
            let asked = open(call, question).await?;
            project(call, query, asked.some_servers(Feature::WorkspaceSymbols, PROJECT_SYMBOLS)?).await
        }
        (None, true) => Err("symbols needs a file, or a query for the symbols of the project.".to_string()),
        (None, false) => of_file(&open(call, question).await?).await,
    }
}

/// Returns the outline of a file: its lines, indented by depth.
async fn of_file(asked: &Asked) -> Result<Outcome, String> {
    let mut found = Vec::new();
    for (name, client) in asked.some_servers(Feature::DocumentSymbols, FILE_SYMBOLS)? {
        found.push((name, client.file_symbols(&asked.file.path).await));
    }
    let mut lines = Vec::new();
    // A second server would list the same once more.
    for (symbol, _) in answers(found)?.into_iter().next().map(|(_, (symbols, _))| symbols).unwrap_or_default()
    {
        let container =
            if symbol.container.is_empty() { String::new() } else { format!(" in {}", symbol.container) };
        let indent = "  ".repeat(symbol.depth);
        let line = symbol.range.start.line + 1;
        lines.push(format!("{line}: {indent}{} {}{container}", symbol.kind, symbol.name));
    }
    Ok(Outcome::text(if lines.is_empty() {
        "There are no symbols in it.".to_string()
    } else {
        lines.join("\n")
    }))
}

/// Returns the symbols of the project that match a query.
async fn project(call: &Invocation, query: &str, asked: Vec<(String, Client)>) -> Result<Outcome, String> {
    let mut found = Vec::new();
    for (name, client) in asked {
        let symbols = client.project_symbols(query).await;
        found.push((name, symbols.map(|symbols| (client, symbols))));
    }
    let mut lines = PlaceLines::new(&*call.env);
    let mut text = Vec::new();
    for (_, (client, symbols)) in answers(found)? {
        for symbol in symbols.into_iter().take(PROJECT_SYMBOLS_MAX.saturating_sub(text.len())) {
            let place = place_of(&client, symbol).await;
            text.extend(lines.show(&place, 0).await);
        }
    }
    if text.is_empty() {
        text.push("Nothing was found.".to_string());
    }
    text.extend(lines.hidden_note());
    Ok(Outcome::text(text.join("\n")))
}

/// A symbol whose place in its file is not known is shown at its begin.
async fn place_of(client: &Client, symbol: ProjectSymbol) -> ServerPlace {
    let range = client.symbol_range(&symbol).await.ok().flatten().unwrap_or_default();
    let container =
        if symbol.container.is_empty() { String::new() } else { format!("{}.", symbol.container) };
    let label = format!("[{} {container}{}]", symbol.kind, symbol.name);
    ServerPlace { location: Location { path: symbol.path, range }, encoding: client.encoding(), label }
}

/// Returns where the function at a place is called, or what it calls.
pub async fn calls(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let relation = match question.query.as_deref() {
        None | Some("incoming") => Relation::Caller,
        Some("outgoing") => Relation::Callee,
        Some(other) => return Err(format!("query is \"incoming\" or \"outgoing\", not {other:?}.")),
    };
    let asked = open(call, question).await?;
    asked.check_symbol()?;
    let mut found = Vec::new();
    for (name, client) in asked.some_servers(Feature::CallHierarchy, relation.prepare_method())? {
        let (_, range) = asked.place(&client)?;
        found.push((name, related(&client, relation, &asked, range.start).await));
    }
    let places: Vec<ServerPlace> = answers(found)?.into_iter().flat_map(|(_, places)| places).collect();
    Ok(Outcome::text(shown(call, &places, 0).await))
}

/// Returns the calls, each with the name of the other function.
async fn related(
    client: &Client,
    relation: Relation,
    asked: &Asked,
    at: usize,
) -> Result<Vec<ServerPlace>, QuestionError> {
    let items = client.hierarchy_items(relation, &asked.file.path, at).await?;
    let mut places = Vec::new();
    for item in items.into_iter().take(ITEMS_MAX) {
        let found = match client.related_items(relation, &item).await {
            Ok(found) => found,
            // What was found before is worth more than the error.
            Err(_) if !places.is_empty() => continue,
            Err(error) => return Err(error),
        };
        for related in found {
            let other = &related.item;
            let label = format!("[{} {}]", other.kind, other.name);
            // Of what calls it the calls are in its file; what it calls is shown where it is.
            let ranges = match relation {
                Relation::Caller if !related.calls.is_empty() => related.calls.clone(),
                _ => vec![other.range],
            };
            places.extend(ranges.into_iter().map(|range| ServerPlace {
                location: Location { path: other.path.clone(), range },
                encoding: client.encoding(),
                label: label.clone(),
            }));
        }
    }
    Ok(places)
}
