//! Inline commands: answered one after the other, before the next one is read.
//!
//! Must not know the line format. Slow commands are in `background`, those that traverse the whole session in
//! `snapshot`.

use serde_json::Value;

use crate::base::json::json;

use super::answer::{Answer, Data};
use super::command::{Approval, Command, Level, QueueMode, StreamingBehavior, Take, What};
use crate::base::error::Report;
use crate::base::secrets;
use crate::llm::model::message::join_text;
use crate::llm::model::{Model, Thinking};
use crate::runtime::controls::client::{Rule, Status, Withdrawn};
use crate::runtime::history::navigation::{Change, Spot};
use crate::runtime::restore::target::{self, RestoreTarget};
use crate::runtime::{Delivery, Handle, controls::user_input};

/// Runs the command and returns its answer.
pub async fn answer(handle: &Handle, settings: &Value, command: Command) -> Answer {
    match command {
        Command::Prompt { .. } | Command::Steer { .. } | Command::FollowUp { .. } | Command::ClearQueue => {
            said(handle, command).await
        }
        Command::NewSession { .. }
        | Command::SwitchSession { .. }
        | Command::Fork { .. }
        | Command::Clone => elsewhere(handle, command).await,
        Command::GetState => Ok(state(&handle.status().await?).into()),
        Command::SetModel { provider, model_id } => {
            let (model, _) = handle.choose_model(&provider, &model_id).await?;
            Ok(shown(&model).into())
        }
        Command::CycleModel => next_model(handle).await,
        Command::GetAvailableModels => {
            let models: Vec<Value> = handle.models().iter().map(|model| shown(model)).collect();
            Ok(json!({"models": models}).into())
        }
        Command::SetThinkingLevel { level } => {
            handle.choose_thinking(thinking(level)).await?;
            Ok(Data::None)
        }
        Command::CycleThinkingLevel => next_level(handle).await,
        Command::GetAvailableThinkingLevels => {
            let levels = levels(&handle.status().await?.model);
            Ok(json!({"levels": levels.iter().map(|level| level.name()).collect::<Vec<_>>()}).into())
        }
        Command::SetSteeringMode { mode } => rule(handle, Rule::SteerAll(mode == QueueMode::All)).await,
        Command::SetFollowUpMode { mode } => rule(handle, Rule::FollowUpAll(mode == QueueMode::All)).await,
        Command::SetAutoCompaction { enabled } => rule(handle, Rule::AutoCompaction(enabled)).await,
        Command::SetAutoRetry { enabled } => rule(handle, Rule::AutoRetry(enabled)).await,
        Command::AbortRetry => {
            if handle.status().await?.waits_to_retry {
                handle.abort();
            }
            Ok(Data::None)
        }
        Command::SetSessionName { name } => {
            let name = name.trim();
            if name.is_empty() {
                return Err(Report::new("a session's name cannot be empty"));
            }
            handle.name(name.to_string()).await?;
            Ok(Data::None)
        }
        Command::SetLabel { entry_id, label } => {
            handle.label(entry_id, label).await?;
            Ok(Data::None)
        }
        Command::Logout { provider } => {
            let left = handle.logout(&provider).await?;
            Ok(json!({"wasKept": left.was_kept, "stillOpenBy": left.still}).into())
        }
        Command::NavigateTree { target_id, .. } => {
            let said = handle.go(Spot::To(target_id)).await?;
            let text = said.map(|said| join_text(&said.content));
            Ok(json!({"text": text, "cancelled": false}).into())
        }
        Command::SetApproval { mode } => {
            handle.approve(approval(mode)).await?;
            Ok(Data::None)
        }
        Command::AddPermissionRule { rule } => Ok(json!({"told": handle.remember(&rule).await?}).into()),
        Command::GetSettings => in_force(handle, settings.clone()).await,
        other => told(handle, other).await,
    }
}

/// Answers read-only commands.
async fn told(handle: &Handle, command: Command) -> Answer {
    match command {
        Command::GetLastAssistantText => Ok(json!({"text": handle.last_answer().await?}).into()),
        Command::GetLoginState => {
            let logins = handle.logins().await?;
            let providers = logins.iter().map(|login| {
                let kept = (!login.kept.is_empty()).then_some(login.kept);
                json!({"id": login.id, "name": login.name, "kept": kept})
            });
            Ok(json!({"providers": providers.collect::<Vec<_>>()}).into())
        }
        Command::GetPermissions => Ok(handle.permissions().await?.into()),
        Command::GetContext => Ok(handle.contents().await?.json().into()),
        Command::PreviewRestore { entry_id, what, take } => {
            let way = RestoreTarget::To(entry_id, restored(what));
            Ok(handle.preview_all(way, taken(take)).await?.json().into())
        }
        Command::Restore { entry_id, what, take } => {
            let way = RestoreTarget::To(entry_id, restored(what));
            Ok(handle.take_all(way, taken(take)).await?.json().into())
        }
        Command::RevertTurn { entry_id, take } => {
            Ok(handle.take_all(RestoreTarget::Without(entry_id), taken(take)).await?.json().into())
        }
        _ => Err(Report::new("this command is not answered here")),
    }
}

async fn said(handle: &Handle, command: Command) -> Answer {
    match command {
        Command::Prompt { message, images, streaming_behavior } => {
            let delivery = streaming_behavior.map(|behavior| match behavior {
                StreamingBehavior::Steer => Delivery::Steer,
                StreamingBehavior::FollowUp => Delivery::FollowUp,
            });
            user_input::check(&message, &images)?;
            let taken = handle.say(message, images, delivery).await?;
            let disposition = if taken == Withdrawn::Started { "started" } else { "queued" };
            Ok(json!({"disposition": disposition}).into())
        }
        Command::Steer { message, images } => {
            user_input::check(&message, &images)?;
            handle.queue(message, images, Delivery::Steer).await?;
            Ok(json!({"disposition": "queued"}).into())
        }
        Command::FollowUp { message, images } => {
            user_input::check(&message, &images)?;
            handle.queue(message, images, Delivery::FollowUp).await?;
            Ok(json!({"disposition": "queued"}).into())
        }
        _ => {
            let waiting = handle.clear_queue().await?;
            Ok(json!({"steering": waiting.steering, "followUp": waiting.follow_up}).into())
        }
    }
}

async fn elsewhere(handle: &Handle, command: Command) -> Answer {
    let change = match command {
        Command::NewSession { parent_session } => Change::New(parent_session.map(Into::into)),
        Command::SwitchSession { session_path } => Change::Open(session_path.into(), None),
        Command::Fork { entry_id } => Change::Fork(entry_id),
        _ => Change::Copy,
    };
    let forks = matches!(change, Change::Fork(_));
    let said = handle.replace(change).await?;
    let mut data = json!({"cancelled": false});
    if forks {
        let text = said.map(|said| join_text(&said.content));
        data = json!({"text": text.unwrap_or_default(), "cancelled": false});
    }
    Ok(data.into())
}

/// Returns the settings at the start, updated with later choices.
async fn in_force(handle: &Handle, mut settings: Value) -> Answer {
    let status = handle.status().await?;
    settings["compaction"] = json!(status.auto_compaction);
    settings["steering-mode"] = json!(status.steering);
    settings["follow-up-mode"] = json!(status.follow_up);
    settings["approval"] = handle.permissions().await?["mode"].take();
    Ok(settings.into())
}

async fn rule(handle: &Handle, rule: Rule) -> Answer {
    handle.set_rule(rule).await?;
    Ok(Data::None)
}

async fn next_model(handle: &Handle) -> Answer {
    let models = handle.models();
    if models.len() <= 1 {
        return Ok(Value::Null.into());
    }
    let now = handle.status().await?.model;
    let at = models.iter().position(|model| model.provider == now.provider && model.id == now.id);
    let next = &models[(at.unwrap_or(0) + 1) % models.len()];
    let (model, level) = handle.choose_model(&next.provider, &next.id).await?;
    Ok(json!({"model": shown(&model), "thinkingLevel": level.name(), "isScoped": false}).into())
}

async fn next_level(handle: &Handle) -> Answer {
    let status = handle.status().await?;
    if !status.model.reasoning {
        return Ok(Value::Null.into());
    }
    let levels = levels(&status.model);
    let now = status.model.nearest_level(status.thinking);
    let at = levels.iter().position(|level| *level == now).unwrap_or(0);
    let level = handle.choose_thinking(levels[(at + 1) % levels.len()]).await?;
    Ok(json!({"level": level.name()}).into())
}

/// Returns the thinking levels of a model; `off` is always included.
fn levels(model: &Model) -> Vec<Thinking> {
    let mut levels: Vec<Thinking> =
        Thinking::ALL.into_iter().filter(|level| model.has_level(*level)).collect();
    if levels.is_empty() {
        levels.push(Thinking::Off);
    }
    levels
}

/// Returns a model for clients: without request headers and without the userinfo and query of its URL, which
/// may hold keys.
fn shown(model: &Model) -> Value {
    let mut value = json!(model);
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("headers");
        fields.insert("baseUrl".to_string(), json!(secrets::plain(&model.base_url)));
    }
    value
}

fn state(status: &Status) -> Value {
    let mut state = json!({
        "model": shown(&status.model), "thinkingLevel": status.thinking.name(),
        "isStreaming": status.working && !status.compacting, "isCompacting": status.compacting,
        "steeringMode": status.steering, "followUpMode": status.follow_up,
    });
    if let Some(file) = &status.file {
        state["sessionFile"] = json!(file.to_string_lossy());
    }
    state["sessionId"] = json!(status.session_id);
    if let Some(name) = &status.name {
        state["sessionName"] = json!(name);
    }
    state["autoCompactionEnabled"] = json!(status.auto_compaction);
    state["messageCount"] = json!(status.messages);
    state["pendingMessageCount"] = json!(status.waiting.steering.len() + status.waiting.follow_up.len());
    state
}

fn thinking(level: Level) -> Thinking {
    match level {
        Level::Off => Thinking::Off,
        Level::Minimal => Thinking::Minimal,
        Level::Low => Thinking::Low,
        Level::Medium => Thinking::Medium,
        Level::High => Thinking::High,
        Level::Xhigh => Thinking::Xhigh,
        Level::Max => Thinking::Max,
    }
}

fn approval(mode: Approval) -> &'static str {
    match mode {
        Approval::Untrusted => "untrusted",
        Approval::OnRequest => "on-request",
        Approval::AutoEdit => "auto-edit",
        Approval::Full => "full",
    }
}

fn restored(what: Option<What>) -> target::RestoreScope {
    match what {
        Some(What::Conversation) => target::RestoreScope::Conversation,
        Some(What::Code) => target::RestoreScope::Code,
        Some(What::Both) | None => target::RestoreScope::Both,
    }
}

fn taken(take: Option<Take>) -> target::ConflictChoice {
    match take {
        Some(Take::Theirs) => target::ConflictChoice::Theirs,
        Some(Take::Beside) => target::ConflictChoice::Beside,
        Some(Take::Mine) | None => target::ConflictChoice::Mine,
    }
}
