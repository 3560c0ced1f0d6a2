//! State of the feature. Plain data.

use crate::ide::core::slots::Slot;
use crate::ide::model::view::ask_when_still::AskWhenStill;
use crate::lsp::answers::code_actions::ServerAction;

/// Slot of the feature's state.
pub const CODE_LENSES: Slot<CodeLenses> = Slot::new();

/// A lens of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedLens {
    /// Number of its server.
    pub server: u32,
    /// The name of the server.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// What it runs.
    pub command: ServerAction,
}

/// State of the feature.
pub struct CodeLenses {
    /// Whether titles are shown behind lines.
    pub is_on: bool,
    /// The texts about which servers are asked.
    pub texts: AskWhenStill,
    /// The last list.
    pub list: Vec<ListedLens>,
}

impl CodeLenses {
    /// Returns the state of a program that has just started.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, texts: AskWhenStill::default(), list: Vec::new() }
    }
}
