//! What the next request will hold, thing by thing: how many tokens each has, where it comes from, and why it
//! is there. Plain data, made from the same walk as the conversation itself.
//!
//! Must not know who shows it. Tokens are estimated as pi does; what a provider has counted stands beside.

use std::sync::Arc;

use serde_json::Value;

use crate::base::json::json;

use crate::agent::compaction::estimate;
use crate::agent::request::history;
use crate::agent::request::prompt::{tokens, tool_tokens};
use crate::llm::model::{AssistantMessage, Message, Model, StopReason};
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::session::context::projection::{EDITED, Part, Projection, Row, RowKind, original};
use crate::session::derived::outline::words;
use crate::session::{
    Entry,
    context::{messages, pins},
};

/// What the next request will hold.
#[derive(Debug, Clone, Default)]
pub struct ContextReport {
    /// Who gets it; `None` where nobody can be asked.
    pub model: Option<Arc<Model>>,
    /// In the order of the request. What is left out by hand stands in its place.
    pub items: Vec<Item>,
    /// How many messages are summed up.
    pub summed_up: usize,
    /// What a provider counted last, the answer included, where that is still so; and what is estimated of
    /// what came since.
    pub counted: Option<(u64, u64)>,
}

/// One thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// What it is: a role, a part of the prompt, a tool.
    pub what: String,
    /// How it begins, in a line.
    pub words: String,
    /// About how many it has.
    pub tokens: u64,
    /// The entry of the session that it comes from.
    pub entry: Option<String>,
    /// Reason it is there, or is not.
    pub why: Reason,
    /// The entry that would be pinned with it, where that is possible.
    pub pin: Option<String>,
    /// Whether that is pinned.
    pub pinned: bool,
    /// Whether it can be left out, or told differently.
    pub editable: bool,
    /// The whole of it, where it is not in the session.
    pub text: Option<String>,
}

/// Reason something is there, or is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reason {
    /// The profile of this name has it.
    Profile(String),
    /// It is in this file.
    File(String),
    /// The user's settings or arguments have it.
    Appended,
    /// The tool is on offer.
    Offered,
    /// It is on the way from the beginning to where the conversation is.
    #[default]
    Path,
    /// This compaction has kept it.
    Kept(String),
    /// It stands for so many messages.
    Summary(usize),
    /// It goes with this compaction.
    System(String),
    /// It is told differently since this entry.
    Edited(String),
    /// It is a copy of this entry, which is pinned.
    Carried(String),
    /// It is a copy of this entry, which was pinned: the next compaction sums it up.
    WasPinned(String),
    /// Not there: left out since this entry.
    LeftOut(String),
    /// Not there: summed up by this compaction.
    SummedUp(String),
    /// Not there: something newer stands for it.
    Superseded,
    /// Not there: it is for people only.
    ForPeople,
}

impl Reason {
    /// Whether it is there.
    pub fn is_told(&self) -> bool {
        !matches!(self, Self::LeftOut(_) | Self::SummedUp(_) | Self::Superseded | Self::ForPeople)
    }

    /// The reason, for scripts.
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

    /// The entry, file or profile that it is because of.
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

    /// The reason, for people.
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
    /// Makes it of a path and what goes before the conversation. `all`: with what is summed up.
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

    /// About how many tokens all of it has.
    pub fn tokens(&self) -> u64 {
        self.items.iter().filter(|item| item.why.is_told()).map(|item| item.tokens).sum()
    }

    /// How many the model takes; `None` where nobody knows.
    pub fn window(&self) -> Option<u64> {
        self.model.as_ref().map(|model| model.context_window).filter(|window| *window > 0)
    }

    /// How much that is, and of what, in a sentence.
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

    /// The same as data.
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

/// The prompt's parts and the tools. Each document is a thing of its own.
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
            // An empty summary, a compaction without a system message.
            _ => return None,
        },
        (RowKind::Compaction, _) if row.part == Part::System => Reason::System(by()),
        (RowKind::Compaction, _) => Reason::Summary(summed_up),
        // What was told again as it was is told as it was.
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

/// What a provider counted at the last answer from which on nothing was summed up or changed, and what came
/// since.
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
