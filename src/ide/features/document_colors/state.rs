//! State of the feature. Plain data.

use std::path::PathBuf;

use crate::ide::core::slots::Slot;
use crate::ide::model::view::ask_when_still::AskWhenStill;
use crate::lsp::answers::colors::ColorPresentation;
use crate::lsp::position::Encoding;

/// Slot of the feature's state.
pub const DOCUMENT_COLORS: Slot<DocumentColors> = Slot::new();

/// The ways to write a color of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presentations {
    /// Name of the server that knows them.
    pub server: String,
    /// The file.
    pub path: PathBuf,
    /// The version of its text.
    pub version: u64,
    /// The unit of columns.
    pub encoding: Encoding,
    /// The ways.
    pub all: Vec<ColorPresentation>,
}

/// State of the feature.
pub struct DocumentColors {
    /// Whether swatches are shown.
    pub is_on: bool,
    /// The texts about which servers are asked.
    pub texts: AskWhenStill,
    /// The last list of ways to write a color.
    pub presentations: Option<Presentations>,
}

impl DocumentColors {
    /// Returns the state of a program that has just started.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, texts: AskWhenStill::default(), presentations: None }
    }
}
