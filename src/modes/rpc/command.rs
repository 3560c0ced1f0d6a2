//! Commands of RPC mode: pi's commands with pi's names, then bowline's own. The JSON Schema in
//! `docs/rpc.schema.json` is generated from these types.
//!
//! Must not know how they are carried out.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::llm::model::Part;

/// When a message is delivered to a working agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase")]
pub enum StreamingBehavior {
    /// After the running tool calls, before the next request.
    Steer,
    /// When the run would end.
    FollowUp,
}

/// How many queued messages are delivered at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// All of them.
    All,
    /// One per turn.
    OneAtATime,
}

/// Reasoning effort of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// No reasoning.
    Off,
    /// The least that the model allows.
    Minimal,
    /// Low effort.
    Low,
    /// Medium effort.
    Medium,
    /// High effort.
    High,
    /// Extra high effort.
    Xhigh,
    /// The most that the model allows.
    Max,
}

/// What is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum RestoreScope {
    /// The conversation; files are not changed.
    Conversation,
    /// The files; the conversation is not changed.
    Code,
    /// Both.
    Both,
}

/// How a conflict is resolved: a file that changed on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum ConflictChoice {
    /// Keep the file as it is.
    #[serde(alias = "mine")]
    Ours,
    /// Replace it with the recorded version.
    Theirs,
    /// Keep it, and write the recorded version to a file beside it.
    #[serde(alias = "beside")]
    Both,
}

/// Which tool calls run without approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// Reading.
    Untrusted,
    /// Reading, and edits inside the workspace.
    OnRequest,
    /// The same, but calls that need approval are refused.
    AutoEdit,
    /// All calls.
    Full,
}

/// A command. Unknown fields are ignored, as in pi.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Command {
    /// Send a message. `streamingBehavior` is required while the agent works.
    Prompt {
        /// The text.
        message: String,
        /// Attached images.
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
        images: Vec<Part>,
        /// When the message is delivered if the agent works.
        streaming_behavior: Option<StreamingBehavior>,
    },
    /// Queue a steering message: delivered after the running tool calls.
    Steer {
        /// The text.
        message: String,
        /// Attached images.
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
        images: Vec<Part>,
    },
    /// Queue a follow-up message: delivered at the end of the run.
    FollowUp {
        /// The text.
        message: String,
        /// Attached images.
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
        images: Vec<Part>,
    },
    /// Interrupt the run; answered when it has ended.
    Abort,
    /// Clear both queues; returns the messages.
    ClearQueue,
    /// Start a new session.
    NewSession {
        /// File of the parent session.
        parent_session: Option<String>,
    },
    /// Get the state of the session.
    GetState,
    /// Select the model.
    SetModel {
        /// Provider id.
        provider: String,
        /// Model id.
        model_id: String,
    },
    /// Select the next available model.
    CycleModel,
    /// List the available models.
    GetAvailableModels,
    /// Select the thinking level.
    SetThinkingLevel {
        /// The new one.
        level: ThinkingLevel,
    },
    /// Select the next thinking level of the model.
    CycleThinkingLevel,
    /// List the thinking levels of the model.
    GetAvailableThinkingLevels,
    /// Set how steering messages are delivered.
    SetSteeringMode {
        /// The new value.
        mode: QueueMode,
    },
    /// Set how follow-up messages are delivered.
    SetFollowUpMode {
        /// The new value.
        mode: QueueMode,
    },
    /// Compact the conversation: replace its older part with a summary. Interrupts the run.
    Compact {
        /// Instructions for the summary.
        custom_instructions: Option<String>,
    },
    /// Turn automatic compaction on or off.
    SetAutoCompaction {
        /// The new value.
        enabled: bool,
    },
    /// Turn automatic retries of model calls on or off.
    SetAutoRetry {
        /// The new value.
        enabled: bool,
    },
    /// Cancel the pending retry of a model call.
    AbortRetry,
    /// Run a shell command in the workspace on behalf of the user.
    Bash {
        /// The command line.
        command: String,
        /// Whether command and output are kept out of the context.
        #[serde(default)]
        exclude_from_context: bool,
    },
    /// Stop the running shell commands.
    AbortBash,
    /// Get counts, tokens and cost of the session.
    GetSessionStats,
    /// Export the session as an HTML page.
    ExportHtml {
        /// Output file, relative to the workspace.
        output_path: Option<String>,
    },
    /// Open another session.
    SwitchSession {
        /// Session file.
        session_path: String,
    },
    /// Fork: start a new session with the branch up to a user message, and return its text.
    Fork {
        /// Entry id of the message.
        entry_id: String,
    },
    /// Open a copy of the session.
    Clone,
    /// List the user messages at which the session can be forked.
    GetForkMessages,
    /// Get the entries of the session as in its file.
    GetEntries {
        /// Only entries after this one.
        since: Option<String>,
    },
    /// Get the tree of the session.
    GetTree,
    /// Get the text of the last answer.
    GetLastAssistantText,
    /// Rename the session.
    SetSessionName {
        /// The new value.
        name: String,
    },
    /// Get the messages of the conversation.
    GetMessages,
    /// List slash commands of extensions, prompt templates and skills.
    GetCommands,

    // What pi's protocol lacks.
    /// Move to an entry of the tree: after it, or before a user message, whose text is returned.
    NavigateTree {
        /// Entry id.
        target_id: String,
        /// Whether the branch that is left is summarized for the model.
        #[serde(default)]
        summarize: bool,
        /// Instructions for the summary.
        custom_instructions: Option<String>,
    },
    /// Preview what a restore would change in the files.
    PreviewRestore {
        /// Entry id.
        entry_id: String,
        /// What is restored; default both.
        what: Option<RestoreScope>,
        /// How all conflicts are resolved.
        take: Option<ConflictChoice>,
    },
    /// Restore to an entry. The current state is recorded first.
    Restore {
        /// Entry id.
        entry_id: String,
        /// What is restored; default both.
        what: Option<RestoreScope>,
        /// How all conflicts are resolved; default `ours`.
        take: Option<ConflictChoice>,
    },
    /// Revert the file changes of one turn.
    RevertTurn {
        /// Entry id.
        entry_id: String,
        /// How all conflicts are resolved; default `ours`.
        take: Option<ConflictChoice>,
    },
    /// Set or remove the label of an entry.
    SetLabel {
        /// Entry id.
        entry_id: String,
        /// The label; none removes it.
        label: Option<String>,
    },
    /// List the providers and whether a login is stored.
    GetLoginState,
    /// Delete the stored login of a provider.
    Logout {
        /// Id.
        provider: String,
    },
    /// Get the current settings.
    GetSettings,
    /// Get the permission rules and the approval mode.
    GetPermissions,
    /// Set the approval mode of this session.
    SetApproval {
        /// The new one.
        mode: Approval,
    },
    /// Add a permission rule to the user's file.
    AddPermissionRule {
        /// The rule as TOML.
        rule: String,
    },
    /// Get the items of the next request.
    GetContext,
}

impl Command {
    /// Parses the command with this name and fields; the error describes the problem. Null counts as a
    /// missing field: some languages write it that way.
    pub fn parse(name: &str, mut fields: Map<String, Value>) -> Result<Self, String> {
        fields.retain(|_, value| !value.is_null());
        fields.insert("type".to_string(), Value::from(name));
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests;
