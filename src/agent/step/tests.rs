//! The machine in scripts: events in, effects out, written short enough to read.

mod properties;
mod summing;

use super::*;
use crate::agent::queue::{QueueMode, QueuePosition};
use crate::base::json::json;
use crate::llm::model::{ErrorKind, Model, Part};
use crate::llm::retry::Policy;
use crate::llm::stream::accumulate::Accumulator;

/// Drives a machine and writes down what it wants.
struct Rig {
    state: State,
    log: Vec<String>,
}

impl Rig {
    /// What follows a run is tested where it is wanted.
    fn new(mut config: Config) -> Self {
        config.compaction.after_runs = false;
        Self { state: State::new(config, 0), log: Vec::new() }
    }

    fn send(&mut self, event: Event) -> &mut Self {
        let effects = self.state.step(event);
        self.log.extend(effects.iter().map(describe));
        self
    }

    fn prompt(&mut self, text: &str) -> &mut Self {
        self.send(Event::Prompt { message: UserMessage::text(text, 0), lane: Lane::Steering })
    }

    fn later(&mut self, text: &str) -> &mut Self {
        self.send(Event::Prompt { message: UserMessage::text(text, 0), lane: Lane::FollowUp })
    }

    fn answer(&mut self, calls: &[&str]) -> &mut Self {
        self.answer_with(calls, StopReason::Stop)
    }

    fn answer_with(&mut self, calls: &[&str], stop: StopReason) -> &mut Self {
        let message = message(calls, stop);
        self.send(Event::AnswerStarted).send(Event::Answered {
            message,
            error: None,
            fit: Fit::Fits,
            chance: 0.5,
        })
    }

    fn fail(&mut self, kind: ErrorKind, content: bool) -> &mut Self {
        let mut message = message(if content { &["a"] } else { &[] }, StopReason::Error);
        message.content.truncate(usize::from(content));
        let error = Some(LlmError::new(kind, "p", "broken"));
        self.send(Event::Answered { message, error, fit: Fit::Fits, chance: 0.5 })
    }

    fn tool(&mut self, index: usize, text: &str) -> &mut Self {
        let call =
            ToolCall { id: text.into(), name: "t".into(), arguments: json!({}), thought_signature: None };
        let mut result = error_result(&call, text);
        result.is_error = false;
        let ended =
            FinishedCall { result, full_text: None, took: Duration::ZERO, terminate: text.starts_with('!') };
        self.send(Event::ToolEnded { index, ended })
    }

    fn check(&mut self, expected: &[&str]) -> &mut Self {
        assert_eq!(self.log, expected);
        self.log.clear();
        self
    }
}

/// An answer with one text and these calls, whose names are their ids.
fn message(calls: &[&str], stop: StopReason) -> AssistantMessage {
    let mut message = Accumulator::new(&Model::unknown("p", "m", "a", ""), 0).finish();
    message.content.push(Part::text("said"));
    message.content.extend(calls.iter().map(|id| {
        let arguments = json!({});
        let name = (*id).to_string();
        let call = ToolCall { id: name.clone(), name, arguments, thought_signature: None };
        Part::Known(crate::llm::model::KnownPart::ToolCall(call))
    }));
    message.stop_reason = stop;
    message
}

fn describe(effect: &Effect) -> String {
    match effect {
        Effect::Emit(event) => match event {
            AgentEvent::ToolStart { call_id, .. } => format!("start {call_id}"),
            AgentEvent::ToolEnd { call_id, .. } => format!("end {call_id}"),
            AgentEvent::TurnEnd { results, .. } => format!("turn end {}", results.len()),
            AgentEvent::QueueUpdate { steering, follow_up } => format!("queue {steering:?} {follow_up:?}"),
            AgentEvent::RetryStart { attempt, delay, .. } => format!("retry {attempt} in {delay:?}"),
            AgentEvent::RetryEnd { cancelled: true, .. } => "retry end cancelled".into(),
            AgentEvent::RetryEnd { success, .. } => format!("retry end {success}"),
            AgentEvent::AgentEnd { aborted: true, .. } => "agent end aborted".into(),
            AgentEvent::AgentEnd { error: Some(error), .. } => format!("agent end: {error}"),
            AgentEvent::AgentEnd { .. } => "agent end".into(),
            AgentEvent::SteeringInjected(text) => format!("steering {text:?}"),
            AgentEvent::LimitReached(text) => format!("limit: {}", &text[..24]),
            other => format!("{other:?}").to_lowercase(),
        },
        Effect::Record(Message::User(m)) => {
            format!("user {:?}", join_text(&m.content).chars().take(12).collect::<String>())
        }
        Effect::Record(Message::Assistant(m)) => {
            let replaced = if m.is_replaced() { ", replaced" } else { "" };
            format!("answer {:?}{replaced}", m.stop_reason).to_lowercase()
        }
        Effect::Record(Message::ToolResult(r)) => {
            let mark = if r.is_error { "!" } else { "" };
            format!("result{mark} {}", r.tool_call_id)
        }
        // A repetition, and what follows a look, are not looked at again.
        Effect::CallModel { .. } => "call model".into(),
        Effect::CheckWindow => "look".into(),
        Effect::ExcludeLastAnswer => "omit".into(),
        Effect::Compact { instructions, will_retry, .. } => format!("compact {instructions:?} {will_retry}"),
        Effect::SummarizeBranch { instructions } => format!("sum branch {instructions:?}"),
        Effect::RunTool { call, .. } => format!("run {}", call.id),
        Effect::Cancel => "cancel".into(),
        Effect::StartTimer(timer, _) => format!("wait {timer:?}").to_lowercase(),
        Effect::Close => "close".into(),
        Effect::ReturnQueue(messages) => {
            let texts: Vec<String> = messages.iter().map(|m| join_text(&m.content)).collect();
            format!("return {texts:?}")
        }
    }
}

#[test]
fn step_prompt_gets_answer() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("hi").check(&["agentstart", "turnstart", "user \"hi\"", "call model"]);
    rig.answer(&[]).check(&["answer stop", "turn end 0", "agent end"]);
    assert!(!rig.state.is_working());
}

#[test]
fn step_parallel_tools_are_recorded_in_order() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").log.clear();
    rig.answer(&["a", "b"]).check(&["answer stop", "start a", "run a", "start b", "run b"]);
    rig.tool(1, "b").check(&["end b"]);
    rig.tool(1, "b").check(&[]);
    rig.tool(0, "a").check(&["end a", "result a", "result b", "turn end 2", "turnstart", "call model"]);
}

#[test]
fn step_sequential_tool_makes_batch_sequential() {
    let config = Config { sequential_tools: ["b".to_string()].into(), ..Config::default() };
    let mut rig = Rig::new(config);
    rig.prompt("go").log.clear();
    rig.answer(&["a", "b"]).check(&["answer stop", "start a", "run a"]);
    rig.tool(0, "a").check(&["end a", "start b", "run b"]);
    rig.tool(1, "b");
    assert!(rig.log.contains(&"turn end 2".to_string()));
}

#[test]
fn step_steering_follows_tools_and_follow_up_ends() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").answer(&["a"]).log.clear();
    rig.later("then").prompt("one").prompt("two");
    rig.check(&["queue [] [\"then\"]", "queue [\"one\"] [\"then\"]", "queue [\"one\", \"two\"] [\"then\"]"]);
    rig.tool(0, "a").check(&[
        "end a",
        "result a",
        "turn end 1",
        "queue [\"two\"] [\"then\"]",
        "steering \"one\"",
        "turnstart",
        "user \"one\"",
        "call model",
    ]);
    rig.answer(&[]);
    rig.check(&[
        "answer stop",
        "turn end 0",
        "queue [] [\"then\"]",
        "steering \"two\"",
        "turnstart",
        "user \"two\"",
        "call model",
    ]);
    rig.answer(&[]).answer(&[]);
    rig.check(&[
        "answer stop",
        "turn end 0",
        "queue [] []",
        "turnstart",
        "user \"then\"",
        "call model",
        "answer stop",
        "turn end 0",
        "agent end",
    ]);
}

#[test]
fn step_queue_mode_all_sends_all_messages() {
    let mut rig = Rig::new(Config { steering: QueueMode::All, ..Config::default() });
    rig.prompt("go").answer(&["a"]).prompt("one").prompt("two").log.clear();
    rig.tool(0, "a");
    let told = ["queue [] []", "steering \"one\"", "steering \"two\""];
    assert_eq!(rig.log[3..6], told);
    assert_eq!(rig.log[6..], ["turnstart", "user \"one\"", "user \"two\"", "call model"]);
}

#[test]
fn step_queued_message_is_taken_or_moved_only_while_it_is_there() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").prompt("one").prompt("two").log.clear();
    let at = |lane, index, text: &str| QueuePosition { lane, index, text: text.to_string() };
    let move_to = |from, lane, index| Event::MoveQueued { from, lane, index };
    rig.send(move_to(at(Lane::Steering, 1, "two"), Lane::Steering, 0));
    rig.check(&["queue [\"two\", \"one\"] []"]);
    rig.send(move_to(at(Lane::Steering, 0, "two"), Lane::FollowUp, 9));
    rig.check(&["queue [\"one\"] [\"two\"]"]);
    rig.send(move_to(at(Lane::Steering, 0, "two"), Lane::FollowUp, 0)).check(&[]);
    rig.send(Event::TakeQueued(at(Lane::Steering, 0, "two"))).check(&["return []"]);
    rig.send(Event::TakeQueued(at(Lane::FollowUp, 0, "two")));
    rig.check(&["queue [\"one\"] []", "return [\"two\"]"]);
}

#[test]
fn step_abort_keeps_history_valid_and_queue() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").prompt("waiting").log.clear();
    rig.send(Event::Abort).send(Event::Abort).check(&["cancel"]);
    rig.answer_with(&["a"], StopReason::Aborted);
    rig.check(&["answer aborted", "result! a", "turn end 1", "agent end aborted"]);
    rig.send(Event::TakeQueue).check(&["queue [] []", "return [\"waiting\"]"]);
    rig.send(Event::Abort).check(&[]);
}

#[test]
fn step_abort_waits_for_running_tools() {
    let config = Config { sequential_tools: ["c".to_string()].into(), ..Config::default() };
    let mut rig = Rig::new(config);
    rig.prompt("go").answer(&["a", "c"]).log.clear();
    rig.send(Event::Abort).check(&["cancel", "wait grace"]);
    rig.tool(0, "a").check(&["end a", "result a", "result! c", "turn end 2", "agent end aborted"]);
    rig.send(Event::TimerExpired(Timer::Grace)).tool(0, "a").check(&[]);
}

#[test]
fn step_abort_drops_silent_tools_after_grace() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").answer(&["a", "b"]).tool(0, "a").log.clear();
    rig.send(Event::Abort).send(Event::TimerExpired(Timer::Grace));
    rig.check(&["cancel", "wait grace", "end b", "result a", "result! b", "turn end 2", "agent end aborted"]);
}

#[test]
fn step_abort_reports_partial_tool_output() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").answer(&["a", "b", "c"]).tool(0, "a").send(Event::Abort);
    let shown = [("a", "ended"), ("b", "half of it\n"), ("c", " ")];
    let shown = shown.map(|(id, text)| (id.to_string(), text.to_string())).into();
    rig.send(Event::LiveOutput(shown)).log.clear();
    let effects = rig.state.step(Event::TimerExpired(Timer::Grace));
    let results = effects.iter().filter_map(|effect| match effect {
        Effect::Record(Message::ToolResult(result)) if result.is_error => Some(join_text(&result.content)),
        _ => None,
    });
    let words = "The user interrupted this call while it ran; what it had done by then stays done.";
    let told = format!("{words} What it had shown by then:\n\nhalf of it");
    assert_eq!(results.collect::<Vec<_>>(), [told.as_str(), words]);
}

#[test]
fn step_retry_replaces_broken_answer_without_calls() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").send(Event::AnswerStarted).log.clear();
    let broken = |message| {
        let error = Some(LlmError::new(ErrorKind::Stream, "p", "broken"));
        Event::Answered { message, error, fit: Fit::Fits, chance: 0.5 }
    };
    // A call whose arguments came whole is not run either: the answer that asks for it did not.
    rig.send(broken(message(&["a"], StopReason::Error)));
    rig.check(&["answer error, replaced", "retry 1 in 1s", "wait retry"]);
    rig.send(Event::TimerExpired(Timer::Retry)).check(&["call model"]);
    rig.send(Event::AnswerStarted).answer(&[]).check(&[
        "retry end true",
        "answer stop",
        "turn end 0",
        "agent end",
    ]);
    // Nothing of an answer came but its announcement: it has an end, too.
    rig.prompt("go").send(Event::AnswerStarted).log.clear();
    rig.fail(ErrorKind::Network, false).check(&["answer error, replaced", "retry 1 in 1s", "wait retry"]);
    rig.send(Event::Abort).check(&["retry end cancelled", "agent end aborted"]);
    rig.prompt("go").send(Event::AnswerStarted).log.clear();
    rig.fail(ErrorKind::InvalidRequest, true).check(&["answer error", "turn end 0", "agent end: broken"]);
}

#[test]
fn step_retry_only_transient_failures() {
    let mut rig = Rig::new(Config { retry: Policy { retries: 2, ..Policy::default() }, ..Config::default() });
    rig.prompt("go").log.clear();
    rig.fail(ErrorKind::Server, false).check(&["retry 1 in 1s", "wait retry"]);
    rig.send(Event::TimerExpired(Timer::Retry)).check(&["call model"]);
    rig.fail(ErrorKind::Server, false).check(&["retry 2 in 2s", "wait retry"]);
    rig.send(Event::TimerExpired(Timer::Retry)).fail(ErrorKind::Server, false);
    rig.check(&["call model", "retry end false", "answer error", "turn end 0", "agent end: broken"]);
    rig.prompt("again").log.clear();
    rig.fail(ErrorKind::Authentication, false).check(&["answer error", "turn end 0", "agent end: broken"]);
}

#[test]
fn step_retry_ends_on_answer_or_abort() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").fail(ErrorKind::Network, false).send(Event::TimerExpired(Timer::Retry)).log.clear();
    rig.send(Event::AnswerStarted).send(Event::AnswerStarted).check(&["retry end true"]);
    rig.prompt("x").send(Event::TakeQueue).answer(&[]).log.clear();
    rig.prompt("go").fail(ErrorKind::Network, false).log.clear();
    rig.send(Event::Abort).check(&["retry end cancelled", "agent end aborted"]);
    rig.send(Event::TimerExpired(Timer::Retry)).check(&[]);
}

#[test]
fn step_truncated_answer_runs_no_calls() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").log.clear();
    rig.answer_with(&["a", "b"], StopReason::Length);
    rig.check(&["answer length", "result! a", "result! b", "turn end 2", "turnstart", "call model"]);
    rig.answer_with(&[], StopReason::Length).check(&["answer length", "turn end 0", "agent end"]);
}

#[test]
fn step_tool_rounds_are_limited_per_input() {
    let mut rig = Rig::new(Config { tool_rounds_max: 2, ..Config::default() });
    rig.prompt("go").later("more").log.clear();
    rig.answer(&["a"]).tool(0, "a").answer(&["b"]).log.clear();
    rig.tool(0, "b").check(&[
        "end b",
        "result b",
        "turn end 1",
        "limit: stopped after 2 rounds o",
        "queue [] []",
        "turnstart",
        "user \"more\"",
        "call model",
    ]);
    rig.answer(&["c"]).tool(0, "c").answer(&["d"]).tool(0, "d");
    assert_eq!(rig.log.last().unwrap(), "agent end");
}

#[test]
fn step_loop_detected_is_reported_once() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go");
    for _ in 0..12 {
        rig.answer(&["same"]).tool(0, "same");
    }
    let told = rig.log.iter().filter(|line| *line == "loopdetected").count();
    assert_eq!(told, 1);
    let at = rig.log.iter().position(|line| line == "loopdetected").unwrap();
    assert_eq!(rig.log[at..at + 4], ["loopdetected", "turnstart", "user \"Loop detecte\"", "call model"]);
}

#[test]
fn step_session_turn_limit_stops() {
    let mut rig = Rig::new(Config { turns_max: 2, ..Config::default() });
    rig.prompt("go").later("then").answer(&["a"]).tool(0, "a").log.clear();
    rig.answer(&["b"]).log.clear();
    rig.tool(0, "b").check(&[
        "end b",
        "result b",
        "turn end 1",
        "limit: stopped: this session ha",
        "agent end",
    ]);
    rig.prompt("more").check(&[
        "agentstart",
        "user \"more\"",
        "limit: stopped: this session ha",
        "agent end",
    ]);
    let mut resumed = Rig { state: State::new(Config { turns_max: 2, ..Config::default() }, 2), log: vec![] };
    resumed.state.config().compaction.after_runs = false;
    resumed.prompt("go");
    assert_eq!(resumed.log.last().unwrap(), "agent end");
}

#[test]
fn step_run_ends_when_every_call_terminates() {
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").later("then").answer(&["!a", "!b"]).tool(0, "!a").log.clear();
    rig.tool(1, "!b");
    rig.check(&[
        "end !b",
        "result !a",
        "result !b",
        "turn end 2",
        "queue [] []",
        "turnstart",
        "user \"then\"",
        "call model",
    ]);
    rig.answer(&["!a", "b"]).tool(0, "!a").tool(1, "b");
    assert_eq!(rig.log.last().unwrap(), "call model");
    rig.answer(&["!c"]).tool(0, "!c");
    assert_eq!(rig.log.last().unwrap(), "agent end");
}

#[test]
fn step_continue_runs_without_new_message() {
    let mut rig = Rig::new(Config::default());
    rig.send(Event::Continue).check(&["agentstart", "turnstart", "call model"]);
    rig.send(Event::Continue).check(&[]);
    rig.answer(&[]).check(&["answer stop", "turn end 0", "agent end"]);
}

#[test]
fn step_lifecycle_awaits_input_for_question() {
    let mut rig = Rig::new(Config { question_tools: ["ask".to_string()].into(), ..Config::default() });
    assert_eq!(rig.state.lifecycle(), Lifecycle::Idle);
    rig.prompt("go");
    assert_eq!(rig.state.lifecycle(), Lifecycle::Processing);
    rig.answer(&["ask", "x"]);
    assert_eq!(rig.state.lifecycle(), Lifecycle::Processing);
    rig.tool(1, "x");
    assert_eq!(rig.state.lifecycle(), Lifecycle::AwaitingInput);
    rig.tool(0, "ask");
    assert_eq!(rig.state.lifecycle(), Lifecycle::Processing);
    let mut question = message(&[], StopReason::Stop);
    question.content = vec![Part::text("Shall I?\n")];
    rig.send(Event::Answered { message: question, error: None, fit: Fit::Fits, chance: 0.5 });
    assert_eq!(rig.state.lifecycle(), Lifecycle::AwaitingInput);
    rig.prompt("yes");
    assert_eq!(rig.state.lifecycle(), Lifecycle::Processing);
    rig.answer(&[]);
    assert_eq!(rig.state.lifecycle(), Lifecycle::Idle);
}

#[test]
fn step_permanent_failure_closes_if_configured() {
    for (kind, closes) in [(ErrorKind::Authentication, true), (ErrorKind::Server, false)] {
        let config = Config {
            close_on_failure: true,
            retry: Policy { retries: 0, ..Policy::default() },
            ..Config::default()
        };
        let mut rig = Rig::new(config);
        rig.prompt("go").fail(kind, false);
        assert_eq!(rig.log.last().unwrap() == "close", closes, "{kind:?}");
        assert_eq!(rig.state.lifecycle() == Lifecycle::Closed, closes);
        rig.log.clear();
        if closes {
            rig.prompt("again").send(Event::Continue).check(&["return [\"again\"]"]);
        }
    }
    let config = Config { close_on_failure: true, ..Config::default() };
    let mut rig = Rig::new(config);
    rig.prompt("go").prompt("and").later("then").log.clear();
    rig.fail(ErrorKind::Authentication, false).check(&[
        "answer error",
        "turn end 0",
        "agent end: broken",
        "queue [] []",
        "return [\"and\", \"then\"]",
        "close",
    ]);
    let mut rig = Rig::new(Config::default());
    rig.prompt("go").fail(ErrorKind::Authentication, false);
    assert_eq!(rig.state.lifecycle(), Lifecycle::Idle);
}

#[test]
fn step_sequential_config_runs_calls_one_by_one() {
    let mut rig = Rig::new(Config { parallel: false, ..Config::default() });
    rig.prompt("go").log.clear();
    rig.answer(&["a", "b"]).check(&["answer stop", "start a", "run a"]);
}
