//! Tool calls of a Chat Completions answer, assembled from deltas that identify their call by an index, by an
//! id, or not at all. Pure.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use crate::llm::model::StreamEvent;
use crate::llm::request::raw_input::RawInput;
use crate::llm::stream_builder::StreamBuilder;

/// A delta of a call.
#[derive(Debug, Deserialize)]
pub struct CallDelta {
    index: Option<usize>,
    id: Option<String>,
    function: Option<Function>,
    custom: Option<Custom>,
}

#[derive(Debug, Deserialize, Default)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

/// Input of a free-text tool.
#[derive(Debug, Deserialize, Default)]
struct Custom {
    name: Option<String>,
    input: Option<String>,
}

/// The calls by a number: the index in the stream, if it is reliable.
#[derive(Debug, Default)]
pub struct Calls {
    all: BTreeMap<usize, Call>,
    /// Numbers by id.
    by_id: HashMap<String, usize>,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    /// The part; `None` until the name has arrived.
    part: Option<usize>,
    /// Arguments that arrived before the name.
    early: String,
    /// Input of a free-text tool.
    raw: Option<RawInput>,
}

impl Calls {
    /// Whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds a delta.
    pub fn push(&mut self, delta: CallDelta, draft: &mut StreamBuilder, out: &mut Vec<StreamEvent>) {
        let id = delta.id.unwrap_or_default();
        let at = self.slot(delta.index, &id);
        let call = self.all.entry(at).or_default();
        if call.id.is_empty() && !id.is_empty() {
            self.by_id.entry(id.clone()).or_insert(at);
            call.id = id;
        }
        let (name, arguments) = match (delta.function, delta.custom) {
            (None, Some(custom)) => {
                let raw = call.raw.get_or_insert_default();
                (custom.name, custom.input.and_then(|input| raw.push(&input)))
            }
            (function, _) => {
                let Function { name, arguments } = function.unwrap_or_default();
                (name, arguments)
            }
        };
        if let (None, Some(name)) = (call.part, name.filter(|name| !name.is_empty())) {
            if call.id.is_empty() {
                call.id = format!("call_{at}");
            }
            let (part, event) = draft.open_call(call.id.clone(), name);
            out.push(event);
            call.part = Some(part);
        }
        call.early.push_str(&arguments.unwrap_or_default());
        if let Some(part) = call.part.filter(|_| !call.early.is_empty()) {
            out.push(draft.arguments(part, std::mem::take(&mut call.early)));
        }
    }

    /// Returns the call of a delta. Some servers omit the index, or repeat it for several calls: a new id
    /// means a new call.
    fn slot(&self, index: Option<usize>, id: &str) -> usize {
        let Some((last, _)) = self.all.last_key_value() else { return index.unwrap_or(0) };
        let same = |at: usize| {
            self.all.get(&at).is_none_or(|call| id.is_empty() || call.id.is_empty() || call.id == id)
        };
        match index {
            Some(at) if same(at) => at,
            None if same(*last) => *last,
            _ => self.by_id.get(id).copied().unwrap_or(last.saturating_add(1)),
        }
    }

    /// Whether a call never got a name.
    pub fn has_nameless(&self) -> bool {
        self.all.values().any(|call| call.part.is_none())
    }

    /// Completes all calls.
    pub fn close(&mut self, draft: &mut StreamBuilder, out: &mut Vec<StreamEvent>) {
        for call in self.all.values_mut() {
            let Some(part) = call.part else { continue };
            if let Some(mut raw) = call.raw.take() {
                out.push(draft.arguments(part, raw.close(None)));
            }
            out.extend(draft.close_call(part));
        }
    }
}
