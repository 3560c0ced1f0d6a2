//! Context report: every part of the next request with its tokens, its origin, and why it is included. Plain
//! data, from the same traversal as the conversation itself.
//!
//! Must not know who displays it. Tokens are estimated as pi does; the provider's count is listed beside the
//! estimate.

use std::sync::Arc;

use serde_json::Value;

use crate::base::json::json;

use crate::agent::compaction::estimate;
use crate::agent::prompt::{tokens, tool_tokens};
use crate::agent::request::history;
use crate::llm::model::{AssistantMessage, Message, Model, StopReason};
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::session::context::projection::{EDITED, Part, Projection, Row, RowKind, original};
use crate::session::derived::outline::words;
use crate::session::{
    Entry,
    context::{messages, pins},
};

/// The parts of the next request.
#[derive(Debug, Clone, Default)]
pub struct ContextReport {
    /// The model that receives it; `None` when no model is available.
    pub model: Option<Arc<Model>>,
    /// The parts in the order of the request, manually excluded ones included.
    pub items: Vec<Item>,
    /// Number of messages covered by summaries.
    pub summed_up: usize,
    /// The provider's last token count, including its answer, when it is still valid; and the estimate for
    /// what was added since.
    pub counted: Option<(u64, u64)>,
}

/// One part of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// Its type: a role, a part of the prompt, a tool.
    pub what: String,
    /// Its beginning, on one line.
    pub words: String,
    /// Estimated tokens.
    pub tokens: u64,
    /// The session entry that it comes from.
    pub entry: Option<String>,
    /// Why it is included, or is not.
    pub why: Reason,
    /// The entry that a pin would apply to, when it can be pinned.
    pub pin: Option<String>,
    /// Whether that entry is pinned.
    pub pinned: bool,
    /// Whether it can be excluded or replaced.
    pub editable: bool,
    /// The full text, when the session does not hold it.
    pub text: Option<String>,
}

/// Why a part is included, or is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reason {
    /// Part of the profile with this name.
    Profile(String),
    /// Read from this file.
    File(String),
    /// From the user's settings or arguments.
    Appended,
    /// An available tool.
    Offered,
    /// An entry on the active path.
    #[default]
    Path,
    /// Kept by this compaction.
    Kept(String),
    /// A summary of this many messages.
    Summary(usize),
    /// The system message of this compaction.
    System(String),
    /// Replaced by an edit in this entry.
    Edited(String),
    /// A copy of this pinned entry.
    Carried(String),
    /// A copy of this entry, which is no longer pinned: the next compaction summarizes it.
    WasPinned(String),
    /// Not included: excluded by this entry.
    LeftOut(String),
    /// Not included: summarized by this compaction.
    SummedUp(String),
    /// Not included: superseded by a newer version.
    Superseded,
    /// Not included: shown to users only.
    ForPeople,
}

impl Reason {
    /// Whether the part is sent.
    pub fn is_told(&self) -> bool {
        !matches!(self, Self::LeftOut(_) | Self::SummedUp(_) | Self::Superseded | Self::ForPeople)
    }

    /// Returns the reason's identifier, for scripts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Profile(_) => "profile",
            Self::File(_) => "file",
            Self::Appended => "appended",
            Self::Offered => "offered",
            Self::Path => "path",
            Self::Kept(_) => "kept",
            Self::Summary(_) => "summary",
            Self::System(_) => "system",
            Self::Edited(_) => "edited",
            Self::Carried(_) => "pinned",
            Self::WasPinned(_) => "unpinned",
            Self::LeftOut(_) => "leftOut",
            Self::SummedUp(_) => "summedUp",
            Self::Superseded => "superseded",
            Self::ForPeople => "forPeople",
        }
    }

    /// Returns the entry, file or profile that the reason names.
    pub fn by(&self) -> Option<&str> {
        match self {
            Self::Profile(by)
            | Self::File(by)
            | Self::Kept(by)
            | Self::System(by)
            | Self::Edited(by)
            | Self::Carried(by)
            | Self::WasPinned(by)
            | Self::LeftOut(by)
            | Self::SummedUp(by) => Some(by),
            _ => None,
        }
    }

    /// Returns the reason as a sentence, for users.
    pub fn sentence(&self) -> String {
        match self {
            Self::Profile(id) => format!("profile {id}"),
            Self::File(path) => path.clone(),
            Self::Appended => "appended by the settings or arguments".to_string(),
            Self::Offered => "available".to_string(),
            Self::Path => "on the path".to_string(),
            Self::Kept(by) => format!("kept by the compaction {by}"),
            Self::Summary(1) => "summary of one message".to_string(),
            Self::Summary(count) => format!("summary of {count} messages"),
            Self::System(by) => format!("goes with the compaction {by}"),
            Self::Edited(by) => format!("edited since {by}"),
            Self::Carried(of) => format!("pinned: a copy of {of}"),
            Self::WasPinned(of) => format!("a copy of {of} until the next compaction"),
            Self::LeftOut(by) => format!("excluded since {by}"),
            Self::SummedUp(by) => format!("summarized by {by}"),
            Self::Superseded => "something newer stands for it".to_string(),
            Self::ForPeople => "not sent to models".to_string(),
        }
    }
}

impl ContextReport {
    /// Builds the report from a path and the prompt before it. `all`: includes summarized messages.
    pub fn of(shown: Option<&PromptReport>, path: &[&Entry], all: bool) -> Self {
        let projection = Projection::of(path);
        let mut contents = Self { model: shown.map(|shown| shown.model.clone()), ..Self::default() };
        if let Some(shown) = shown {
            contents.items = before(shown);
        }
        let pinned = pins::of(path);
        let summed = |row: &&Row<'_>| row.place == RowKind::SummedUp && row.entry.kind() != "compaction";
        contents.summed_up = projection.rows.iter().filter(summed).count();
        for row in &projection.rows {
            if row.place == RowKind::SummedUp && !all {
                continue;
            }
            let Some(mut item) = item(&projection, row, contents.summed_up) else { continue };
            let origin = pins::origin(row.entry);
            if let Some(of) = &origin
                && matches!(item.why, Reason::Path | Reason::Kept(_))
            {
                let is_pinned = pinned.contains(of);
                item.why =
                    if is_pinned { Reason::Carried(of.clone()) } else { Reason::WasPinned(of.clone()) };
            }
            item.pin = item.pin.map(|own| origin.unwrap_or(own));
            item.pinned = item.pin.as_ref().is_some_and(|entry| pinned.contains(entry));
            contents.items.push(item);
        }
        contents.counted = counted(path);
        contents
    }

    /// Returns the estimated tokens of all parts.
    pub fn tokens(&self) -> u64 {
        self.items.iter().filter(|item| item.why.is_told()).map(|item| item.tokens).sum()
    }

    /// Returns the model's context window; `None` when unknown.
    pub fn window(&self) -> Option<u64> {
        self.model.as_ref().map(|model| model.context_window).filter(|window| *window > 0)
    }

    /// Returns the total and its share of the window, as a sentence.
    pub fn sum(&self) -> String {
        let tokens = self.tokens();
        let mut told = match (self.window(), &self.model) {
            (Some(window), Some(model)) => {
                let share = tokens.saturating_mul(100) / window;
                format!("{tokens} of {window} tokens of {}/{} ({share}%)", model.provider, model.id)
            }
            (None, Some(model)) => format!("{tokens} tokens for {}/{}", model.provider, model.id),
            (_, None) => format!("{tokens} tokens"),
        };
        told.push_str(", estimated");
        if let Some((counted, since)) = self.counted {
            told.push_str(&format!(
                "; the provider counted {counted} at the last answer, about {since} since"
            ));
        }
        told
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> Value {
        let item = |item: &Item| {
            json!({
                "what": item.what, "words": item.words, "tokens": item.tokens, "entry": item.entry,
                "told": item.why.is_told(), "reason": item.why.name(), "by": item.why.by(),
                "why": item.why.sentence(), "pinned": item.pinned,
            })
        };
        json!({
            "provider": self.model.as_ref().map(|model| model.provider.clone()),
            "model": self.model.as_ref().map(|model| model.id.clone()),
            "window": self.window(),
            "tokens": self.tokens(),
            "counted": self.counted.map(|(counted, since)| json!({"atLastAnswer": counted, "since": since})),
            "summedUp": self.summed_up,
            "items": self.items.iter().map(item).collect::<Vec<_>>(),
        })
    }
}

/// Returns the parts of the prompt and the tools. Each document is one item.
fn before(shown: &PromptReport) -> Vec<Item> {
    let mut items = Vec::new();
    let count = |text: &str| tokens(text) as u64;
    let put = |what: &str, tokens: u64, why: Reason, text: &str| Item {
        what: what.to_string(),
        words: words::line(text),
        tokens,
        why,
        text: Some(text.to_string()),
        ..Item::default()
    };
    for part in &shown.parts {
        let (what, text) = (format!("system: {}", part.name), &part.text);
        let profile = || Reason::Profile(shown.profile.to_string());
        match part.name {
            "documents" => {
                let mut rest = count(text);
                for (path, text) in &shown.documents {
                    let tokens = count(text).min(rest);
                    rest -= tokens;
                    items.push(put("instructions", tokens, Reason::File(path.display().to_string()), text));
                }
                if rest > 0 {
                    items.push(put(&what, rest, profile(), "what stands around the instructions"));
                }
            }
            "appended" => items.push(put(&what, count(text), Reason::Appended, text)),
            _ => items.push(put(&what, count(text), profile(), text)),
        }
    }
    for tool in &shown.tools {
        let what = format!("tool {}", tool.name);
        let text = format!("{}\n\n{:#}", tool.description, tool.parameters);
        items.push(put(&what, tool_tokens(tool) as u64, Reason::Offered, &text));
    }
    items
}

fn item(projection: &Projection<'_>, row: &Row<'_>, summed_up: usize) -> Option<Item> {
    let by = || projection.compaction.map(|entry| entry.id().to_string()).unwrap_or_default();
    let told = projection.told(row);
    let said = original(row);
    let message = told.as_ref().or(said.as_ref());
    let role = message.map_or(row.entry.kind(), |message| message.role()).to_string();
    let for_model = told.as_ref().map(|message| history::for_model(message));
    let why = match (row.place, &for_model) {
        (RowKind::SummedUp, _) => Reason::SummedUp(by()),
        (RowKind::Superseded, _) => Reason::Superseded,
        (_, Some(None)) => Reason::ForPeople,
        (_, None) => match projection.edits.get(row.entry.id()) {
            Some(edit) if said.is_some() && edit.replacement.is_none() => Reason::LeftOut(edit.by.clone()),
            _ if row.place == RowKind::Kept && said.is_some() => Reason::Superseded,
            // An empty summary: a compaction without a system message.
            _ => return None,
        },
        (RowKind::Compaction, _) if row.part == Part::System => Reason::System(by()),
        (RowKind::Compaction, _) => Reason::Summary(summed_up),
        // An entry whose original was restored is sent unchanged, so it has no edit.
        (place, _) => match projection.edits.get(row.entry.id()).filter(|_| told != said) {
            Some(edit) => Reason::Edited(edit.by.clone()),
            None if place == RowKind::Kept => Reason::Kept(by()),
            None => Reason::Path,
        },
    };
    let tokens = match for_model {
        Some(Some(message)) => estimate::of_message(&message),
        _ => message.map_or(0, |message| estimate::of_said(message)),
    };
    let words = match (row.part, message) {
        (Part::Own, Some(message)) => words::of_said(message),
        _ => words::of(row.entry),
    };
    let own = row.is_own() && row.place != RowKind::SummedUp;
    Some(Item {
        editable: own && EDITED.contains(&role.as_str()),
        pin: (own && pins::can_be(row.entry)).then(|| row.entry.id().to_string()),
        what: role,
        words,
        tokens,
        entry: Some(row.entry.id().to_string()),
        why,
        pinned: false,
        text: None,
    })
}

/// Returns the provider's count at the last answer that no later summary or edit invalidates, and the
/// estimate for what was added since.
fn counted(path: &[&Entry]) -> Option<(u64, u64)> {
    let mut since = 0;
    for message in history::of(&messages::build(path)).iter().rev() {
        if let Message::Assistant(AssistantMessage { usage, stop_reason, .. }) = message
            && usage.total_tokens > 0
            && !matches!(stop_reason, StopReason::Error | StopReason::Aborted)
        {
            return Some((usage.total_tokens, since));
        }
        since += estimate::of_message(message);
    }
    None
}
