//! Usage statistics over sessions, grouped by a key. Pure.
//!
//! Must not know files: works on the summaries of a listing.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::summary::{Summary, ToolUse, UsageSummary};

/// The grouping key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    /// By session.
    Session,
    /// By day, UTC.
    Day,
    /// By model, as `provider/id`.
    Model,
    /// By working folder.
    Project,
    /// By tool.
    Tool,
}

impl GroupBy {
    /// All keys with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("session", Self::Session),
        ("day", Self::Day),
        ("model", Self::Model),
        ("project", Self::Project),
        ("tool", Self::Tool),
    ];

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(one, _)| *one == name).map(|(_, by)| by)
    }
}

/// One group.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The key: a session's id, a day, a model, a folder or a tool.
    pub of: String,
    /// The user's name for the session; `None` for other keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Number of sessions in the group.
    pub sessions: u64,
    /// Usage of model requests; zero for a tool.
    pub spent: UsageSummary,
    /// Share of cached prompt tokens, from 0 to 1.
    pub cache_share: f64,
    /// Usage of tools; zero for a model, since summaries do not record which model made a call.
    pub tools: ToolUse,
}

/// Returns the rows of sessions, optionally since a day (`YYYY-MM-DD`): days in order, tools by time, others
/// by cost.
pub fn group_rows<'a>(
    all: impl IntoIterator<Item = &'a Summary>,
    by: GroupBy,
    since: Option<&str>,
) -> Vec<Row> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let counts = |day: &str| since.is_none_or(|since| day >= since);
    for summary in all {
        let mut own: BTreeMap<String, (UsageSummary, ToolUse)> = BTreeMap::new();
        for (day, models) in summary.spent.iter().filter(|(day, _)| counts(day)) {
            for (model, spent) in models {
                if let Some(group_key) = key(by, summary, day, Some(model), None) {
                    own.entry(group_key).or_default().0 += *spent;
                }
            }
        }
        for (day, tools) in summary.used.iter().filter(|(day, _)| counts(day)) {
            for (tool, used) in tools {
                if let Some(group_key) = key(by, summary, day, None, Some(tool)) {
                    own.entry(group_key).or_default().1 += *used;
                }
            }
        }
        for (group_key, (spent, used)) in own {
            let row = rows.entry(group_key.clone()).or_default();
            row.of = group_key;
            row.title = (by == GroupBy::Session).then(|| summary.title().to_string());
            row.sessions += 1;
            row.spent += spent;
            row.tools += used;
        }
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    for row in &mut rows {
        row.cache_share = row.spent.cache_share();
    }
    match by {
        GroupBy::Day => {}
        GroupBy::Tool => rows.sort_by_key(|row| Reverse(row.tools.ms)),
        _ => rows.sort_by(|a, b| b.spent.cost.total_cmp(&a.spent.cost)),
    }
    rows
}

/// Returns the row that an item belongs to.
fn key(by: GroupBy, summary: &Summary, day: &str, model: Option<&str>, tool: Option<&str>) -> Option<String> {
    match by {
        GroupBy::Session => Some(summary.id.clone()),
        GroupBy::Day => Some(day.to_string()),
        GroupBy::Project => Some(summary.cwd.clone()),
        GroupBy::Model => model.map(str::to_string),
        GroupBy::Tool => tool.map(str::to_string),
    }
}

/// Returns the total of all rows.
pub fn total(rows: &[Row]) -> Row {
    let mut total = Row { of: "all".to_string(), ..Row::default() };
    for row in rows {
        total.spent += row.spent;
        total.tools += row.tools;
    }
    total.cache_share = total.spent.cache_share();
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(id: &str, cwd: &str, days: &[(&str, &str, f64)], tools: &[(&str, &str, u64)]) -> Summary {
        let mut summary = Summary { id: id.into(), cwd: cwd.into(), ..Summary::default() };
        for (day, model, cost) in days {
            let spent = UsageSummary {
                requests: 1,
                input: 10,
                cache_read: 30,
                cost: *cost,
                ..UsageSummary::default()
            };
            *summary.spent.entry((*day).into()).or_default().entry((*model).into()).or_default() += spent;
        }
        for (day, tool, ms) in tools {
            let used = ToolUse { calls: 1, failed: 0, ms: *ms };
            *summary.used.entry((*day).into()).or_default().entry((*tool).into()).or_default() += used;
        }
        summary
    }

    fn shown(rows: &[Row]) -> String {
        let one = |row: &Row| {
            format!(
                "{} {}x${} {}ms/{}",
                row.of, row.spent.requests, row.spent.cost, row.tools.ms, row.sessions
            )
        };
        rows.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn statistics_group_usage_by_key() {
        let all = [
            summary(
                "s",
                "/w",
                &[("d1", "p/m", 1.0), ("d2", "p/n", 4.0)],
                &[("d1", "bash", 5), ("d2", "read", 9)],
            ),
            summary("t", "/w", &[("d2", "p/m", 2.0)], &[("d2", "bash", 1)]),
            summary("u", "/x", &[("d3", "p/m", 1.0)], &[]),
        ];
        let by = |by, since| shown(&group_rows(&all, by, since));
        assert_eq!(by(GroupBy::Session, None), "s 2x$5 14ms/1, t 1x$2 1ms/1, u 1x$1 0ms/1");
        assert_eq!(by(GroupBy::Day, None), "d1 1x$1 5ms/1, d2 2x$6 10ms/2, d3 1x$1 0ms/1");
        assert_eq!(by(GroupBy::Day, Some("d2")), "d2 2x$6 10ms/2, d3 1x$1 0ms/1");
        assert_eq!(by(GroupBy::Model, None), "p/m 3x$4 0ms/3, p/n 1x$4 0ms/1");
        assert_eq!(by(GroupBy::Project, None), "/w 3x$7 15ms/2, /x 1x$1 0ms/1");
        assert_eq!(by(GroupBy::Tool, None), "read 0x$0 9ms/1, bash 0x$0 6ms/2");
        let all = group_rows(&all, GroupBy::Day, None);
        assert_eq!((total(&all).spent.cost, total(&all).tools.calls), (8.0, 3));
        assert!((total(&all).cache_share - 0.75).abs() < 1e-9);
        assert_eq!(GroupBy::parse("tool"), Some(GroupBy::Tool));
        assert_eq!(GroupBy::parse("king"), None);
    }
}
