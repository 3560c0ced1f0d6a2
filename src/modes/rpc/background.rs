//! Background commands: other commands are handled before their answer is ready.
//!
//! Must not know the line format, except for lines with a command's output.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::value::RawValue;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::answer::{Answer, Data};
use super::command::Command;
use crate::base::error::Report;
use crate::base::json::json;
use crate::llm::model::message::join_text;
use crate::modes::lines::LineWriter;
use crate::runtime::history::navigation::NavigationTarget;
use crate::runtime::{BranchSummaryChoice, Handle};

/// Capacity for output chunks of a command; chunks that arrive while it is full are dropped.
const CHUNKS_MAX: usize = 64;

/// Whether a command runs in the background.
pub fn is_background(command: &Command) -> bool {
    match command {
        Command::Abort | Command::Compact { .. } | Command::Bash { .. } | Command::ExportHtml { .. } => true,
        Command::NavigateTree { summarize, .. } => *summarize,
        _ => false,
    }
}

/// Context of a background command.
#[derive(Clone)]
pub struct BackgroundCx {
    /// The session.
    pub handle: Handle,
    /// Destination of output.
    pub out: LineWriter,
    /// Cancels running commands.
    pub stop: CancellationToken,
}

/// A chunk of a command's output.
#[derive(Serialize)]
struct OutputDelta<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    delta: String,
}

/// Runs the command and returns its answer.
pub async fn answer(bench: BackgroundCx, id: Option<Box<RawValue>>, command: Command) -> Answer {
    let BackgroundCx { handle, out, stop } = bench;
    match command {
        Command::Abort => {
            handle.abort();
            handle.idle().await;
            Ok(Data::None)
        }
        Command::Compact { custom_instructions } => {
            let done = handle.compact_now(custom_instructions).await?;
            Ok(crate::runtime::events::wire::compacted(&done).into())
        }
        Command::Bash { command, exclude_from_context } => {
            let (sender, mut pieces) = mpsc::channel(CHUNKS_MAX);
            let on_output = move |text: String| {
                if sender.try_send(text).is_err() {
                    tracing::debug!("the client reads a command's output too slowly; a chunk was skipped");
                }
            };
            let telling = async {
                while let Some(delta) = pieces.recv().await {
                    out.send(&OutputDelta { kind: "bash_execution_update", id: id.as_deref(), delta }).await;
                }
            };
            let running = handle.run_command(&command, !exclude_from_context, on_output, &stop);
            let (ran, ()) = tokio::join!(running, telling);
            Ok(ran?.json().into())
        }
        Command::ExportHtml { output_path } => {
            let path = handle.export_page(output_path.map(PathBuf::from)).await?;
            Ok(json!({"path": path.to_string_lossy()}).into())
        }
        Command::NavigateTree { target_id, summarize, custom_instructions } => {
            let summary = match (summarize, custom_instructions) {
                (false, _) => BranchSummaryChoice::None,
                (true, None) => BranchSummaryChoice::Written,
                (true, Some(about)) => BranchSummaryChoice::WithInstructions(about),
            };
            let message = handle.go_with(NavigationTarget::To(target_id), summary).await?;
            let text = message.map(|message| join_text(&message.content));
            Ok(json!({"text": text, "cancelled": false}).into())
        }
        _ => Err(Report::new("this command is not answered here")),
    }
}
