//! Inline commands: answered one after the other, before the next one is read.
//!
//! Must not know the line format. Slow commands are in `background`, those that traverse the whole session in
//! `snapshot`.

use serde_json::Value;

use crate::base::json::json;

use super::answer::{Answer, Data};
use super::command::{
    Approval, Command, ConflictChoice, QueueMode, RestoreScope, StreamingBehavior, ThinkingLevel,
};
use crate::base::error::Report;
use crate::base::secrets;
use crate::llm::model::message::join_text;
use crate::llm::model::{Model, Thinking};
use crate::runtime::controls::client::{LoopSetting, SessionStatus, SubmitOutcome};
use crate::runtime::history::navigation::{NavigationTarget, SessionSwitch};
use crate::runtime::restore::target::{self, RestoreTarget};
use crate::runtime::{Delivery, Handle, controls::user_input};

/// Runs the command and returns its answer.
pub async fn answer(handle: &Handle, settings: &Value, command: Command) -> Answer {
    match command {
        Command::Prompt { .. } | Command::Steer { .. } | Command::FollowUp { .. } | Command::ClearQueue => {
            answer_message(handle, command).await
        }
        Command::NewSession { .. }
        | Command::SwitchSession { .. }
        | Command::Fork { .. }
        | Command::Clone => answer_session_switch(handle, command).await,
        Command::GetState => Ok(status_json(&handle.status().await?).into()),
        Command::SetModel { provider, model_id } => {
            let (model, _) = handle.select_model(&provider, &model_id).await?;
            Ok(model_json(&model).into())
        }
        Command::CycleModel => next_model(handle).await,
        Command::GetAvailableModels => {
            let models: Vec<Value> = handle.models().iter().map(|model| model_json(model)).collect();
            Ok(json!({"models": models}).into())
        }
        Command::SetThinkingLevel { level } => {
            handle.select_thinking(to_thinking(level)).await?;
            Ok(Data::None)
        }
        Command::CycleThinkingLevel => next_level(handle).await,
        Command::GetAvailableThinkingLevels => available_levels(handle).await,
        Command::SetSteeringMode { mode } => {
            set_loop(handle, LoopSetting::SteerAll(mode == QueueMode::All)).await
        }
        Command::SetFollowUpMode { mode } => {
            set_loop(handle, LoopSetting::FollowUpAll(mode == QueueMode::All)).await
        }
        Command::SetAutoCompaction { enabled } => {
            set_loop(handle, LoopSetting::AutoCompaction(enabled)).await
        }
        Command::SetAutoRetry { enabled } => set_loop(handle, LoopSetting::AutoRetry(enabled)).await,
        Command::AbortRetry => abort_retry(handle).await,
        Command::SetSessionName { name } => rename_session(handle, name.trim()).await,
        Command::SetLabel { entry_id, label } => {
            handle.set_label(entry_id, label).await?;
            Ok(Data::None)
        }
        Command::Logout { provider } => {
            let result = handle.logout(&provider).await?;
            Ok(json!({"wasStored": result.was_stored, "remaining": result.remaining}).into())
        }
        Command::NavigateTree { target_id, .. } => navigate_to(handle, target_id).await,
        Command::SetApproval { mode } => {
            handle.set_approval_mode_by_name(approval_name(mode)).await?;
            Ok(Data::None)
        }
        Command::AddPermissionRule { rule } => {
            Ok(json!({"message": handle.remember_rule(&rule).await?}).into())
        }
        Command::GetSettings => current_settings(handle, settings.clone()).await,
        other => answer_query(handle, other).await,
    }
}

async fn rename_session(handle: &Handle, name: &str) -> Answer {
    if name.is_empty() {
        return Err(Report::new("a session's name cannot be empty"));
    }
    handle.rename_session(name.to_string()).await?;
    Ok(Data::None)
}

/// Aborts the run if it waits for a retry.
async fn abort_retry(handle: &Handle) -> Answer {
    if handle.status().await?.waiting_for_retry {
        handle.abort();
    }
    Ok(Data::None)
}

/// Moves to an entry of the session; answers with the user's text that it puts back into the prompt.
async fn navigate_to(handle: &Handle, entry_id: String) -> Answer {
    let said = handle.go(NavigationTarget::To(entry_id)).await?;
    let text = said.map(|said| join_text(&said.content));
    Ok(json!({"text": text, "cancelled": false}).into())
}

/// Answers read-only commands.
async fn answer_query(handle: &Handle, command: Command) -> Answer {
    match command {
        Command::GetLastAssistantText => Ok(json!({"text": handle.last_answer().await?}).into()),
        Command::GetLoginState => {
            let logins = handle.login_providers().await?;
            let providers = logins.iter().map(|login| {
                let stored = (!login.credential_kind.is_empty()).then_some(login.credential_kind);
                json!({"id": login.id, "name": login.name, "stored": stored})
            });
            Ok(json!({"providers": providers.collect::<Vec<_>>()}).into())
        }
        Command::GetPermissions => Ok(handle.permissions().await?.into()),
        Command::GetContext => Ok(handle.context_report().await?.json().into()),
        Command::PreviewRestore { entry_id, what: scope, take } => {
            let target = RestoreTarget::To(entry_id, restore_scope(scope));
            Ok(handle.preview_all(target, conflict_choice(take)).await?.json().into())
        }
        Command::Restore { entry_id, what: scope, take } => {
            let target = RestoreTarget::To(entry_id, restore_scope(scope));
            Ok(handle.take_all(target, conflict_choice(take)).await?.json().into())
        }
        Command::RevertTurn { entry_id, take } => Ok(handle
            .take_all(RestoreTarget::RevertTurn(entry_id), conflict_choice(take))
            .await?
            .json()
            .into()),
        _ => Err(Report::new("this command is not answered here")),
    }
}

async fn answer_message(handle: &Handle, command: Command) -> Answer {
    match command {
        Command::Prompt { message, images, streaming_behavior } => {
            let delivery = streaming_behavior.map(|behavior| match behavior {
                StreamingBehavior::Steer => Delivery::Steer,
                StreamingBehavior::FollowUp => Delivery::FollowUp,
            });
            user_input::check(&message, &images)?;
            let taken = handle.say(message, images, delivery).await?;
            let disposition = if taken == SubmitOutcome::Started { "started" } else { "queued" };
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

async fn answer_session_switch(handle: &Handle, command: Command) -> Answer {
    let change = match command {
        Command::NewSession { parent_session } => SessionSwitch::New(parent_session.map(Into::into)),
        Command::SwitchSession { session_path } => SessionSwitch::Open(session_path.into(), None),
        Command::Fork { entry_id } => SessionSwitch::Fork(entry_id),
        _ => SessionSwitch::Copy,
    };
    let forks = matches!(change, SessionSwitch::Fork(_));
    let message = handle.replace(change).await?;
    let mut data = json!({"cancelled": false});
    if forks {
        let text = message.map(|message| join_text(&message.content));
        data = json!({"text": text.unwrap_or_default(), "cancelled": false});
    }
    Ok(data.into())
}

/// Returns the settings at the start, updated with later choices.
async fn current_settings(handle: &Handle, mut settings: Value) -> Answer {
    let status = handle.status().await?;
    settings["compaction"] = json!(status.auto_compaction);
    settings["steering-mode"] = json!(status.steering);
    settings["follow-up-mode"] = json!(status.follow_up);
    settings["approval"] = handle.permissions().await?["mode"].take();
    Ok(settings.into())
}

async fn set_loop(handle: &Handle, rule: LoopSetting) -> Answer {
    handle.set_loop_setting(rule).await?;
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
    let (model, level) = handle.select_model(&next.provider, &next.id).await?;
    Ok(json!({"model": model_json(&model), "thinkingLevel": level.name(), "isScoped": false}).into())
}

async fn next_level(handle: &Handle) -> Answer {
    let status = handle.status().await?;
    if !status.model.reasoning {
        return Ok(Value::Null.into());
    }
    let levels = thinking_levels(&status.model);
    let now = status.model.nearest_level(status.thinking);
    let at = levels.iter().position(|level| *level == now).unwrap_or(0);
    let level = handle.select_thinking(levels[(at + 1) % levels.len()]).await?;
    Ok(json!({"level": level.name()}).into())
}

async fn available_levels(handle: &Handle) -> Answer {
    let levels = thinking_levels(&handle.status().await?.model);
    Ok(json!({"levels": levels.iter().map(|level| level.name()).collect::<Vec<_>>()}).into())
}

/// Returns the thinking levels of a model; `off` is always included.
fn thinking_levels(model: &Model) -> Vec<Thinking> {
    let mut levels: Vec<Thinking> =
        Thinking::ALL.into_iter().filter(|level| model.has_level(*level)).collect();
    if levels.is_empty() {
        levels.push(Thinking::Off);
    }
    levels
}

/// Returns a model for clients: without request headers and without the userinfo and query of its URL, which
/// may hold keys.
fn model_json(model: &Model) -> Value {
    let mut value = json!(model);
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("headers");
        fields.insert("baseUrl".to_string(), json!(secrets::redact_url(&model.base_url)));
    }
    value
}

fn status_json(status: &SessionStatus) -> Value {
    let mut state = json!({
        "model": model_json(&status.model), "thinkingLevel": status.thinking.name(),
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
    state["pendingMessageCount"] = json!(status.queued.steering.len() + status.queued.follow_up.len());
    state
}

fn to_thinking(level: ThinkingLevel) -> Thinking {
    match level {
        ThinkingLevel::Off => Thinking::Off,
        ThinkingLevel::Minimal => Thinking::Minimal,
        ThinkingLevel::Low => Thinking::Low,
        ThinkingLevel::Medium => Thinking::Medium,
        ThinkingLevel::High => Thinking::High,
        ThinkingLevel::Xhigh => Thinking::Xhigh,
        ThinkingLevel::Max => Thinking::Max,
    }
}

fn approval_name(mode: Approval) -> &'static str {
    match mode {
        Approval::Untrusted => "untrusted",
        Approval::OnRequest => "on-request",
        Approval::AutoEdit => "auto-edit",
        Approval::Full => "full",
    }
}

fn restore_scope(scope: Option<RestoreScope>) -> target::RestoreScope {
    match scope {
        Some(RestoreScope::Conversation) => target::RestoreScope::Conversation,
        Some(RestoreScope::Code) => target::RestoreScope::Code,
        Some(RestoreScope::Both) | None => target::RestoreScope::Both,
    }
}

fn conflict_choice(take: Option<ConflictChoice>) -> target::ConflictChoice {
    match take {
        Some(ConflictChoice::Theirs) => target::ConflictChoice::Theirs,
        Some(ConflictChoice::Both) => target::ConflictChoice::KeepBoth,
        Some(ConflictChoice::Ours) | None => target::ConflictChoice::Ours,
    }
}
