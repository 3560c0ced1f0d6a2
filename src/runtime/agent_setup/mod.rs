//! Sets up the agent of a session: profile, tools, system prompt, permission rules and subagents.
//!
//! `toolset` combines profile, tools and system prompt, `facts` describes system and repository for the
//! prompt, `prompt_report` shows the prompt with its sizes. `permissions` reads the rules, `trust_requests`
//! finds what a project needs the user's trust for, `subagents` sets up the agents that an agent starts. Must
//! not know the conversation.

pub(super) mod facts;
pub(super) mod permissions;
#[doc(hidden)]
pub mod prompt_report;
pub(super) mod subagents;
#[doc(hidden)]
pub mod toolset;
#[doc(hidden)]
pub mod trust_requests;
