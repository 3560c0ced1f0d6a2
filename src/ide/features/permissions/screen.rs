//! The permissions screen: a row for each rule with its source, and what keys do there. Must not know how rules are
//! stored or judged.

use std::path::{Path, PathBuf};

use crate::base::paths::shorten_home;
use crate::base::width::visible;
use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::picker::{self, About, PickRow, PickerSpec, RowSource};
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::permissions::report::{self, REPORT};
use crate::ide::features::permissions::screen_rows::{self, Entry};
use crate::ide::features::permissions::trial;
use crate::ide::model::age::age;
use crate::tools::permissions::policy::{Mode, Verdict};
use crate::tools::permissions::rules::Author;
use crate::tools::permissions::rules::listing::ListedRule;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "permissions",
    title: "Permissions",
    footer: "Enter open  Delete remove  Ctrl-t try  ● used",
    row_footer: Some(|pick| pick.get().map_or(PICKER.footer, footer)),
    mark: "●",
    load: |state| RowSource::Rows(screen_rows::rows(state), screen_rows::used(state)),
    about: Some(About { lines: 4, in_place_of_preview: false, text: about }),
    stays_open: true,
    keeps_text: true,
    accept: |cx, pick, _| {
        if let Some(entry) = pick.get::<Entry>() {
            accept(cx, entry);
        }
    },
    remove: Some(|cx, pick| {
        if let Some(entry) = pick.get::<Entry>() {
            remove(cx, entry);
        }
    }),
    // Not the row: any call can be tried.
    test: Some(|cx, _| trial::open(cx)),
    ..PickerSpec::EMPTY
};

/// Returns the keys that do something with a row.
fn footer(entry: &Entry) -> &'static str {
    match entry {
        Entry::Mode | Entry::Profile => "Enter choose  Ctrl-t try  ● used",
        Entry::Try => "Enter try  ● used",
        Entry::UserFile | Entry::Problem(_) => "Enter open  Ctrl-t try  ● used",
        Entry::Rule(rule) if rule.origin.file.is_some() => PICKER.footer,
        Entry::Grant(..) | Entry::Call(_) => "Delete take back  Ctrl-t try  ● used",
        Entry::Rule(_) | Entry::Default(_) => "Ctrl-t try  ● used",
    }
}

/// Shows the current rows, if the screen is open.
pub fn refresh(cx: &mut Cx<'_>) {
    let (rows, used) = (screen_rows::rows(cx.state), screen_rows::used(cx.state));
    let (listed, now_ms) = (Some(agent_settings(cx.state)), cx.now_ms);
    (cx.state.slots[REPORT].listed, cx.state.slots[REPORT].listed_ms) = (listed, now_ms);
    picker::refresh(cx.state, PICKER.id, &rows, &used);
    picker::redraw(cx.state);
}

/// Returns the settings of the agent that the rows show.
fn agent_settings(state: &State) -> (Mode, &'static str, &'static str) {
    (state.agent.approval_mode, state.agent.profile, state.agent.requested_profile)
}

/// Shows what another mode or profile does, if it was changed while the screen is open.
pub fn update(cx: &mut Cx<'_>) {
    if report::is_open(cx.state) && cx.state.slots[REPORT].listed != Some(agent_settings(cx.state)) {
        refresh(cx);
    }
}

/// Returns a place in a file of rules for the user.
pub fn located(state: &State, file: Option<&Path>, line: Option<usize>) -> String {
    let file = file.map_or_else(|| "permissions".to_string(), |file| shorten_home(file, &state.home));
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    }
}

/// Says what a row means, where it is set, and when it last decided a call.
fn about(state: &State, PickRow { pick, .. }: &PickRow) -> Vec<String> {
    let Some(entry) = pick.get::<Entry>() else { return Vec::new() };
    let mut lines = match entry {
        Entry::Mode => vec![
            "What runs, asks or is refused where no rule says otherwise".to_string(),
            "Enter lists the modes; a change counts from the next call on".to_string(),
        ],
        Entry::Profile => vec![
            "The agent's prompt and tools: which calls there are to decide about".to_string(),
            "Enter lists the profiles; a change counts from the next request on".to_string(),
        ],
        Entry::Try => {
            vec!["Shows what would happen to a call, and which rule decides. Nothing runs".to_string()]
        }
        Entry::UserFile => vec![
            "Your rules for all projects. What you save there counts from the next call on".to_string(),
            state.slots[REPORT]
                .report
                .as_ref()
                .map_or_else(String::new, |report| located(state, Some(&report.user_file), None)),
        ],
        Entry::Problem(n) => about_problem(state, *n),
        Entry::Default(default) => about_default(&default.verdict, state),
        Entry::Rule(rule) => {
            vec![screen_rows::meaning(rule), set_at(state, rule), screen_rows::condition(rule)]
        }
        Entry::Grant(rule, _) => vec![
            screen_rows::meaning(rule),
            "Your answer: allowed for this session, subagents included".to_string(),
            screen_rows::condition(rule),
        ],
        Entry::Call((tool, target, _)) => vec![
            format!("Allowed without asking: this call of {tool} with the same arguments"),
            "Your answer: allowed until bowline ends".to_string(),
            target.clone(),
        ],
    };
    lines.extend(last_use(state, entry));
    lines.iter().map(|line| visible(line).into_owned()).collect()
}

fn about_problem(state: &State, n: usize) -> Vec<String> {
    let problem = state.slots[REPORT].report.as_ref().and_then(|report| report.problems.get(n));
    let Some(problem) = problem else { return Vec::new() };
    vec![
        problem.message.clone(),
        format!("In {}", located(state, problem.file.as_deref(), problem.line)),
        "Allow rules of the file are not applied".to_string(),
    ]
}

fn about_default(verdict: &Verdict, state: &State) -> Vec<String> {
    let mode = format!("Set by the approval mode: {}", state.agent.approval_mode.name());
    match verdict {
        Verdict::Run => vec!["Runs without asking, unless a rule asks or denies".to_string(), mode],
        Verdict::Ask(reason) => vec![format!("Asks you: {reason}"), mode],
        Verdict::Refuse(reason) => vec![format!("Refused, because no user is asked: {reason}"), mode],
        Verdict::Forbid(reason) => {
            vec![format!("Denied in every mode: {reason}"), "Built in; no rule allows it".to_string()]
        }
    }
}

fn set_at(state: &State, rule: &ListedRule) -> String {
    let scope = match rule.origin.author {
        Author::User => "by you",
        Author::Project { .. } => "by the project",
    };
    let at = located(state, rule.origin.file.as_deref(), Some(rule.origin.line));
    format!("Set {scope}: {at}")
}

/// Says when a rule last decided a call. Where the mode lets calls run, they are not counted.
fn last_use(state: &State, entry: &Entry) -> Option<String> {
    let description = screen_rows::description(entry)?;
    let used = state.slots[REPORT].report.as_ref()?.uses.get(description);
    let Some(used) = used else { return Some("Not used in this session".to_string()) };
    let ago = age(state.slots[REPORT].listed_ms, used.last_ms);
    Some(format!("Used {}× in this session, last {ago} ago: {}", used.count, used.target))
}

/// Handles Enter.
fn accept(cx: &mut Cx<'_>, entry: &Entry) {
    match entry {
        Entry::Mode => cx.defer_picker("approval-modes"),
        Entry::Profile => cx.defer_picker("profiles"),
        Entry::Try => trial::open(cx),
        Entry::UserFile => {
            let file = cx.state.slots[REPORT].report.as_ref().map(|report| report.user_file.clone());
            open_file(cx, file, None);
        }
        Entry::Problem(n) => {
            let problems = cx.state.slots[REPORT].report.as_ref().map(|report| &report.problems);
            let problem = problems.and_then(|problems| problems.get(*n)).cloned();
            if let Some(problem) = problem {
                open_file(cx, problem.file, problem.line);
            }
        }
        Entry::Rule(rule) => {
            let file = rule.origin.file.as_deref().map(Path::to_path_buf);
            open_file(cx, file, Some(rule.origin.line));
        }
        Entry::Grant(..) | Entry::Call(_) => {
            let key = cx.state.keymap.keys_for(KeyContext::Picker, "list.remove");
            let key = key.unwrap_or_else(|| cx.state.how_to("list.remove"));
            cx.state.set_status(format!("Your answer in this session. {key} takes it back"));
        }
        Entry::Default(_) => {
            cx.state.set_status("Change the approval mode in the first row, or add a rule to your file");
        }
    }
}

fn open_file(cx: &mut Cx<'_>, file: Option<PathBuf>, line: Option<usize>) {
    let Some(file) = file else { return cx.state.set_status("It is in no file") };
    drop(cx.state.pop_layer());
    (cx.state.catalog.open_file)(cx, file, line.map(|line| (line, 1)));
    panes::focus(cx, Focus::Editor);
}

/// Handles the key that removes a row.
fn remove(cx: &mut Cx<'_>, entry: &Entry) {
    match entry {
        Entry::Grant(rule, text) => report::revoke_grant(cx, rule, text.clone()),
        Entry::Call(call) => report::revoke_call(cx, call),
        Entry::Rule(rule) if rule.origin.file.is_some() => confirm(cx, rule.clone()),
        Entry::Rule(_)
        | Entry::Mode
        | Entry::Profile
        | Entry::Try
        | Entry::UserFile
        | Entry::Problem(_)
        | Entry::Default(_) => cx.state.set_status("Only rules of files and answers can be removed"),
    }
}

fn confirm(cx: &mut Cx<'_>, rule: ListedRule) {
    let at = located(cx.state, rule.origin.file.as_deref(), Some(rule.origin.line));
    let lines = [format!("Remove this rule from {at}?"), screen_rows::meaning(&rule)];
    let lines = lines.iter().map(|line| visible(line).into_owned()).collect();
    let dialog = Dialog::ask("Remove rule", lines)
        .choice('r', "Remove rule", move |cx| report::remove_rule(cx, rule))
        .close('n', "Keep rule");
    cx.state.push_layer(dialog);
}
