//! Symbols of the shown file as its language servers know them, as rows of the list that the syntax tree fills, too.

use crate::base::width::visible;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, PickRow};
use crate::ide::features::language_servers::questions::{Problem, asked_servers};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::ide::features::symbols::job::SymbolLocation;
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::symbols::FileSymbol;
use crate::lsp::client::{AnsweredText, QuestionError};
use crate::lsp::position::Encoding;
use crate::lsp::table::Feature;
use crate::text::position::Byte;

/// What the servers of a file answer.
#[derive(Default)]
pub struct ServerSymbols {
    /// The rows, in the order of the text; `None` if no server has symbols of it.
    pub rows: Option<Vec<PickRow>>,
    /// Servers that did not answer.
    pub problems: Vec<Problem>,
}

/// Returns the question to the servers of the shown file, if there are any.
pub fn ask(cx: &mut Cx<'_>) -> Option<impl Future<Output = ServerSymbols> + Send + use<>> {
    sync::flush(cx.state);
    let id = cx.state.buffers.current()?.id;
    let path = cx.state.slots[LANGUAGE_SERVERS].texts.get(&id)?.path.clone();
    let servers = asked_servers(cx.state, id, Feature::DocumentSymbols);
    let question = async move {
        let mut answer = ServerSymbols::default();
        for server in servers {
            let Some(client) = server.client.await else { continue };
            match client.file_symbols(&path).await {
                Ok((found, text)) if !found.is_empty() => {
                    answer.rows = Some(rows(found, id, &text, client.encoding()));
                    break;
                }
                Ok(_) | Err(QuestionError::NotOffered) => {}
                Err(error) => answer.problems.push((server.number, error)),
            }
        }
        answer
    };
    Some(question)
}

fn rows(
    found: Vec<(FileSymbol, usize)>,
    buffer: BufferId,
    text: &AnsweredText,
    encoding: Encoding,
) -> Vec<PickRow> {
    let row = |(symbol, at): (FileSymbol, usize)| {
        let line = text.text.position(at, encoding).line + 1;
        PickRow {
            text: format!("{}{}", "  ".repeat(symbol.depth), visible(&symbol.name)),
            aliases: Vec::new(),
            group: None,
            detail: detail(symbol.kind, &line.to_string(), &symbol.container),
            pick: Pick::new(SymbolLocation { buffer, version: text.version, at: Byte(at) }),
        }
    };
    found.into_iter().map(row).collect()
}

/// Returns what is said beside a symbol: its kind, where it is, and what contains it, if that is known.
pub fn detail(kind: &str, place: &str, container: &str) -> String {
    let container = if container.is_empty() { String::new() } else { format!("in {container}") };
    let parts = [kind, place, &container].into_iter().filter(|part| !part.is_empty());
    visible(&parts.collect::<Vec<_>>().join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbol_detail_has_what_is_known() {
        assert_eq!(detail("method", "12", "Point"), "method 12 in Point");
        assert_eq!(detail("", "a.rs:3", ""), "a.rs:3");
        assert!(!detail("method", "1", "a\u{1b}[31m").contains('\u{1b}'));
    }
}
