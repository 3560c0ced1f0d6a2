//! `bowline sessions stats`: usage statistics of sessions.
//!
//! Must not know how usage is recorded.

use super::{short_id, shorten};
use crate::base::clock;
use crate::base::error::Report;
use crate::base::json::json;
use crate::cli::answer::Answer;
use crate::session::search::Query;
use crate::session::store::listing::StoredSession;
use crate::session::usage::statistics::{self, GroupBy, Row};
use crate::session::usage::summary::Summary;

/// Returns the usage of sessions, grouped by a key (`day` by default), since a date.
pub fn stats(
    all: &[StoredSession],
    by: Option<&str>,
    since: Option<&str>,
    now_ms: u64,
) -> Result<Answer, Report> {
    let by = by.unwrap_or("day");
    let Some(kind) = GroupBy::parse(by) else {
        return Err(
            Report::new(format!("cannot add up by `{by}`")).hint("--by session, day, model, project or tool")
        );
    };
    let since = match since {
        None => None,
        Some(text) => {
            let query = Query::parse(&format!("since:{text}"), now_ms, false);
            let Some(ms) = query.since_ms else {
                return Err(Report::new(query.problems.first().cloned().unwrap_or_default()));
            };
            Some(clock::iso8601(ms)[..10].to_string())
        }
    };
    let summaries: Vec<&Summary> = all.iter().map(|listed| &listed.summary).collect();
    let rows = statistics::group_rows(summaries, kind, since.as_deref());
    let total = statistics::total(&rows);
    let mut lines: Vec<String> = rows.iter().map(|row| row_line(row, kind)).collect();
    if lines.is_empty() {
        lines.push("No usage.".to_string());
    } else if rows.len() > 1 {
        lines.push(row_line(&total, kind));
    }
    Ok((lines.join("\n"), json!({"by": by, "since": since, "rows": rows, "total": total})))
}

fn row_line(row: &Row, by: GroupBy) -> String {
    let Row { of: group, title, spent, cache_share, tools, .. } = row;
    let seconds = tools.ms as f64 / 1000.0;
    let used = format!("{} calls, {} failed, {seconds:.1}s in tools", tools.calls, tools.failed);
    let group =
        title.as_ref().map_or(group.clone(), |title| format!("{}  {}", short_id(group), shorten(title)));
    if by == GroupBy::Tool {
        return format!("{group}: {used}");
    }
    let prompt = spent.prompt();
    let share = cache_share * 100.0;
    let requests = format!(
        "{} requests, {prompt} tokens in ({share:.0}% from the cache), {} out, ${:.4}",
        spent.requests, spent.output, spent.cost
    );
    if by == GroupBy::Model { format!("{group}: {requests}") } else { format!("{group}: {requests}; {used}") }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::cli::commands::import::{Import, import};
    use crate::session::store::listing;

    #[test]
    fn sessions_stats_group_by_request() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("sessions");
        let by = |by: Option<&str>, since: Option<&str>| stats(&listing::list(&root), by, since, 0);
        assert_eq!(by(None, None).unwrap().0, "No usage.");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import/claude.jsonl");
        import(&root, home.path(), &Import { files: vec![fixture], from: None, json: false }).unwrap();
        let text = |of: &str, since: Option<&str>| by(Some(of), since).unwrap().0;
        assert_eq!(
            text("tool", None),
            "Bash: 1 calls, 1 failed, 1.0s in tools\nRead: 1 calls, 0 failed, 0.5s in tools\nall: 2 calls, 1 failed, 1.5s in tools"
        );
        assert_eq!(
            text("project", None),
            "/w/demo: 3 requests, 1013 tokens in (89% from the cache), 65 out, $0.0000; 2 calls, 1 failed, 1.5s in tools"
        );
        assert_eq!(text("day", Some("2025-11-21")), "No usage.");
        assert!(text("session", Some("2025-11-20")).starts_with("0000c1a0  Two files: 3 requests"));
        let (_, value) = by(Some("model"), None).unwrap();
        assert_eq!(value["rows"][0]["of"], "anthropic/claude-test-1");
        assert_eq!(value["total"]["spent"]["requests"], 3);
        assert!(by(Some("king"), None).is_err());
        assert!(by(None, Some("soon")).is_err());
    }
}
