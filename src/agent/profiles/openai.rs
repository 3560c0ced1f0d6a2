//! The profile of `OpenAI`'s models, after codex.

use super::Profile;

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "openai",
    model_prefixes: &["gpt-", "chatgpt", "chat-latest", "codex", "o1", "o3", "o4"],
    documents: &["AGENTS.md", ".codex/instructions.md"],
    prompt: &[
        ("identity", include_str!("../../../assets/prompts/openai/identity.md")),
        ("instructions", include_str!("../../../assets/prompts/openai/instructions.md")),
        ("autonomy", include_str!("../../../assets/prompts/openai/autonomy.md")),
        ("planning", include_str!("../../../assets/prompts/openai/planning.md")),
        ("editing", include_str!("../../../assets/prompts/openai/editing.md")),
        ("validation", include_str!("../../../assets/prompts/openai/validation.md")),
        ("permission", include_str!("../../../assets/prompts/openai/permission.md")),
        ("measure", include_str!("../../../assets/prompts/openai/measure.md")),
        ("tools", include_str!("../../../assets/prompts/openai/tools.md")),
        ("answers", include_str!("../../../assets/prompts/openai/answers.md")),
    ],
    environment: true,
    parallel: true,
};
