//! pi's profile: a short prompt and a few tools, for every model without a profile of its own.

use super::Profile;

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "pi",
    model_prefixes: &[],
    documents: &["AGENTS.md"],
    prompt: &[
        ("role", include_str!("../../../assets/prompts/pi/role.md")),
        ("guidelines", include_str!("../../../assets/prompts/pi/guidelines.md")),
    ],
    environment: false,
    parallel: true,
};
