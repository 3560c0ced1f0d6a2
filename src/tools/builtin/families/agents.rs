//! Tool rows for subagents, shared by several families.
//!
//! Must not know how agents work.

use crate::base::json::json;
use crate::tools::builtin::actions::agent::{AgentAction, SpawnAgent};
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::schema::{integer, object, text};
use crate::tools::interaction::delegation;

/// Starts a subagent without waiting.
pub const SPAWN_AGENT: BuiltinTool = BuiltinTool {
    name: "spawn_agent",
    description: "Start another agent on a task of its own and go on at once. It sees nothing of this \
         conversation, so its task must say everything that it needs, and what it is to answer. It works on \
         the same files with the same tools. Good for parts that do not depend on each other: several agents \
         work at the same time. Use wait for its answer.",
    parameters: || {
        object(
            &["task"],
            json!({
                "task": text("What it is to do, in full"),
                "working_dir": text("Folder that it works in, below the workspace"),
                "model": text("Another model than yours"),
                "max_turns": integer("Answers that it may give (default 50)"),
            }),
        )
    },
    limits: Some(delegation::LIMITS),
    snippet: "Have another agent do a part of the work",
    ..BuiltinTool::of(&SpawnAgent { task: "task", title: None, waits: false })
};

/// Sends a message to an agent.
pub const SEND_INPUT: BuiltinTool = BuiltinTool {
    name: "send_input",
    description: "Say something to an agent. One that works hears it after the tools that it runs; one that has \
         answered works on.",
    parameters: || {
        object(
            &["agent_id", "message"],
            json!({
                "agent_id": text("Its id"),
                "message": text("What to say"),
            }),
        )
    },
    snippet: "Say something to an agent",
    ..BuiltinTool::of(&AgentAction::Send)
};

/// Waits for an agent.
pub const WAIT: BuiltinTool = BuiltinTool {
    name: "wait",
    description: "Wait until an agent has answered, and get its answer, whether it succeeded, and how many \
         turns it took.",
    parameters: || {
        object(
            &["agent_id"],
            json!({
                "agent_id": text("Its id"),
            }),
        )
    },
    limits: Some(delegation::LIMITS),
    snippet: "Wait for the answer of an agent",
    ..BuiltinTool::of(&AgentAction::Wait)
};

/// Ends an agent.
pub const CLOSE_AGENT: BuiltinTool = BuiltinTool {
    name: "close_agent",
    description: "End an agent and everything that it runs. What it has done stays done.",
    parameters: || {
        object(
            &["agent_id"],
            json!({
                "agent_id": text("Its id"),
            }),
        )
    },
    snippet: "End an agent",
    ..BuiltinTool::of(&AgentAction::Close)
};
