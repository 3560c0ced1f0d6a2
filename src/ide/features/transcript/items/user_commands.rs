//! Shell commands of the user among the items of a conversation.
//!
//! Must not know who runs them.

use std::time::Duration;

use serde_json::Value;

use crate::ide::features::transcript::items::{Call, CallStatus, ItemKind, Transcript};
use crate::runtime::controls::user_command::CommandResult;
use crate::tools::contract::view::{CallKind, CallView, ResultView};

/// Maximum bytes of live output kept; the result has the end of all of it.
const LIVE_MAX: usize = 64 << 10;

/// Role of a message that records a command, as in pi.
pub(super) const ROLE: &str = "bashExecution";

/// Signs in the place of a tool's name.
fn sign(is_private: bool) -> String {
    if is_private { "!! (private)" } else { "!" }.to_string()
}

fn id(number: u64) -> String {
    format!("user-command/{number}")
}

fn call(call_id: String, command: &str, is_private: bool) -> Call {
    let first = command.lines().next().unwrap_or_default().to_string();
    let body = (first.len() < command.len()).then(|| command.to_string());
    let view = CallView { kind: CallKind::Command, title: first, body };
    Call::new(call_id, sign(is_private), view, CallStatus::Running)
}

impl Transcript {
    /// Adds a command that begins.
    pub fn begin_user_command(&mut self, number: u64, command: &str, is_private: bool) {
        self.add(ItemKind::Tool(Box::new(call(id(number), command, is_private))));
        self.running.push(self.next_id);
    }

    /// Adds to a command's output.
    pub fn add_user_command_output(&mut self, number: u64, text: &str) {
        self.change_user_command(number, |call| {
            call.live_output.push_str(text);
            let excess = call.live_output.len().saturating_sub(LIVE_MAX);
            if excess > LIVE_MAX {
                let from = call.live_output.ceil_char_boundary(excess);
                call.live_output.drain(..from);
            }
        });
    }

    /// Ends a command: with its result, or with why it could not run.
    pub fn end_user_command(&mut self, number: u64, ran: Result<CommandResult, String>, now: Duration) {
        self.change_user_command(number, |call| match ran {
            Ok(ran) => {
                end(call, ran.output, ran.full_output.as_deref(), (ran.exit_code, ran.cancelled));
                call.status = match call.status {
                    CallStatus::Done(_) => CallStatus::Done(Some(call.timer.elapsed(now))),
                    _ => CallStatus::Failed(Some(call.timer.elapsed(now))),
                };
            }
            Err(error) => {
                call.status = CallStatus::Failed(None);
                call.result = Some(ResultView::Text(error));
            }
        });
    }

    /// Adds a command that is in the session.
    pub(super) fn add_user_command(&mut self, message: &Value) {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        let flag = |name: &str| message.get(name).and_then(Value::as_bool).unwrap_or(false);
        let code = message.get("exitCode").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
        let mut call = call(String::new(), text("command"), flag("excludeFromContext"));
        let full = message.get("fullOutputPath").and_then(Value::as_str);
        end(&mut call, text("output").to_string(), full, (code, flag("cancelled")));
        self.add(ItemKind::Tool(Box::new(call)));
    }

    fn change_user_command(&mut self, number: u64, change: impl FnOnce(&mut Call)) {
        let wanted = id(number);
        for item in self.items.iter_mut().rev() {
            if let ItemKind::Tool(call) = &mut item.kind
                && call.call_id == wanted
            {
                change(call);
                item.version += 1;
                return;
            }
        }
    }
}

/// Ends a call with its output, the file of all of it if it is cut, exit code, and whether it was cancelled.
fn end(call: &mut Call, output: String, full: Option<&str>, (code, is_cancelled): (Option<i32>, bool)) {
    let is_done = code == Some(0) && !is_cancelled;
    call.status = if is_done { CallStatus::Done(None) } else { CallStatus::Failed(None) };
    call.exit_code = code.map(i64::from);
    let note = is_cancelled.then(|| "Stopped".to_string());
    let full = full.map(|path| format!("Full output: {path}"));
    let lines = [Some(output).filter(|text| !text.is_empty()), full, note];
    call.result = Some(ResultView::Output(lines.into_iter().flatten().collect::<Vec<_>>().join("\n")));
    call.live_output.clear();
}
