//! Summary of a session for listings, collected line by line. Pure.
//!
//! Must not know files. Only totals of a line are kept, so that a session of any length has a summary of a
//! few hundred bytes, which is continued when the file grows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::base::clock;
use crate::base::lenient::replace_lone_surrogates;
use crate::llm::model::Usage;
use crate::session::format::header::Header;
use crate::session::format::line_head;
use crate::session::format::role::Role;

/// Characters kept of the first user message.
const FIRST_MAX: usize = 200;
/// Length of the date in an ISO 8601 timestamp.
const DAY: usize = 10;

/// Usage totals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageSummary {
    /// Answers, and requests outside of the conversation.
    pub requests: u64,
    /// Prompt tokens, without cached ones.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Prompt tokens read from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache.
    pub cache_write: u64,
    /// Cost in US dollars.
    pub cost: f64,
}

impl UsageSummary {
    /// Returns all prompt tokens, cached ones included. Values come from a file: overflow saturates.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Returns the share of prompt tokens read from a cache, from 0 to 1.
    pub fn cache_share(&self) -> f64 {
        let prompt = self.prompt();
        if prompt == 0 { 0.0 } else { self.cache_read as f64 / prompt as f64 }
    }
}

impl std::ops::AddAssign for UsageSummary {
    fn add_assign(&mut self, other: Self) {
        for (mine, others) in [
            (&mut self.requests, other.requests),
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
        ] {
            *mine = mine.saturating_add(others);
        }
        self.cost += other.cost;
    }
}

impl From<&Usage> for UsageSummary {
    fn from(usage: &Usage) -> Self {
        Self {
            requests: 1,
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            cost: usage.cost.total,
        }
    }
}

/// Usage of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Calls with a result.
    pub calls: u64,
    /// Failed calls among them.
    pub failed: u64,
    /// Milliseconds from the call, or from the previous result, to the result. Includes the time that the
    /// user takes to approve a call.
    pub ms: u64,
}

impl std::ops::AddAssign for ToolUse {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.ms += other.ms;
    }
}

/// The latest message, which the next one may follow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Latest {
    id: String,
    at_ms: u64,
}

/// Summary of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// Its working folder.
    pub cwd: String,
    /// Start time in ISO 8601.
    pub began: String,
    /// The latest timestamp in it, in milliseconds since the epoch.
    pub active_ms: u64,
    /// File of the session from which it was forked.
    pub parent: Option<String>,
    /// Its latest name.
    pub name: Option<String>,
    /// The beginning of the first user message, on one line.
    pub first: Option<String>,
    /// Number of entries of any type.
    pub entries: u64,
    /// Number of user messages.
    pub prompts: u64,
    /// Number of answers.
    pub answers: u64,
    /// Number of tool calls with a result.
    pub tools: u64,
    /// Usage by day (UTC, `YYYY-MM-DD`) and model (`provider/id`). Entries copied by a fork count in the
    /// original session.
    pub spent: BTreeMap<String, BTreeMap<String, UsageSummary>>,
    /// Tool usage by day and tool; copied entries as in `spent`.
    pub used: BTreeMap<String, BTreeMap<String, ToolUse>>,
    /// The model of the last answer as `provider/id`, in the order of the file. Summaries do not count.
    pub model: String,
    /// Start time of the next tool result.
    pub latest: Latest,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    parent_id: Option<String>,
    #[serde(default)]
    timestamp: Option<&'a str>,
    #[serde(default, borrow)]
    message: Option<&'a RawValue>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    provider: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageUsage<'a> {
    role: &'a str,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
    #[serde(default)]
    provider: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    is_error: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<TextPart>),
}

#[derive(Deserialize)]
struct TextPart {
    #[serde(default)]
    text: Option<String>,
}

impl Summary {
    /// Creates the summary of an empty session.
    pub fn new(header: &Header) -> Self {
        Self {
            id: header.id.clone(),
            cwd: header.cwd.clone(),
            began: header.timestamp.clone(),
            active_ms: clock::parse_iso8601(&header.timestamp).unwrap_or(0),
            parent: header.parent_session.clone(),
            ..Self::default()
        }
    }

    /// Adds one line. A line that is not an entry is ignored.
    pub fn add_line(&mut self, line: &str) {
        // Most lines need only their role: those are not decoded.
        if let Some(head) = line_head::parse_head(line).filter(|head| head.kind == "message")
            && !self.needs_content(head.role)
        {
            let at_ms = self.count_entry(head.timestamp);
            self.prompts += u64::from(head.role == Role::User);
            self.latest = Latest { id: head.id.to_string(), at_ms };
            return;
        }
        let line = replace_lone_surrogates(line);
        let Ok(line) = serde_json::from_str::<Line>(&line) else { return };
        let stamp = line.timestamp.unwrap_or_default();
        let at_ms = self.count_entry(stamp);
        match line.kind {
            "message" => {
                self.add_message(line.message, stamp, line.parent_id.as_deref());
                self.latest = Latest { id: line.id.unwrap_or_default(), at_ms };
            }
            "session_info" => {
                self.name = line.name.map(|name| one_line(&name)).filter(|name| !name.is_empty());
            }
            // `usage` entries, and the usage of summaries.
            _ => self.add_usage(stamp, line.provider, line.model, line.usage.as_ref()),
        }
    }

    /// Counts an entry, and returns its time.
    fn count_entry(&mut self, stamp: &str) -> u64 {
        let at_ms = clock::parse_iso8601(stamp).unwrap_or(0);
        self.entries += 1;
        self.active_ms = self.active_ms.max(at_ms);
        at_ms
    }

    /// Whether the summary needs more of a message with this role than its existence.
    fn needs_content(&self, role: Role) -> bool {
        match role {
            Role::User => self.first.is_none(),
            Role::Assistant | Role::Tool => true,
            Role::None | Role::Other => false,
        }
    }

    fn add_message(&mut self, message: Option<&RawValue>, stamp: &str, parent: Option<&str>) {
        let Some(parsed) = message.and_then(|raw| serde_json::from_str::<MessageUsage>(raw.get()).ok())
        else {
            return;
        };
        match parsed.role {
            "user" => {
                self.prompts += 1;
                if self.first.is_none() {
                    self.first = parsed.content.and_then(words);
                }
            }
            "assistant" => {
                self.answers += 1;
                let name = |part: &Option<String>| part.clone().unwrap_or_default();
                self.model = format!("{}/{}", name(&parsed.provider), name(&parsed.model));
                self.add_usage(stamp, parsed.provider, parsed.model, parsed.usage.as_ref());
            }
            "toolResult" => {
                self.tools += 1;
                let name = parsed.tool_name.unwrap_or_default();
                self.count_tool_result(name, stamp, parent, parsed.is_error);
            }
            _ => {}
        }
    }

    /// Only the direct successor of a message has a duration: on another branch it could be days later.
    fn count_tool_result(&mut self, name: String, stamp: &str, parent: Option<&str>, failed: bool) {
        let follows = !self.latest.id.is_empty() && parent == Some(&self.latest.id) && self.latest.at_ms > 0;
        let end = clock::parse_iso8601(stamp).filter(|_| follows);
        let ms = end.map_or(0, |end| end.saturating_sub(self.latest.at_ms));
        if self.is_copied(stamp) {
            return;
        }
        let used = ToolUse { calls: 1, failed: u64::from(failed), ms };
        *self.used.entry(day(stamp)).or_default().entry(name).or_default() += used;
    }

    fn add_usage(
        &mut self,
        stamp: &str,
        provider: Option<String>,
        model: Option<String>,
        usage: Option<&Usage>,
    ) {
        let Some(usage) = usage.filter(|_| !self.is_copied(stamp)) else { return };
        let model = match (provider, model) {
            (None, None) => self.model.clone(),
            (provider, model) => format!("{}/{}", provider.unwrap_or_default(), model.unwrap_or_default()),
        };
        *self.spent.entry(day(stamp)).or_default().entry(model).or_default() += usage.into();
    }

    /// Whether an entry is older than the session, which then was copied from another.
    fn is_copied(&self, stamp: &str) -> bool {
        let times = (clock::parse_iso8601(stamp), clock::parse_iso8601(&self.began));
        self.parent.is_some() && matches!(times, (Some(entry), Some(began)) if entry < began)
    }

    /// Returns the usage of the whole session.
    pub fn total(&self) -> UsageSummary {
        let mut total = UsageSummary::default();
        self.spent.values().flat_map(BTreeMap::values).for_each(|spent| total += *spent);
        total
    }

    /// Returns the session's title: its name, or its first user message.
    pub fn title(&self) -> &str {
        self.name.as_deref().or(self.first.as_deref()).unwrap_or("(nothing was said)")
    }
}

fn day(stamp: &str) -> String {
    stamp.get(..DAY).unwrap_or("unknown").to_string()
}

fn words(content: &RawValue) -> Option<String> {
    let text = match serde_json::from_str(content.get()).ok()? {
        Content::Text(text) => text,
        Content::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join(" "),
    };
    Some(one_line(&text)).filter(|text| !text.is_empty())
}

fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(FIRST_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(lines: &[&str]) -> Summary {
        let mut summary = Summary::new(&Header::new("s".into(), 1_000, "/w".into()));
        for line in lines {
            summary.add_line(line);
        }
        summary
    }

    #[test]
    fn summary_counts_messages_and_usage() {
        let answer = |stamp: &str, model: &str, cost: f64| {
            format!(
                r#"{{"type":"message","id":"b","parentId":"a","timestamp":"{stamp}","message":{{"role":"assistant","content":[],"provider":"p","model":"{model}","usage":{{"input":10,"output":2,"cacheRead":30,"cacheWrite":0,"totalTokens":42,"cost":{{"total":{cost}}}}}}}}}"#
            )
        };
        let found = summary(&[
            r#"{"type":"model_change","id":"0","timestamp":"1970-01-01T00:00:02.000Z","provider":"p","modelId":"m"}"#,
            r#"{"type":"message","id":"a","timestamp":"1970-01-01T00:00:09.000Z","message":{"role":"user","content":[{"type":"image","data":"x"},{"type":"text","text":"fix\n the loop"}]}}"#,
            &answer("1970-01-01T00:00:03.000Z", "m", 0.5),
            &answer("1970-01-02T00:00:03.000Z", "n", 0.25),
            &answer("1970-01-02T00:00:04.000Z", "n", 0.25),
            r#"{"type":"message","id":"t","timestamp":"x","message":{"role":"toolResult","content":[]}}"#,
            r#"{"type":"message","id":"u","timestamp":"x","message":{"role":"user","content":"second"}}"#,
            r#"{"type":"usage","id":"w","timestamp":"1970-01-02T00:00:05.000Z","kind":"cache_warm","provider":"p","model":"n","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"total":1}}}"#,
            "{broken",
        ]);
        assert_eq!((found.entries, found.prompts, found.answers, found.tools), (8, 2, 3, 1));
        assert_eq!((found.first.as_deref(), found.title()), (Some("fix the loop"), "fix the loop"));
        assert_eq!(found.active_ms, 86_405_000);
        let days: Vec<_> = found.spent.iter().map(|(day, models)| (day.as_str(), models.len())).collect();
        assert_eq!(days, [("1970-01-01", 1), ("1970-01-02", 1)]);
        let total = found.total();
        assert_eq!((total.requests, total.input, total.cost), (4, 31, 2.0));
        assert!((total.cache_share() - 90.0 / 121.0).abs() < 1e-9);
    }

    #[test]
    fn summary_of_fork_excludes_copied_usage() {
        let lines = [
            r#"{"type":"message","id":"a","timestamp":"1970-01-01T00:00:00.500Z","message":{"role":"assistant","content":[],"provider":"p","model":"m","usage":{"input":10}}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"1970-01-01T00:00:00.700Z","message":{"role":"toolResult","toolName":"bash","content":[]}}"#,
            r#"{"type":"compaction","id":"c","timestamp":"1970-01-01T00:00:02.000Z","summary":"S","usage":{"input":5}}"#,
        ];
        let mut copy =
            Summary::new(&Header::forked("s".into(), 1_000, "/w".into(), "/s/first.jsonl".as_ref()));
        for line in lines {
            copy.add_line(line);
        }
        assert_eq!((copy.entries, copy.answers, copy.tools), (3, 1, 1));
        assert_eq!((copy.total().requests, copy.total().input, copy.used.len()), (1, 5, 0));
        // A summary is of the model that answered before it.
        assert_eq!(copy.spent["1970-01-01"].keys().collect::<Vec<_>>(), ["p/m"]);
        assert_eq!(summary(&lines).total().input, 15);
    }

    #[test]
    fn summary_tool_time_is_since_parent() {
        let result = |id: &str, parent: &str, second: u32, failed: bool| {
            format!(
                r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"1970-01-01T00:00:{second:02}.000Z","message":{{"role":"toolResult","toolName":"bash","isError":{failed},"content":[]}}}}"#
            )
        };
        let found = summary(&[
            r#"{"type":"message","id":"a","timestamp":"1970-01-01T00:00:10.000Z","message":{"role":"assistant","content":[]}}"#,
            &result("b", "a", 12, false),
            &result("c", "b", 13, true),
            // On another branch, with a clock that went back, without a time: counted, and nothing more.
            &result("d", "a", 50, false),
            &result("e", "d", 20, false),
            &result("f", "e", 99, false),
        ]);
        let day = &found.used["1970-01-01"];
        assert_eq!(day["bash"], ToolUse { calls: 5, failed: 1, ms: 3_000 });
    }

    #[test]
    fn summary_title_is_latest_name() {
        let name = |text: &str| {
            format!(
                r#"{{"type":"session_info","id":"n","timestamp":"t","name":{}}}"#,
                crate::base::json::json!(text)
            )
        };
        let [one, two, none] = [name("one"), name("two\nlines"), name("")];
        assert_eq!(summary(&[&one, &two]).title(), "two lines");
        assert_eq!(summary(&[&one, &none]).title(), "(nothing was said)");
    }
}
