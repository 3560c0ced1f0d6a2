//! The machine and conversations that are too long.

use super::*;
use crate::agent::compaction::summary::SummaryError;
use crate::agent::event::{Compacted, CompactionReason};

type Result = std::result::Result<Arc<Compacted>, SummaryError>;

const FAILED: fn() -> Result = || Err(SummaryError::Failed("no luck".into()));
const DONE: fn() -> Result = || {
    Ok(Arc::new(Compacted {
        entry: "e".into(),
        summary: "s".into(),
        first_kept: "f".into(),
        tokens_before: 2,
        tokens_after: 1,
        usage: None,
        details: None,
        from_hook: false,
    }))
};

impl Rig {
    fn full(&mut self) -> &mut Self {
        self.send(Event::WindowFull(CompactionReason::Threshold))
    }

    fn compacted(&mut self, result: Result) -> &mut Self {
        self.send(Event::Compacted(result))
    }

    fn wish(&mut self, about: &str) -> &mut Self {
        self.send(Event::Compact { instructions: Some(about.into()) })
    }

    /// An answer that shows that the conversation does not fit.
    fn unfit(&mut self, fit: Fit, calls: &[&str]) -> &mut Self {
        let (stop, error) = match fit {
            Fit::TooLong => {
                (StopReason::Error, Some(LlmError::new(ErrorKind::ContextLength, "p", "too long")))
            }
            _ => (StopReason::Length, None),
        };
        self.send(Event::Answered { message: message(calls, stop), error, fit, chance: 0.5 })
    }

    /// What was told of compactions, and what else was done, without the figures.
    fn told(&mut self) -> Vec<String> {
        let short = |line: String| match line.strip_prefix("compaction") {
            Some(rest) if rest.starts_with("start") => "start".to_string(),
            Some(rest) => {
                let flag = |name: &str| rest.contains(&format!("{name}: true"));
                let mut out = "end".to_string();
                out.push_str(if rest.contains("result: some") { " done" } else { "" });
                out.push_str(if flag("aborted") { " aborted" } else { "" });
                out.push_str(if flag("will_retry") { " retry" } else { "" });
                if let Some((_, error)) = rest.split_once("error: some(\"") {
                    out.push_str(&format!(" {}", &error[..error.len().min(20)]));
                }
                out
            }
            None => line,
        };
        std::mem::take(&mut self.log).into_iter().map(short).collect()
    }
}

fn rig() -> Rig {
    let mut rig = Rig::new(Config::default());
    rig.state.config().compaction.after_runs = true;
    rig
}

#[test]
fn step_compaction_runs_before_request_when_full() {
    let mut rig = rig();
    rig.prompt("do").log.clear();
    rig.full();
    assert_eq!(rig.told(), ["start", "compact None false"]);
    rig.compacted(DONE());
    assert_eq!(rig.told(), ["end done", "call model"]);
    rig.answer(&["a"]).tool(0, "x").log.clear();
    rig.full();
    assert_eq!(rig.told(), ["start", "compact None false"], "between tools and the next request, too");
    rig.compacted(FAILED());
    assert_eq!(rig.told(), ["end the conversation was", "call model"], "the request is sent anyway");
    let looks = |rig: &mut Rig| {
        let effects = rig.state.step(Event::ToolEnded {
            index: 0,
            ended: FinishedCall {
                result: error_result(&call("b"), "x"),
                full_text: None,
                took: Duration::ZERO,
                terminate: false,
            },
        });
        !effects.contains(&Effect::CallModel { looked: true })
    };
    rig.answer(&["b"]);
    assert!(!looks(&mut rig), "what failed is not tried with every request");
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "t".into(), arguments: json!({}), thought_signature: None }
}

#[test]
fn step_compaction_after_run_sends_only_queued() {
    let mut rig = rig();
    rig.prompt("do").answer(&[]);
    assert_eq!(rig.log.last().map(String::as_str), Some("look"));
    rig.log.clear();
    rig.full();
    assert_eq!(rig.told(), ["start", "compact None false"]);
    assert_eq!(rig.state.lifecycle(), Lifecycle::Processing);
    rig.later("then").prompt("first").log.clear();
    rig.compacted(DONE());
    assert_eq!(
        rig.told(),
        ["end done", "queue [] [\"then\"]", "agentstart", "turnstart", "user \"first\"", "call model"],
        "what was said meanwhile comes now, each with its lane"
    );
}

#[test]
fn step_compaction_of_overflow_happens_once() {
    let mut rig = rig();
    rig.prompt("do").log.clear();
    rig.unfit(Fit::TooLong, &[]);
    assert_eq!(rig.told(), ["answer error", "turn end 0", "omit", "start", "compact None true"]);
    rig.compacted(DONE());
    assert_eq!(rig.told(), ["end done retry", "turnstart", "call model"]);
    rig.unfit(Fit::TooLong, &[]);
    let told = rig.told();
    assert_eq!(told[..2], ["answer error", "turn end 0"]);
    assert!(told[2].starts_with("agent end: too long; it was compacted once and still"), "{told:?}");
    // An answer that came whole begins anew.
    rig.prompt("again").unfit(Fit::TooLong, &[]).compacted(DONE()).answer(&["a"]).tool(0, "x").log.clear();
    rig.unfit(Fit::TooLong, &[]);
    assert_eq!(rig.told()[3..], ["start", "compact None true"]);
}

#[test]
fn step_compaction_drops_truncated_answer() {
    let mut rig = rig();
    rig.prompt("do").log.clear();
    rig.unfit(Fit::CutOff, &["a"]);
    assert_eq!(
        rig.told(),
        ["answer length", "result! a", "turn end 1", "omit", "start", "compact None true"]
    );
    rig.compacted(DONE()).log.clear();
    rig.unfit(Fit::CutOff, &[]);
    assert!(rig.told().last().unwrap().starts_with("agent end: the answer was cut off again"));
}

#[test]
fn step_compaction_failure_ends_run() {
    for (result, words) in [
        (FAILED(), "agent end: too long; the conversation was not compacted: no luck"),
        (
            Err(SummaryError::Nothing),
            "agent end: too long; the conversation does not fit, and there is nothing",
        ),
        (Err(SummaryError::Cancelled), "agent end: too long"),
    ] {
        let mut rig = rig();
        rig.prompt("do").unfit(Fit::TooLong, &[]).compacted(result);
        assert!(rig.log.last().unwrap().starts_with(words), "{:?}", rig.log.last());
    }
    let mut off = rig();
    off.state.config().compaction.enabled = false;
    off.prompt("do").unfit(Fit::TooLong, &[]);
    assert_eq!(off.log.last().map(String::as_str), Some("agent end: too long"));
}

#[test]
fn step_compaction_abort_keeps_queue() {
    let mut rig = rig();
    rig.prompt("do").full().log.clear();
    rig.later("later").send(Event::Abort).compacted(Err(SummaryError::Aborted));
    assert_eq!(
        rig.told(),
        ["queue [] [\"later\"]", "cancel", "end aborted", "agent end aborted"],
        "what waits stays in the queue"
    );
    rig.wish("x").log.clear();
    rig.send(Event::Abort).send(Event::Abort).compacted(Err(SummaryError::Aborted));
    assert_eq!(rig.told(), ["cancel", "end aborted"]);
    assert!(!rig.state.is_working());
}

#[test]
fn step_compaction_by_user_runs_once_before_request() {
    let mut rig = rig();
    rig.wish("tests").wish("more");
    assert_eq!(rig.told(), ["start", "compact Some(\"tests\") false"]);
    rig.compacted(Err(SummaryError::Nothing));
    assert_eq!(rig.told(), ["end nothing to compact: "]);
    rig.prompt("do").answer(&["a"]).wish("now").log.clear();
    rig.tool(0, "x");
    assert_eq!(
        rig.told()[3..],
        ["turnstart", "start", "compact Some(\"now\") false"],
        "before the next request"
    );
    rig.compacted(DONE());
    assert_eq!(rig.told(), ["end done", "call model"]);
    rig.wish("last").log.clear();
    rig.answer(&[]);
    assert_eq!(
        rig.told()[2..],
        ["agent end", "start", "compact Some(\"last\") false"],
        "or when there is none"
    );
}

#[test]
fn step_branch_summary_blocks_run_and_queues_prompt() {
    let mut rig = rig();
    rig.send(Event::LeaveBranch { instructions: None }).prompt("there").log.clear();
    rig.send(Event::BranchSummarized(Ok(0.5)));
    assert_eq!(rig.told()[1..], ["queue [] []", "agentstart", "turnstart", "user \"there\"", "call model"]);
    rig.send(Event::LeaveBranch { instructions: None });
    assert!(rig.log.last().unwrap().contains("aborted: true"), "not while it works");
}

#[test]
fn step_compaction_by_user_does_not_start_queue() {
    let queued = |text: &str| Event::Queue { message: UserMessage::text(text, 0), lane: Lane::FollowUp };
    let mut rig = rig();
    rig.send(queued("left")).wish("now").send(queued("more")).log.clear();
    assert!(rig.state.is_compacting_manually());
    rig.compacted(DONE());
    assert_eq!((rig.told(), rig.state.is_working()), (vec!["end done".to_string()], false));
    rig.send(Event::LeaveBranch { instructions: None }).log.clear();
    rig.send(Event::BranchSummarized(Ok(0.5)));
    assert!(!rig.state.is_working(), "nor when it wanted another branch");
    rig.wish("again").prompt("go").log.clear();
    rig.compacted(DONE());
    assert_eq!(rig.told()[2..4], ["agentstart", "turnstart"], "what was said does");
    let mut rig = self::rig();
    rig.prompt("do").answer(&[]).full().send(queued("left")).log.clear();
    assert!(!rig.state.is_compacting_manually());
    rig.compacted(DONE());
    assert_eq!(
        rig.told()[1..],
        ["queue [] []", "agentstart", "turnstart", "user \"left\"", "call model"],
        "the run that was over made the room for what waits"
    );
}
