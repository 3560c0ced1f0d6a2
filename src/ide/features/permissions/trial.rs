//! Trying a command line, a path or a host: the session judges it as it would judge a call of a model. Must not know
//! any rule.

use std::path::Path;

use crate::base::width::visible;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::state::State;
use crate::ide::features::permissions::report::REPORT;
use crate::ide::features::permissions::requests::PERMISSION_REQUESTS;
use crate::ide::features::permissions::screen;
use crate::runtime::Handle;
use crate::runtime::controls::permission_report::{PermissionReport, Trial, TrialResult};
use crate::tools::permissions::policy::Verdict;

/// A trial, and how it is called.
type NamedTrial = (String, Trial);

/// Asks what to try.
pub fn open(cx: &mut Cx<'_>) {
    if !cx.state.agent.connected {
        return cx.state.set_status("Session is starting; try again in a moment");
    }
    let prompt = Prompt::new("Try a command, path or host", |cx, text| judge(cx, text.trim().to_string()));
    prompt.required().verb("show").open(cx);
}

fn judge(cx: &mut Cx<'_>, text: String) {
    let (names, trials): (Vec<String>, Vec<Trial>) = trials(&text).into_iter().unzip();
    let work = |session: Handle| async move {
        let report = session.permission_report().await?;
        Ok((report, session.judge(trials).await?))
    };
    ask_session(cx, "permissions.judge", "find out what would happen", work, move |cx, (report, results)| {
        let mode = cx.state.agent.approval_mode.name();
        let mut lines = Vec::new();
        for (name, result) in names.iter().zip(&results) {
            lines.push(visible(&line(cx.state, &report, (name, result), mode)).into_owned());
        }
        let is_answered = |(_, target, _): &(String, String, String)| *target == text;
        if cx.state.slots[PERMISSION_REQUESTS].allowed().iter().any(is_answered) {
            lines.push("A call of it that you allowed until bowline ends runs without asking.".to_string());
        }
        cx.state.slots[REPORT].report = Some(report);
        screen::refresh(cx);
        let title = visible(&text).into_owned();
        cx.state.push_layer(Dialog::ask(title, lines).choice('t', "Try another", open).close('\n', "Close"));
    });
}

/// Returns everything that a text may mean.
fn trials(text: &str) -> Vec<NamedTrial> {
    let is_word = !text.contains(char::is_whitespace);
    let address = address(text);
    let mut trials = Vec::new();
    let is_address = address.is_some() && text.contains("://");
    if !is_address {
        trials.push(("Run".to_string(), Trial::Command(text.to_string())));
        if is_word || text.starts_with(['/', '~', '.']) {
            let path = text.to_string();
            trials.push(("Read".to_string(), Trial::Read(path.clone())));
            trials.push(("Edit".to_string(), Trial::Edit(path.clone())));
            trials.push(("Write".to_string(), Trial::Write(path)));
        }
    }
    // Hosts are reached by commands, of which this one only connects.
    let reach = |address| format!("curl {address}");
    trials.extend(address.map(reach).map(|line| (format!("Reach ({line})"), Trial::Command(line))));
    trials
}

/// Returns the address of a text that may be a host or an address.
fn address(text: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "-._~:/?#[]@%+,=".contains(c);
    if text.is_empty() || text.starts_with('-') || !text.chars().all(is_plain) {
        return None;
    }
    if text.contains("://") {
        return Some(format!("'{text}'"));
    }
    let is_host = !text.contains(['/', '~', '?', '#', '@', '%', '+', ',', '=']) && !text.starts_with('.');
    let is_named = text.contains(['.', ':']) || text == "localhost";
    (is_host && is_named).then(|| format!("'https://{text}'"))
}

/// Says what would happen, and what decides.
fn line(
    state: &State,
    report: &PermissionReport,
    (name, result): (&str, &TrialResult),
    mode: &str,
) -> String {
    let judged = match &result.1 {
        Ok(judged) => judged,
        Err(error) => return format!("{name}: cannot be judged. {error}"),
    };
    let outcome = match judged.verdict {
        Verdict::Run => "allowed",
        Verdict::Ask(_) => "asks",
        Verdict::Refuse(_) => "refused",
        Verdict::Forbid(_) => "denied",
    };
    let why: Vec<String> = judged.deciding.iter().map(|text| decided_by(state, report, text)).collect();
    if why.is_empty() {
        return format!("{name}: {outcome}. Approval mode {mode}");
    }
    format!("{name}: {outcome}. {}", why.join("; "))
}

/// Names a rule with its source, or the reason.
fn decided_by(state: &State, report: &PermissionReport, text: &str) -> String {
    let rule = report.rules.iter().find(|rule| rule.off.is_none() && rule.description == text);
    if let Some(rule) = rule {
        let file: Option<&Path> = rule.origin.file.as_deref();
        return format!("Rule {text}, {}", screen::located(state, file, Some(rule.origin.line)));
    }
    if report.grants.iter().any(|(rule, _)| rule.description == text) {
        return format!("Your answer for this session: {text}");
    }
    format!("Reason: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permission_trial_covers_every_meaning() {
        let names = |text| trials(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ");
        for (text, expected) in [
            ("cargo test", "Run"),
            ("make", "Run Read Edit Write"),
            ("/etc/a b", "Run Read Edit Write"),
            ("docs.rs", "Run Read Edit Write Reach (curl 'https://docs.rs')"),
            ("localhost:80", "Run Read Edit Write Reach (curl 'https://localhost:80')"),
            ("http://a.b/c?d=1", "Reach (curl 'http://a.b/c?d=1')"),
            ("http://a'b", "Run Read Edit Write"),
            (".env", "Run Read Edit Write"),
            ("src/a.rs", "Run Read Edit Write"),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }
}
