//! The machine against a world that does what it wants in any order, and things that it did not want:
//! no message is lost, no invalid history is sent, every run ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use crate::agent::compaction::Settings;
use crate::agent::compaction::summary::SummaryError;
use crate::agent::config::{Config, Lifecycle};
use crate::agent::effect::{Effect, Event, FinishedCall, Fit, Timer};
use crate::agent::event::{AgentEvent, Compacted, CompactionReason};
use crate::agent::queue::{Lane, QueueMode, QueuePosition};
use crate::agent::step::State;
use crate::agent::step::batch::error_result;
use crate::base::json::json;
use crate::llm::model::message::join_text;
use crate::llm::model::{
    AssistantMessage, ErrorKind, KnownPart, LlmError, Message, Model, Part, StopReason, ToolCall,
    ToolResultMessage, UserMessage,
};
use crate::llm::retry::Policy;
use crate::llm::stream::accumulate::Accumulator;

/// Something that happens. What does not fit the moment is left out, but for the last three.
#[derive(Debug, Clone)]
enum Act {
    Prompt {
        lane: Lane,
        picture: bool,
    },
    Continue,
    Abort,
    Take,
    TakeOne {
        lane: Lane,
        index: usize,
        is_gone: bool,
    },
    MoveOne {
        from: Lane,
        lane: Lane,
        index: usize,
    },
    Began,
    Answer {
        calls: Vec<usize>,
        stop: StopReason,
        asks: bool,
    },
    Fail {
        kind: ErrorKind,
        content: bool,
    },
    Tool {
        which: usize,
        terminate: bool,
    },
    Due,
    /// The window is nearly full from now on, or is not.
    Fill(bool),
    Compact,
    Leave,
    /// A summary comes to its end.
    Summed(Result<(), SummaryError>),
    JunkTool(usize),
    JunkAnswer,
    JunkDue(Timer),
}

fn lane() -> impl Strategy<Value = Lane> {
    prop_oneof![Just(Lane::Steering), Just(Lane::FollowUp)]
}

fn act() -> impl Strategy<Value = Act> {
    let stop = prop_oneof![6 => Just(StopReason::ToolUse), 2 => Just(StopReason::Stop), 1 => Just(StopReason::Length)];
    let kind = prop_oneof![
        Just(ErrorKind::Server),
        Just(ErrorKind::Authentication),
        Just(ErrorKind::Stream),
        Just(ErrorKind::ContextLength)
    ];
    let unwritten = prop_oneof![
        Just(SummaryError::Cancelled),
        Just(SummaryError::Nothing),
        Just(SummaryError::Failed("broken".to_string()))
    ];
    let summed = prop_oneof![2 => Just(Ok(())), 1 => unwritten.prop_map(Err)];
    prop_oneof![
        3 => (lane(), any::<bool>())
            .prop_map(|(lane, picture)| Act::Prompt { lane, picture }),
        1 => Just(Act::Continue),
        1 => Just(Act::Abort),
        1 => Just(Act::Take),
        1 => (lane(), 0usize..3, prop::bool::weighted(0.2))
            .prop_map(|(lane, index, is_gone)| Act::TakeOne { lane, index, is_gone }),
        1 => (lane(), lane(), 0usize..3).prop_map(|(from, lane, index)| Act::MoveOne { from, lane, index }),
        2 => Just(Act::Began),
        6 => (prop::collection::vec(0usize..3, 0..4), stop, any::<bool>())
            .prop_map(|(calls, stop, asks)| Act::Answer { calls, stop, asks }),
        1 => (kind, any::<bool>()).prop_map(|(kind, content)| Act::Fail { kind, content }),
        8 => (any::<usize>(), prop::bool::weighted(0.2)).prop_map(|(which, terminate)| Act::Tool { which, terminate }),
        2 => Just(Act::Due),
        1 => any::<bool>().prop_map(Act::Fill),
        1 => Just(Act::Compact),
        1 => Just(Act::Leave),
        3 => summed.prop_map(Act::Summed),
        1 => (0usize..6).prop_map(Act::JunkTool),
        1 => Just(Act::JunkAnswer),
        1 => prop_oneof![Just(Timer::Retry), Just(Timer::Grace)].prop_map(Act::JunkDue),
    ]
}

fn config() -> impl Strategy<Value = Config> {
    let mode = || prop_oneof![Just(QueueMode::One), Just(QueueMode::All)];
    (1u32..6, 0u32..12, mode(), mode(), any::<(bool, bool, bool, bool, bool)>()).prop_map(
        |(rounds, turns, steering, follow_up, (parallel, close, looks, enabled, after_runs))| Config {
            tool_rounds_max: rounds,
            turns_max: turns,
            loop_window: looks.then_some(4),
            parallel,
            steering,
            follow_up,
            sequential_tools: BTreeSet::from(["t1".to_string()]),
            question_tools: BTreeSet::from(["t2".to_string()]),
            close_on_failure: close,
            retry: Policy::default(),
            auto_retry: true,
            compaction: Settings { enabled, after_runs, ..Settings::default() },
        },
    )
}

/// Everything around the machine.
struct World {
    state: State,
    history: Vec<Message>,
    running: BTreeMap<usize, ToolCall>,
    calling: bool,
    /// Whether the window is nearly full.
    full: bool,
    /// Whether a summary is being written, and of a branch.
    summing: Option<bool>,
    /// What the machine is answered when it has said all that it wants.
    at_once: Vec<Event>,
    timer: Option<Timer>,
    cancelled: bool,
    said: Vec<String>,
    returned: Vec<String>,
    closed: bool,
    starts: usize,
    ends: usize,
    count: usize,
}

impl World {
    fn new(config: Config) -> Self {
        Self {
            state: State::new(config, 0),
            history: Vec::new(),
            running: BTreeMap::new(),
            calling: false,
            full: false,
            summing: None,
            at_once: Vec::new(),
            timer: None,
            cancelled: false,
            said: Vec::new(),
            returned: Vec::new(),
            closed: false,
            starts: 0,
            ends: 0,
            count: 0,
        }
    }

    /// Returns a message of a queue as a front end names it, perhaps one that is no longer there.
    fn queued(&self, lane: Lane, index: usize, is_gone: bool) -> QueuePosition {
        let text = self.state.queues().texts(lane).get(index).filter(|_| !is_gone).cloned();
        QueuePosition { lane, index, text: text.unwrap_or_default() }
    }

    fn send(&mut self, event: Event) {
        for effect in self.state.step(event) {
            self.perform(effect);
        }
        for event in std::mem::take(&mut self.at_once) {
            self.send(event);
        }
        if std::mem::take(&mut self.cancelled) {
            // Whoever performs a cancellation ends the answer at once, or the summary.
            if self.calling {
                self.answer(&[], StopReason::Aborted, false);
            }
            self.summed(Err(SummaryError::Aborted));
        }
    }

    /// The summary that is being written comes to its end.
    fn summed(&mut self, result: Result<(), SummaryError>) {
        let done = Compacted {
            entry: "e".into(),
            summary: "s".into(),
            first_kept: "f".into(),
            tokens_before: 2,
            tokens_after: 1,
            usage: None,
            details: None,
            from_hook: false,
        };
        match self.summing.take() {
            Some(false) => self.send(Event::Compacted(result.map(|()| Arc::new(done)))),
            Some(true) => self.send(Event::BranchSummarized(result.map(|()| 0.0))),
            None => {}
        }
    }

    /// The last answer and what was answered to its calls are left out of what a model is sent.
    fn omit(&mut self) {
        while let Some(message) = self.history.pop() {
            if matches!(message, Message::Assistant(_)) {
                break;
            }
            assert!(matches!(message, Message::ToolResult(_)), "somebody's words are left out");
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Emit(AgentEvent::AgentStart) => {
                self.starts += 1;
                assert_eq!(self.starts, self.ends + 1, "one run at a time");
            }
            Effect::Emit(AgentEvent::AgentEnd { .. }) => {
                self.ends += 1;
                assert_eq!(self.starts, self.ends);
                // Nobody listens to tools of a run that is over, nor to its timer.
                self.running.clear();
                self.timer = None;
            }
            Effect::CheckWindow | Effect::CallModel { looked: false } if self.full => {
                self.at_once.push(Event::WindowFull(CompactionReason::Threshold));
            }
            Effect::Emit(_) | Effect::CheckWindow => {}
            Effect::Record(Message::Assistant(answer)) if answer.is_replaced() => {}
            Effect::Record(message) => self.history.push(message),
            Effect::ExcludeLastAnswer => self.omit(),
            Effect::Compact { .. } => self.begin_summing(false),
            Effect::SummarizeBranch { .. } => self.begin_summing(true),
            Effect::CallModel { .. } => {
                assert!(!self.calling && self.running.is_empty(), "one thing at a time");
                assert!(self.summing.is_none(), "nothing is asked while it is summed up");
                self.check();
                self.calling = true;
            }
            Effect::RunTool { index, call } => {
                assert!(!self.calling);
                assert!(self.running.insert(index, call).is_none());
            }
            Effect::Cancel => self.cancelled = true,
            Effect::StartTimer(timer, _) => self.timer = Some(timer),
            Effect::ReturnQueue(messages) => self.returned.extend(messages.iter().filter_map(name_of)),
            Effect::Close => {
                assert_eq!(self.state.lifecycle(), Lifecycle::Closed);
                // Nobody can ask for what waits any more.
                self.closed = true;
            }
        }
    }

    fn begin_summing(&mut self, branch: bool) {
        assert!(!self.calling && self.running.is_empty(), "one thing at a time");
        assert_eq!(self.summing.replace(branch), None, "one summary at a time");
    }

    /// What a model is sent: every call answered once, at once and in order, and something to answer.
    fn check(&self) {
        let mut open: Vec<&str> = Vec::new();
        for message in &self.history {
            match message {
                Message::ToolResult(result) => {
                    assert!(!open.is_empty(), "a result of no call");
                    assert_eq!(open.remove(0), result.tool_call_id);
                }
                Message::User(_) => assert!(open.is_empty(), "{open:?} unanswered"),
                Message::Assistant(answer) => {
                    assert!(open.is_empty(), "{open:?} unanswered");
                    open = answer.tool_calls().map(|call| call.id.as_str()).collect();
                }
            }
        }
        assert!(open.is_empty(), "{open:?} unanswered");
        assert!(self.unanswered());
    }

    fn unanswered(&self) -> bool {
        let tried =
            |message: &&Message| !matches!(message, Message::Assistant(m) if m.error_message.is_some());
        !matches!(self.history.iter().rev().find(tried), None | Some(Message::Assistant(_)))
    }

    fn next(&mut self) -> String {
        self.count += 1;
        format!("n{}", self.count)
    }

    fn message(&mut self, calls: &[usize], stop: StopReason, asks: bool) -> AssistantMessage {
        let mut message = Accumulator::new(&Model::unknown("p", "m", "a", ""), 0).finish();
        message.stop_reason = stop;
        message.content.push(Part::text(if asks { "and?" } else { "so" }));
        for tool in calls {
            let call = ToolCall {
                id: self.next(),
                name: format!("t{tool}"),
                arguments: json!({}),
                thought_signature: None,
            };
            message.content.push(Part::Known(KnownPart::ToolCall(call)));
        }
        message
    }

    fn answer(&mut self, calls: &[usize], stop: StopReason, asks: bool) {
        self.calling = false;
        let mut message = self.message(calls, stop, asks);
        message.error_message = (stop == StopReason::Aborted).then(|| "aborted".to_string());
        self.send(Event::Answered { message, error: None, fit: Fit::Fits, chance: 0.5 });
    }

    fn fail(&mut self, kind: ErrorKind, content: bool) {
        self.calling = false;
        let mut message = self.message(&[], StopReason::Error, false);
        message.error_message = Some("broken".to_string());
        if !content {
            message.content.clear();
        }
        let error = Some(LlmError::new(kind, "p", "broken"));
        let fit = if kind == ErrorKind::ContextLength { Fit::TooLong } else { Fit::Fits };
        self.send(Event::Answered { message, error, fit, chance: 0.5 });
    }

    fn ended(call: &ToolCall, terminate: bool) -> FinishedCall {
        let result = ToolResultMessage { is_error: false, ..error_result(call, "done") };
        FinishedCall { result, full_text: None, took: Duration::ZERO, terminate }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Prompt { lane, picture } => {
                let name = self.next();
                self.said.push(name.clone());
                let mut message = UserMessage::text(name.clone(), 0);
                if picture {
                    let mime_type = "image/png".to_string();
                    message.content = vec![Part::Known(KnownPart::Image { data: name, mime_type })];
                }
                self.send(Event::Prompt { message, lane });
            }
            Act::Continue if self.unanswered() => self.send(Event::Continue),
            Act::Abort => self.send(Event::Abort),
            Act::Take => self.send(Event::TakeQueue),
            Act::TakeOne { lane, index, is_gone } => {
                let at = self.queued(lane, index, is_gone);
                self.send(Event::TakeQueued(at));
            }
            Act::MoveOne { from, lane, index } => {
                let from = self.queued(from, index, false);
                self.send(Event::MoveQueued { from, lane, index });
            }
            Act::Began if self.calling => self.send(Event::AnswerStarted),
            Act::Answer { calls, stop, asks } if self.calling => self.answer(&calls, stop, asks),
            Act::Fail { kind, content } if self.calling => self.fail(kind, content),
            Act::Tool { which, terminate } if !self.running.is_empty() => {
                let index = *self.running.keys().nth(which % self.running.len()).expect("it is not empty");
                let call = self.running.remove(&index).expect("it is there");
                self.send(Event::ToolEnded { index, ended: Self::ended(&call, terminate) });
            }
            Act::Due => {
                if let Some(timer) = self.timer.take() {
                    self.send(Event::TimerExpired(timer));
                }
            }
            Act::Fill(full) => self.full = full,
            Act::Compact => self.send(Event::Compact { instructions: None }),
            Act::Leave => self.send(Event::LeaveBranch { instructions: None }),
            Act::Summed(result) => self.summed(result),
            Act::JunkTool(index) if !self.running.contains_key(&index) => {
                let call = ToolCall {
                    id: "junk".into(),
                    name: "t0".into(),
                    arguments: json!({}),
                    thought_signature: None,
                };
                self.send(Event::ToolEnded { index, ended: Self::ended(&call, true) });
            }
            Act::JunkAnswer if !self.calling => {
                let message = self.message(&[0], StopReason::ToolUse, false);
                self.send(Event::Answered { message, error: None, fit: Fit::Fits, chance: 0.5 });
            }
            Act::JunkDue(timer) if self.timer != Some(timer) => self.send(Event::TimerExpired(timer)),
            _ => {}
        }
    }

    /// Lets everything come to its end.
    fn settle(&mut self) {
        for _ in 0..1000 {
            match () {
                () if self.calling => self.answer(&[], StopReason::Stop, false),
                () if !self.running.is_empty() => self.act(Act::Tool { which: 0, terminate: false }),
                () if self.summing.is_some() => self.summed(Ok(())),
                () if self.timer.is_some() => self.act(Act::Due),
                () => break,
            }
        }
    }
}

/// What a user has said, by its name; it is the text or the picture.
fn name_of(user: &UserMessage) -> Option<String> {
    let name = match user.content.first() {
        Some(Part::Known(KnownPart::Image { data, .. })) => data.clone(),
        _ => join_text(&user.content),
    };
    name.starts_with('n').then_some(name)
}

fn said_in(message: &Message) -> Option<String> {
    match message {
        Message::User(user) => name_of(user),
        _ => None,
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(600))]

    #[test]
    fn step_any_events_lose_no_message_and_end(
        config in config(),
        acts in prop::collection::vec(act(), 0..60),
    ) {
        let mut world = World::new(config);
        for act in acts {
            world.act(act);
            let works = world.starts > world.ends || world.summing.is_some();
            prop_assert_eq!(world.state.is_working(), works);
        }
        world.full = false;
        world.settle();
        prop_assert!(!world.state.is_working(), "it hangs");
        prop_assert_eq!(world.starts, world.ends);
        let returned = world.returned.len();
        world.send(Event::TakeQueue);
        prop_assert!(!world.closed || world.returned.len() == returned, "lost with the session");
        let mut heard: Vec<String> = world.history.iter().filter_map(said_in).collect();
        heard.extend(world.returned.clone());
        heard.sort();
        world.said.sort();
        prop_assert_eq!(heard, world.said, "every word once");
    }
}
