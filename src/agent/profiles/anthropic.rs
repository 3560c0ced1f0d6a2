//! The profile of Anthropic's models, after Claude Code.

use super::Profile;

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "anthropic",
    model_prefixes: &["claude"],
    documents: &["AGENTS.md", "CLAUDE.md"],
    prompt: &[
        ("identity", include_str!("../../../assets/prompts/anthropic/identity.md")),
        ("safety", include_str!("../../../assets/prompts/anthropic/safety.md")),
        ("tone", include_str!("../../../assets/prompts/anthropic/tone.md")),
        ("tasks", include_str!("../../../assets/prompts/anthropic/tasks.md")),
        ("tools", include_str!("../../../assets/prompts/anthropic/tools.md")),
        ("editing", include_str!("../../../assets/prompts/anthropic/editing.md")),
        ("care", include_str!("../../../assets/prompts/anthropic/care.md")),
    ],
    environment: true,
    parallel: true,
};
