//! What was said before: prompts that come back into the prompt, a search through all conversations.

pub mod ask;
pub mod events;
