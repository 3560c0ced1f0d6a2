//! What was said before: prompts that come back into the prompt, a search through all conversations.

pub mod commands;
pub mod conversations;
pub mod events;
pub mod prompts;
