//! The profile of Google's Gemini models, after gemini-cli. The open Gemma models were not trained for it.

use super::Profile;

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "gemini",
    model_prefixes: &["gemini"],
    documents: &["AGENTS.md", "GEMINI.md"],
    prompt: &[
        ("identity", include_str!("../../../assets/prompts/gemini/identity.md")),
        ("mandates", include_str!("../../../assets/prompts/gemini/mandates.md")),
        ("instructions", include_str!("../../../assets/prompts/gemini/instructions.md")),
        ("inquiry", include_str!("../../../assets/prompts/gemini/inquiry.md")),
        ("context", include_str!("../../../assets/prompts/gemini/context.md")),
        ("workflow", include_str!("../../../assets/prompts/gemini/workflow.md")),
        ("new", include_str!("../../../assets/prompts/gemini/new.md")),
        ("operation", include_str!("../../../assets/prompts/gemini/operation.md")),
        ("git", include_str!("../../../assets/prompts/gemini/git.md")),
    ],
    environment: true,
    parallel: true,
};
