//! Commands of RPC mode: pi's commands with pi's names, then bowline's own. The JSON Schema in
//! `docs/rpc.schema.json` is generated from these types.
//!
//! Must not know how they are carried out.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::llm::model::Part;

/// How words reach an agent that works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase")]
pub enum StreamingBehavior {
    /// After the running tool calls.
    Steer,
    /// When it would stop.
    FollowUp,
}

/// How many waiting messages are delivered together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// All that wait.
    All,
    /// One, then the agent works.
    OneAtATime,
}

/// How hard a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// Not.
    Off,
    /// As little as the model allows.
    Minimal,
    /// Short.
    Low,
    /// Balanced.
    Medium,
    /// Deep.
    High,
    /// Deeper.
    Xhigh,
    /// As deep as the model can.
    Max,
}

/// What goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum RestoreScope {
    /// The conversation; files stay.
    Conversation,
    /// The files; the conversation stays.
    Code,
    /// Both.
    Both,
}

/// What is done where both sides changed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum ConflictChoice {
    /// What is there stays.
    Mine,
    /// What was recorded takes its place.
    Theirs,
    /// What was recorded is written beside it.
    Beside,
}

/// Which tool calls run unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// Looking.
    Untrusted,
    /// Looking, and edits inside the workspace.
    OnRequest,
    /// The same; what would ask is refused.
    AutoEdit,
    /// Everything.
    Full,
}

/// A command. Unknown fields are passed over, as pi does. Read by [`Command::read`]: to let serde look for the
/// type among the fields costs a tenth of a megabyte.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(tag = "type"))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Command {
    /// Say something. While the agent works `streamingBehavior` is needed.
    Prompt {
        /// The words.
        message: String,
        /// Pictures that go with them.
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
        images: Vec<Part>,
        /// How the words reach an agent that works.
        streaming_behavior: Option<StreamingBehavior>,
    },
    /// Have words wait for the end of the running tool calls.
    Steer {
        /// The words.
        message: String,
        /// Pictures that go with them.
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
        images: Vec<Part>,
    },
    /// Have words wait for the end of the run.
    FollowUp {
        /// The words.
        message: String,
        /// Pictures that go with them.
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
        images: Vec<Part>,
    },
    /// Interrupt; answered when nothing goes on any more.
    Abort,
    /// Empty both queues and give what was in them.
    ClearQueue,
    /// Go on with a new session.
    NewSession {
        /// The file of the session that this one comes from.
        parent_session: Option<String>,
    },
    /// Where the session stands.
    GetState,
    /// Let another model answer.
    SetModel {
        /// Its provider.
        provider: String,
        /// Its id.
        model_id: String,
    },
    /// Let the next one answer of those that can be asked.
    CycleModel,
    /// The models that can be asked.
    GetAvailableModels,
    /// Another level of thinking.
    SetThinkingLevel {
        /// Which.
        level: ThinkingLevel,
    },
    /// The next level that the model has.
    CycleThinkingLevel,
    /// The levels that the model has.
    GetAvailableThinkingLevels,
    /// How steering messages are delivered.
    SetSteeringMode {
        /// So.
        mode: QueueMode,
    },
    /// How follow-up messages are delivered.
    SetFollowUpMode {
        /// So.
        mode: QueueMode,
    },
    /// Sum the older part of the conversation up, in place of what goes on.
    Compact {
        /// What the summary is above all about.
        custom_instructions: Option<String>,
    },
    /// Whether a conversation that becomes too long is compacted by itself.
    SetAutoCompaction {
        /// Whether.
        enabled: bool,
    },
    /// Whether failed model calls are repeated.
    SetAutoRetry {
        /// Whether.
        enabled: bool,
    },
    /// Give a failed call up that waits to be repeated.
    AbortRetry,
    /// Run a command in the workspace, as the user.
    Bash {
        /// For the shell.
        command: String,
        /// Whether the model does not hear of it.
        #[serde(default)]
        exclude_from_context: bool,
    },
    /// End the commands that run.
    AbortBash,
    /// What the session consists of and has cost.
    GetSessionStats,
    /// Write the session as a page of HTML.
    ExportHtml {
        /// Where; relative paths are in the workspace.
        output_path: Option<String>,
    },
    /// Go on with another session.
    SwitchSession {
        /// Its file.
        session_path: String,
    },
    /// Go on with a new session that has the way to something the user said, which comes back.
    Fork {
        /// Its entry.
        entry_id: String,
    },
    /// Go on with a copy of the session.
    Clone,
    /// What the user said, where a session can be forked.
    GetForkMessages,
    /// The entries of the session as they stand in its file.
    GetEntries {
        /// Only those behind this one.
        since: Option<String>,
    },
    /// The session's tree.
    GetTree,
    /// The words of the last answer.
    GetLastAssistantText,
    /// Name the session.
    SetSessionName {
        /// So.
        name: String,
    },
    /// The messages of the conversation.
    GetMessages,
    /// Words that a prompt may begin with, of extensions, prompts and skills.
    GetCommands,

    // What pi's protocol lacks.
    /// Go behind an entry of the tree, or before what the user said there, which comes back.
    NavigateTree {
        /// The entry.
        target_id: String,
        /// Whether the way that is left is summed up for the model.
        #[serde(default)]
        summarize: bool,
        /// What the summary is above all about.
        custom_instructions: Option<String>,
    },
    /// What going back to an entry would do to the files.
    PreviewRestore {
        /// The entry.
        entry_id: String,
        /// What goes back; both, unless it is said.
        what: Option<RestoreScope>,
        /// For all conflicts.
        take: Option<ConflictChoice>,
    },
    /// Go back to an entry. What is there is recorded before.
    Restore {
        /// The entry.
        entry_id: String,
        /// What goes back; both, unless it is said.
        what: Option<RestoreScope>,
        /// For all conflicts, which stay as they are unless it is said.
        take: Option<ConflictChoice>,
    },
    /// Take back what the turn of an entry changed in files.
    RevertTurn {
        /// The entry.
        entry_id: String,
        /// For all conflicts, which stay as they are unless it is said.
        take: Option<ConflictChoice>,
    },
    /// Give an entry a label, or take it away.
    SetLabel {
        /// The entry.
        entry_id: String,
        /// The label; none takes it away.
        label: Option<String>,
    },
    /// For which providers something is kept.
    GetLoginState,
    /// Forget what is kept for a provider.
    Logout {
        /// Its id.
        provider: String,
    },
    /// The settings in force.
    GetSettings,
    /// Which tool calls run unasked.
    GetPermissions,
    /// Another approval mode, for this session.
    SetApproval {
        /// Which.
        mode: Approval,
    },
    /// Add a rule for tool calls to the user's file.
    AddPermissionRule {
        /// As it stands in the file.
        rule: String,
    },
    /// What the next request would hold, thing by thing.
    GetContext,
}

impl Command {
    /// Parses the command with this name and fields; the error describes the problem. Null counts as a
    /// missing field: some languages write it that way.
    pub fn parse(name: &str, mut fields: Map<String, Value>) -> Result<Self, String> {
        fields.retain(|_, value| !value.is_null());
        // serde represents a command without fields as its name.
        if let Ok(command) = serde_json::from_value(Value::from(name)) {
            return Ok(command);
        }
        let tagged: Map<String, Value> = std::iter::once((name.to_string(), Value::Object(fields))).collect();
        serde_json::from_value(Value::Object(tagged)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests;
