//! The dialects: one folder and one row each. May import the plain data, the draft and `net`;
//! a dialect must not know another.

#[doc(hidden)]
pub mod anthropic;
#[doc(hidden)]
pub mod azure_openai_responses;
#[doc(hidden)]
pub mod bedrock_converse;
#[doc(hidden)]
pub mod demo;
#[doc(hidden)]
pub mod google_generative_ai;
#[doc(hidden)]
pub mod google_vertex;
#[doc(hidden)]
pub mod mistral_conversations;
#[doc(hidden)]
pub mod openai_codex_responses;
#[doc(hidden)]
pub mod openai_completions;
#[doc(hidden)]
pub mod openai_responses;
pub mod scripted;
#[doc(hidden)]
pub mod setup;

use setup::Dialect;

#[doc(hidden)]
pub use setup::Setup;

/// Every wire format, by its id in the catalog.
#[doc(hidden)]
pub const DIALECTS: &[Dialect] = &[
    anthropic::DIALECT,
    azure_openai_responses::DIALECT,
    bedrock_converse::DIALECT,
    demo::DIALECT,
    google_generative_ai::DIALECT,
    google_vertex::DIALECT,
    mistral_conversations::DIALECT,
    openai_codex_responses::DIALECT,
    openai_completions::DIALECT,
    openai_responses::DIALECT,
    scripted::DIALECT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialect_folders_and_rows_agree() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src/llm/providers");
        let folders = std::fs::read_dir(root).unwrap().filter(|e| e.as_ref().unwrap().path().is_dir());
        assert_eq!(folders.count(), DIALECTS.len());
        let mut ids: Vec<_> = DIALECTS.iter().map(|d| d.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), DIALECTS.len());
    }
}
