//! Splits an entry into the pieces that a document shows. Must not know the document's format.

use serde_json::Value;

use crate::llm::model::message::KnownPart;
use crate::llm::model::{Message, Part};
use crate::session::{AgentMessage, Entry, EntryBody};

/// The author of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user.
    User,
    /// A model.
    Model,
    /// A tool.
    Tool,
    /// bowline itself.
    Program,
}

/// The content of an entry for display.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The author.
    pub author: Author,
    /// Its heading: the model's or tool's name, or the type of note.
    pub title: String,
    /// The pieces in order.
    pub pieces: Vec<Piece>,
}

/// A piece of content.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Markdown text.
    Text(String),
    /// Thinking of a model.
    Thinking(String),
    /// A tool call with its arguments as JSON.
    Call { name: String, arguments: String },
    /// Output of a tool, and whether it failed.
    Output { text: String, failed: bool },
    /// An image: its MIME type, and its data in base64.
    Image { mime: String, data: String },
    /// A description of content that is not shown.
    Note(String),
}

impl Block {
    /// Returns the piece as plain text.
    pub fn to_text(self) -> String {
        let lines = self.pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) | Piece::Thinking(text) | Piece::Note(text) | Piece::Output { text, .. } => {
                text
            }
            Piece::Call { name, arguments } => format!("→ {name} {arguments}"),
            Piece::Image { mime, .. } => format!("({mime})"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Returns the content of an entry for display; `None` for entries that only the program reads.
pub fn of_entry(entry: &Entry) -> Option<Block> {
    let remark = |title: &str, text: String| {
        Some(Block { author: Author::Program, title: title.to_string(), pieces: vec![Piece::Text(text)] })
    };
    match entry.body() {
        EntryBody::Message { message } => of_message(&message),
        EntryBody::Compaction { summary, .. } => remark("Summary of what was before", summary),
        EntryBody::BranchSummary { summary, .. } => remark("Summary of another branch", summary),
        EntryBody::CustomMessage { custom_type, content, display: true, .. } => {
            Some(Block { author: Author::Program, title: custom_type, pieces: content_pieces(&content) })
        }
        EntryBody::ModelChange { provider, model_id } => remark("Model", format!("{provider}/{model_id}")),
        _ => None,
    }
}

/// Returns the content of a message for display.
pub fn of_message(message: &AgentMessage) -> Option<Block> {
    match message {
        AgentMessage::Llm(Message::User(user)) => {
            Some(Block { author: Author::User, title: "You".to_string(), pieces: pieces(&user.content) })
        }
        AgentMessage::Llm(Message::Assistant(answer)) => {
            let mut all = pieces(&answer.content);
            all.extend(answer.error_message.iter().map(|error| Piece::Note(error.clone())));
            let title = format!("{}/{}", answer.provider, answer.model);
            Some(Block { author: Author::Model, title, pieces: all })
        }
        AgentMessage::Llm(Message::ToolResult(result)) => {
            let failed = result.is_error;
            let output = |piece| match piece {
                Piece::Text(text) => Piece::Output { text, failed },
                other => other,
            };
            let pieces = pieces(&result.content).into_iter().map(output).collect();
            Some(Block { author: Author::Tool, title: result.tool_name.clone(), pieces })
        }
        AgentMessage::Other(value) if message.role() == "bashExecution" => {
            let field = |name: &str| value[name].as_str().unwrap_or_default().to_string();
            let failed = value["exitCode"].as_i64().is_some_and(|code| code != 0);
            // What was kept from the model is not handed on, either.
            if value["excludeFromContext"] == true {
                return None;
            }
            let pieces = vec![Piece::Output { text: field("output"), failed }];
            Some(Block { author: Author::User, title: format!("$ {}", field("command")), pieces })
        }
        AgentMessage::Other(value) if message.role() == "custom" => {
            let title = value["customType"].as_str().unwrap_or_default().to_string();
            Some(Block { author: Author::Program, title, pieces: content_pieces(&value["content"]) })
        }
        AgentMessage::Other(_) => None,
    }
}

fn content_pieces(content: &Value) -> Vec<Piece> {
    if let Some(text) = content.as_str() {
        return vec![Piece::Text(text.to_string())];
    }
    let parts: Vec<Part> = serde_json::from_value(content.clone()).unwrap_or_default();
    pieces(&parts)
}

fn pieces(parts: &[Part]) -> Vec<Piece> {
    parts.iter().filter_map(piece).collect()
}

fn piece(part: &Part) -> Option<Piece> {
    let Part::Known(known) = part else { return None };
    Some(match known {
        KnownPart::Text { text, .. } => Piece::Text(text.clone()),
        KnownPart::Thinking { thinking, .. } if thinking.is_empty() => return None,
        KnownPart::Thinking { thinking, .. } => Piece::Thinking(thinking.clone()),
        KnownPart::Image { data, mime_type } => Piece::Image { mime: mime_type.clone(), data: data.clone() },
        KnownPart::Document { name, mime_type, .. } => {
            Piece::Note(format!("document {} ({mime_type})", name.as_deref().unwrap_or_default()))
        }
        KnownPart::Audio { mime_type, .. } => Piece::Note(format!("sound ({mime_type})")),
        KnownPart::ToolCall(call) => Piece::Call {
            name: call.name.clone(),
            arguments: serde_json::to_string_pretty(&call.arguments).unwrap_or_default(),
        },
    })
}
