//! Where a name is defined, declared and used, and what is said about it.

use std::time::Duration;

use super::question::{Question, answers, open};
use crate::lsp::client::LocationKind;
use crate::lsp::table::Feature;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::language_servers::places::{PlaceLines, ServerPlace};

/// Maximum number of places in a result.
const PLACES_MAX: usize = 50;
/// Servers that still read the project find nothing at first: they are asked so often, after such pauses.
const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(250);

fn kind(action: &str) -> (LocationKind, Feature) {
    match action {
        "type_definition" => (LocationKind::TypeDefinition, Feature::GotoTypeDefinition),
        "implementation" => (LocationKind::Implementation, Feature::GotoImplementation),
        "references" => (LocationKind::References, Feature::GotoReference),
        _ => (LocationKind::Definition, Feature::GotoDefinition),
    }
}

/// Returns the places.
pub async fn answer(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let asked = open(call, question).await?;
    asked.check_symbol()?;
    let (kind, feature) = kind(&question.action);
    let servers = asked.some_servers(feature, kind.method())?;
    let mut places: Vec<ServerPlace> = Vec::new();
    for attempt in 0..TRIES {
        if attempt > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        let mut found = Vec::new();
        for (name, client) in &servers {
            let (_, range) = asked.place(client)?;
            let locations = client.locations(kind, &asked.file.path, range.start).await;
            found.push((name.clone(), locations.map(|found| (found, client.encoding()))));
        }
        for (_, (locations, encoding)) in answers(found)? {
            for location in locations {
                if !places.iter().any(|known| known.location == location) {
                    places.push(ServerPlace { location, encoding, label: String::new() });
                }
            }
        }
        if !places.is_empty() || kind != LocationKind::References {
            break;
        }
    }
    // A definition says more with its surroundings; of many places each gets a line.
    let context = usize::from(kind != LocationKind::References && places.len() <= 3);
    Ok(Outcome::text(shown(call, &places, context).await))
}

/// Returns places as text, at most as many as a result has.
pub async fn shown(call: &Invocation, places: &[ServerPlace], context: usize) -> String {
    let mut lines = PlaceLines::new(&*call.env);
    let mut text = Vec::new();
    for place in places.iter().take(PLACES_MAX) {
        text.extend(lines.show(place, context).await);
    }
    if text.is_empty() {
        text.push("Nothing was found.".to_string());
    }
    if places.len() > PLACES_MAX {
        text.push(format!("[The first {PLACES_MAX} of {}.]", places.len()));
    }
    text.extend(lines.hidden_note());
    text.join("\n")
}

/// Returns what servers say about a name.
pub async fn hover(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let asked = open(call, question).await?;
    asked.check_symbol()?;
    let mut found = Vec::new();
    for (name, client) in asked.some_servers(Feature::Hover, "textDocument/hover")? {
        let (_, range) = asked.place(&client)?;
        found.push((name, client.hover(&asked.file.path, range.start).await));
    }
    let texts = answers(found)?.into_iter().filter_map(|(_, hover)| hover);
    let texts: Vec<String> = texts.map(|(hover, _)| hover.markdown).collect();
    let nothing = "Nothing is said about it.".to_string();
    Ok(Outcome::text(if texts.is_empty() { nothing } else { texts.join("\n\n") }))
}
