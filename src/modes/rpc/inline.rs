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
use crate::llm::model::{Model, Part, Thinking};
use crate::runtime::controls::client::{LoopSetting, SessionStatus, SubmitOutcome};
use crate::runtime::history::navigation::{NavigationTarget, SessionSwitch};
use crate::runtime::restore::target::{self, RestoreTarget};
use crate::runtime::{Delivery, Handle, controls::user_input};

/// Runs the command and returns its answer.
pub async fn answer(handle: &Handle, settings: &Value, command: Command) -> Answer {
    use Command as C;
    match command {
        C::Prompt { message, images, streaming_behavior } => {
            send_prompt(handle, message, images, streaming_behavior).await
        }
        C::Steer { message, images } => queue(handle, message, images, Delivery::Steer).await,
        C::FollowUp { message, images } => queue(handle, message, images, Delivery::FollowUp).await,
        C::ClearQueue => clear_queue(handle).await,
        C::NewSession { parent_session } => {
            switch_session(handle, SessionSwitch::New(parent_session.map(Into::into))).await
        }
        C::SwitchSession { session_path } => {
            switch_session(handle, SessionSwitch::Open(session_path.into(), None)).await
        }
        C::Fork { entry_id } => switch_session(handle, SessionSwitch::Fork(entry_id)).await,
        C::Clone => switch_session(handle, SessionSwitch::Copy).await,
        C::GetState => Ok(status_json(&handle.status().await?).into()),
        C::SetModel { provider, model_id } => select_model(handle, &provider, &model_id).await,
        C::CycleModel => next_model(handle).await,
        C::GetAvailableModels => Ok(available_models(handle)),
        C::SetThinkingLevel { level } => select_level(handle, to_thinking(level)).await,
        C::CycleThinkingLevel => next_level(handle).await,
        C::GetAvailableThinkingLevels => available_levels(handle).await,
        C::SetSteeringMode { mode } => set_loop(handle, LoopSetting::SteerAll(mode == QueueMode::All)).await,
        C::SetFollowUpMode { mode } => {
            set_loop(handle, LoopSetting::FollowUpAll(mode == QueueMode::All)).await
        }
        C::SetAutoCompaction { enabled } => set_loop(handle, LoopSetting::AutoCompaction(enabled)).await,
        C::SetAutoRetry { enabled } => set_loop(handle, LoopSetting::AutoRetry(enabled)).await,
        C::AbortRetry => abort_retry(handle).await,
        C::SetSessionName { name } => rename_session(handle, name.trim()).await,
        C::SetLabel { entry_id, label } => set_label(handle, entry_id, label).await,
        C::Logout { provider } => logout(handle, &provider).await,
        C::NavigateTree { target_id, .. } => navigate_to(handle, target_id).await,
        C::SetApproval { mode } => set_approval(handle, mode).await,
        C::AddPermissionRule { rule } => Ok(json!({"message": handle.remember_rule(&rule).await?}).into()),
        C::GetSettings => current_settings(handle, settings.clone()).await,
        C::GetLastAssistantText => Ok(json!({"text": handle.last_answer().await?}).into()),
        C::GetLoginState => login_state(handle).await,
        C::GetPermissions => Ok(handle.permissions().await?.into()),
        C::GetContext => Ok(handle.context_report().await?.json().into()),
        C::PreviewRestore { entry_id, what: scope, take } => {
            let target = RestoreTarget::To(entry_id, restore_scope(scope));
            Ok(handle.preview_all(target, conflict_choice(take)).await?.json().into())
        }
        C::Restore { entry_id, what: scope, take } => {
            restore(handle, RestoreTarget::To(entry_id, restore_scope(scope)), take).await
        }
        C::RevertTurn { entry_id, take } => restore(handle, RestoreTarget::RevertTurn(entry_id), take).await,
        C::Abort | C::Compact { .. } | C::Bash { .. } | C::ExportHtml { .. } => Err(elsewhere("background")),
        C::AbortBash | C::GetCommands => Err(elsewhere("serve")),
        C::GetSessionStats | C::GetForkMessages | C::GetEntries { .. } | C::GetTree | C::GetMessages => {
            Err(elsewhere("snapshot"))
        }
    }
}

/// A command that another module answers was passed here: a defect.
fn elsewhere(module: &str) -> Report {
    Report::new(format!("this command is answered by `{module}`; this is a defect of bowline"))
}

async fn send_prompt(
    handle: &Handle,
    message: String,
    images: Vec<Part>,
    behavior: Option<StreamingBehavior>,
) -> Answer {
    let delivery = behavior.map(|behavior| match behavior {
        StreamingBehavior::Steer => Delivery::Steer,
        StreamingBehavior::FollowUp => Delivery::FollowUp,
    });
    user_input::check(&message, &images)?;
    let taken = handle.say(message, images, delivery).await?;
    let disposition = if taken == SubmitOutcome::Started { "started" } else { "queued" };
    Ok(json!({"disposition": disposition}).into())
}

async fn queue(handle: &Handle, message: String, images: Vec<Part>, delivery: Delivery) -> Answer {
    user_input::check(&message, &images)?;
    handle.queue(message, images, delivery).await?;
    Ok(json!({"disposition": "queued"}).into())
}

async fn clear_queue(handle: &Handle) -> Answer {
    let waiting = handle.clear_queue().await?;
    Ok(json!({"steering": waiting.steering, "followUp": waiting.follow_up}).into())
}

async fn switch_session(handle: &Handle, change: SessionSwitch) -> Answer {
    let forks = matches!(change, SessionSwitch::Fork(_));
    let message = handle.replace(change).await?;
    let mut data = json!({"cancelled": false});
    if forks {
        let text = message.map(|message| join_text(&message.content));
        data = json!({"text": text.unwrap_or_default(), "cancelled": false});
    }
    Ok(data.into())
}

async fn select_model(handle: &Handle, provider: &str, id: &str) -> Answer {
    let (model, _) = handle.select_model(provider, id).await?;
    Ok(model_json(&model).into())
}

fn available_models(handle: &Handle) -> Data {
    let models: Vec<Value> = handle.models().iter().map(|model| model_json(model)).collect();
    json!({"models": models}).into()
}

async fn select_level(handle: &Handle, level: Thinking) -> Answer {
    handle.select_thinking(level).await?;
    Ok(Data::None)
}

async fn set_label(handle: &Handle, entry_id: String, label: Option<String>) -> Answer {
    handle.set_label(entry_id, label).await?;
    Ok(Data::None)
}

async fn logout(handle: &Handle, provider: &str) -> Answer {
    let result = handle.logout(provider).await?;
    Ok(json!({"wasStored": result.was_stored, "remaining": result.remaining}).into())
}

async fn set_approval(handle: &Handle, mode: Approval) -> Answer {
    handle.set_approval_mode_by_name(approval_name(mode)).await?;
    Ok(Data::None)
}

async fn login_state(handle: &Handle) -> Answer {
    let logins = handle.login_providers().await?;
    let providers = logins.iter().map(|login| {
        let stored = (!login.credential_kind.is_empty()).then_some(login.credential_kind);
        json!({"id": login.id, "name": login.name, "stored": stored})
    });
    Ok(json!({"providers": providers.collect::<Vec<_>>()}).into())
}

async fn restore(handle: &Handle, target: RestoreTarget, take: Option<ConflictChoice>) -> Answer {
    Ok(handle.take_all(target, conflict_choice(take)).await?.json().into())
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
