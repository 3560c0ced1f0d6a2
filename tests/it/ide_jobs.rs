//! Background commands of the agent as tabs of the terminal pane: the agent starts real ones, the user watches them and
//! stops them.

use bowline::exec::LocalEnvironment;
use bowline::ide::core::panes::Focus;
use bowline::ide::features::terminal::agent_jobs::AgentJob;
use bowline::ide::features::terminal::state::{ShellState, TERMINALS, Terminal};
use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn job(id: &'static str, command: &str, wait: u32) -> Turn {
    Turn::call(id, "job", json!({"action": "start", "command": command, "wait": wait}))
}

fn poll(id: &'static str) -> Turn {
    Turn::call(id, "job", json!({"action": "poll", "job": 1, "wait": 0}))
}

/// A command that prints, and then waits for a file.
fn wait_for_file(first: &str, then: &str) -> String {
    format!("{first}; while [ ! -e go ]; do sleep 0.01; done; {then}")
}

async fn start(turns: impl IntoIterator<Item = Turn>, size: (u16, u16)) -> TestIde {
    let setup = IdeSetup::new().size(size.0, size.1).with("a.txt", "one\n").policy(Mode::Full);
    setup.tools(&["job"]).turns(turns).start().await
}

/// An IDE where the agent runs a command in the background.
async fn with_job(command: &str, then: impl IntoIterator<Item = Turn>, size: (u16, u16)) -> TestIde {
    let turns = [job("c1", command, 0), Turn::text("started")];
    let mut ide = start(turns.into_iter().chain(then), size).await;
    ide.prompt("go").await;
    ide.wait_for("a job", |state| state.slots[TERMINALS].running_jobs() == 1).await;
    ide
}

async fn wait_ended(ide: &mut TestIde) {
    ide.wait_for("the end", |state| {
        let jobs = state.slots[TERMINALS].jobs();
        !jobs.is_empty() && jobs.iter().all(|job| job.end.is_some())
    })
    .await;
}

/// Waits until the shown tab has a text.
async fn wait_for_output(ide: &mut TestIde, text: &str) {
    // The runs of a row are words.
    let text = text.replace(' ', "");
    let has = |tab: &Terminal| {
        let rows = tab.grid.rows.iter();
        rows.map(|row| row.iter().map(|run| &*run.text).collect::<String>())
            .any(|row| row.replace(' ', "").contains(&text))
    };
    ide.wait_for("output", |state| state.slots[TERMINALS].active().is_some_and(has)).await;
}

fn tabs(ide: &mut TestIde) -> Vec<Option<u64>> {
    let number = |tab: &Terminal| tab.job.as_ref().map(|job| job.watched.number);
    ide.state().slots[TERMINALS].all().iter().map(number).collect()
}

#[tokio::test]
async fn job_tab_appears_without_opening_pane_and_shows_output_live() {
    // It prints nothing before the agent has looked, so that the conversation is always the same.
    let first = wait_for_file(": server", "echo first line");
    let command = format!("{first}; while [ ! -e more ]; do sleep 0.01; done; printf second; exit 3");
    let mut ide = with_job(&command, [], (80, 24)).await;
    assert_eq!((ide.state().panes.terminal, ide.state().panes.focus), (false, Focus::Agent));
    assert_eq!(tabs(&mut ide), [Some(1)]);
    let (col, row) = ide.find("1 job");
    ide.click(col, row);
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("Background jobs") && picture.contains("job 1 · : server"), "{picture}");
    ide.keys("Enter").await;
    assert_eq!(ide.state().panes.focus, Focus::Terminal);
    ide.write_file("go", "");
    wait_for_output(&mut ide, "first line").await;
    ide.snap("job-running-80x24");
    ide.write_file("more", "");
    ide.wait_for_text("job 1 · exit 3 · : server").await;
    wait_for_output(&mut ide, "second").await;
    assert!(!ide.picture().contains("1 job "), "{}", ide.picture());
    ide.snap("job-ended-80x24");
    ide.keys("x Enter").await;
    assert!(ide.status_message().starts_with("A job of the agent that has ended (exit 3)"));
    ide.keys("Alt-, t x").await;
    assert_eq!((tabs(&mut ide).len(), ide.state().panes.terminal), (0, false));
}

#[tokio::test]
async fn job_tab_takes_no_keys_and_stop_is_seen_by_agent() {
    let then = [poll("c2"), Turn::text("so it was")];
    let mut ide = with_job(&wait_for_file("echo begun", "cat"), then, (80, 24)).await;
    ide.keys("Alt-, t j Enter").await;
    wait_for_output(&mut ide, "begun").await;
    ide.type_in("ls").await;
    assert_eq!(ide.status_message(), "A job of the agent: it takes no keys. Stop it: Alt-, t d");
    ide.keys("Ctrl-c").await;
    ide.headless.input(bowline::tui::input::Input::Paste("rm x\n".to_string()));
    assert_eq!(ide.state().slots[TERMINALS].running_jobs(), 1);
    assert!(!ide.picture().contains("rm x"));
    ide.keys("Alt-, t d").await;
    wait_ended(&mut ide).await;
    ide.wait_for_text("stopped").await;
    ide.keys("Alt-, t d").await;
    assert_eq!(ide.status_message(), "The shown job has ended already (stopped)");
    ide.prompt("and now?").await;
    let session = serde_json::to_string(&ide.session()).unwrap();
    assert!(session.contains("[job 1 was ended: echo begun"), "{session}");
}

#[tokio::test]
async fn job_tab_closed_leaves_job_running_and_is_shown_again() {
    let mut ide = with_job(&wait_for_file("echo begun", "echo more"), [], (80, 24)).await;
    ide.keys("Alt-, t j Enter").await;
    wait_for_output(&mut ide, "begun").await;
    ide.keys("Alt-, t x").await;
    assert_eq!(ide.status_message(), "Tab closed, job 1 runs on. Show it again: Alt-, t j");
    assert_eq!((tabs(&mut ide).len(), ide.state().slots[TERMINALS].running_jobs()), (0, 1));
    ide.keys("Alt-, t j Enter").await;
    wait_for_output(&mut ide, "begun").await;
    ide.write_file("go", "");
    wait_for_output(&mut ide, "more").await;
    wait_ended(&mut ide).await;
    ide.keys("Alt-, t x Alt-, t d").await;
    assert_eq!(ide.status_message(), "No background job is running");
}

#[tokio::test]
async fn job_output_and_command_cannot_harm_screen() {
    let prints = r"printf '\033]52;c;aGk=\007\033[?1000h\033[?1049h\033]2;title\007\033[31mred\033[m\302\233\342\200\256end\n'";
    let command = wait_for_file(&format!(": '\u{1b}[2J\u{202e}\u{7}'; {prints}"), "true");
    let mut ide = with_job(&command, [], (80, 24)).await;
    ide.keys("Alt-, t j").await;
    let picture = ide.picture();
    assert!(picture.contains("job 1 · : '[2J<U+202E>'"), "{picture}");
    ide.keys("Enter").await;
    wait_for_output(&mut ide, "red").await;
    ide.wait_for("the refusal", |state| state.status.log().any(|line| line.text.starts_with("Refused")))
        .await;
    let picture = ide.picture();
    assert!(!picture.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\u{7}']), "{picture}");
    assert_eq!(ide.headless.app().ui.clipboard, None);
    assert!(!picture.contains(" title "), "{picture}");
}

#[tokio::test]
async fn job_tab_is_never_used_as_terminal_nor_asked_about_at_quit() {
    let mut ide = with_job(&wait_for_file("echo begun", "true"), [], (120, 30)).await;
    ide.keys("Alt-4").await;
    assert_eq!(tabs(&mut ide), [None, Some(1)], "a pane that opens has a shell");
    assert!(ide.state().slots[TERMINALS].active().is_some_and(|tab| tab.job.is_none()));
    ide.keys("Alt-, t Right").await;
    wait_for_output(&mut ide, "begun").await;
    ide.keys("Alt-2 Alt-, t s").await;
    ide.wait_for("a shell", |state| {
        let shown = state.slots[TERMINALS].active();
        shown.is_some_and(|tab| tab.job.is_none() && tab.shell == ShellState::Running)
    })
    .await;
    let mut shell = ide.faults.shells.lock().unwrap().pop().expect("a shell was started");
    shell.reads("one\r").await;
    ide.keys("Alt-4 Alt-, t n").await;
    assert_eq!(tabs(&mut ide), [None, None, Some(1)]);
    ide.keys("Alt-, t q").await;
    assert!(ide.state().quit, "{}", ide.picture());
}

#[tokio::test]
async fn job_tabs_of_ended_jobs_stay_up_to_eight() {
    let ids = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10"];
    let turns = ids.iter().map(|id| job(id, "exit 7", 60)).chain([Turn::text("all done")]);
    let mut ide = start(turns, (80, 24)).await;
    ide.prompt("go").await;
    ide.wait_for("the last", |state| {
        state.slots[TERMINALS].jobs().last().is_some_and(|job| job.watched.number == 10)
    })
    .await;
    wait_ended(&mut ide).await;
    assert_eq!(tabs(&mut ide), (3..=10).map(Some).collect::<Vec<_>>());
    assert!(!ide.picture().contains("10 jobs"), "none runs");
    ide.keys("Alt-, t j").await;
    assert!(ide.picture().contains("job 10 · exit 7"), "{}", ide.picture());
    ide.keys("Enter").await;
    ide.wait_for_text("Background job ended: exit 7").await;
}

#[tokio::test]
async fn job_of_left_workspace_is_stopped_and_next_one_is_watched() {
    let then = [job("c2", "echo elsewhere; exit 5", 60), Turn::text("there")];
    let mut ide = with_job(&wait_for_file("echo begun", "true"), then, (80, 24)).await;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let env = LocalEnvironment::new(root, [("PATH".into(), "/usr/bin:/bin".into())]);
    let session = ide.headless.app().session().cloned().unwrap();
    session.set_environment(std::sync::Arc::new(env)).await.unwrap();
    wait_ended(&mut ide).await;
    ide.prompt("go on").await;
    ide.wait_for("the next", |state| state.slots[TERMINALS].jobs().len() == 2).await;
    wait_ended(&mut ide).await;
    assert_eq!(tabs(&mut ide), [Some(1), Some(1)], "numbers begin again");
    let ends: Vec<_> =
        ide.state().slots[TERMINALS].jobs().iter().map(|job| job.end_words().unwrap()).collect();
    assert_eq!(ends, ["stopped", "exit 5"]);
}

#[tokio::test]
async fn job_to_stop_must_be_chosen_where_several_run() {
    let command = wait_for_file("true", "true");
    let mut ide = with_job(&command, [job("c2", &command, 0), Turn::text("two")], (80, 24)).await;
    ide.prompt("another").await;
    ide.wait_for_text("2 jobs").await;
    ide.keys("Alt-2 Alt-, t d").await;
    assert_eq!(ide.status_message(), "2 jobs run. Choose the one to stop: Alt-, t j");
    assert_eq!(ide.state().slots[TERMINALS].running_jobs(), 2);
}

#[tokio::test]
async fn job_is_stopped_in_the_list_which_shows_that() {
    let command = wait_for_file("true", "true");
    let mut ide = with_job(&command, [job("c2", &command, 0), Turn::text("two")], (80, 24)).await;
    ide.prompt("another").await;
    ide.wait_for_text("2 jobs").await;
    ide.keys("Alt-, t j Down Delete").await;
    ide.wait_for_text("stopped · ").await;
    let words: Vec<_> = ide.state().slots[TERMINALS].jobs().iter().map(AgentJob::end_words).collect();
    assert_eq!(words, [Some("stopped".to_string()), None], "that of the second row");
    assert!(ide.picture().contains("Background jobs"), "the list stays: {}", ide.picture());
    ide.keys("Delete").await;
    assert_eq!(ide.status_message(), "The job has ended already (stopped)");
}

#[tokio::test]
async fn job_tab_and_segment_in_small_window() {
    let mut ide = with_job(&wait_for_file("echo begun", "true"), [], (40, 12)).await;
    ide.keys("Alt-, t j Enter").await;
    wait_for_output(&mut ide, "begun").await;
    ide.snap("job-running-40x12");
}

#[tokio::test]
async fn job_commands_without_jobs_say_so() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.keys("Alt-, t j").await;
    assert_eq!(ide.status_message(), "The agent has started no background jobs");
    ide.keys("Alt-, t d").await;
    assert_eq!(ide.status_message(), "No background job is running");
}

#[tokio::test]
async fn job_is_announced_in_accessible_mode() {
    let setup = IdeSetup::new().size(80, 24).policy(Mode::Full).accessible(true).tools(&["job"]);
    let turns = [job("c1", &wait_for_file("echo begun", "exit 2"), 0), Turn::text("started")];
    let mut ide = setup.turns(turns).start().await;
    ide.prompt("go").await;
    let said = |text: &'static str| {
        move |state: &bowline::ide::core::state::State| {
            state.status.log().any(|line| line.text.contains(text))
        }
    };
    ide.wait_for("the start", said("Background job 1 · echo begun; while [ ! -…, started")).await;
    ide.keys("Alt-, t j Enter").await;
    ide.wait_for_text("Terminal: job 1 · echo begun; while [ ! -…, running").await;
    ide.write_file("go", "");
    ide.wait_for("the end", said("exit 2")).await;
    ide.wait_for_text("…, exit 2").await;
}
