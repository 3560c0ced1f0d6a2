//! Export of a session as a document. Pure.
//!
//! Must not know where it is written.

pub mod blocks;
pub mod html;
pub mod markdown;

use crate::session::conversation::Session;

/// Format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The branch to the leaf, as Markdown.
    Markdown,
    /// The whole tree, as one self-contained page.
    Html,
    /// The branch to the leaf, as a session file.
    Jsonl,
}

impl Format {
    /// Parses the name of a format, or the extension of a file name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "jsonl" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// Returns the file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Jsonl => "jsonl",
        }
    }
}

/// Returns the document. Fails when the session's file can no longer be read.
pub fn document(session: &Session, format: Format) -> std::io::Result<String> {
    match format {
        Format::Markdown => Ok(markdown::document(session)),
        Format::Html => Ok(html::document(session)),
        Format::Jsonl => jsonl(session),
    }
}

fn jsonl(session: &Session) -> std::io::Result<String> {
    let mut text = format!("{}\n", session.header().line);
    for entry in session.tree().path() {
        text.push_str(&entry.line()?);
        text.push('\n');
    }
    Ok(text)
}
