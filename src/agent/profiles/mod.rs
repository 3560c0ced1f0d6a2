//! Profiles: for each family of models the tools and prompt that it was trained with. One file and one table
//! row each.
//!
//! Must not know sessions. The tools of a profile are the set with its id in `tools::builtin`, which has the
//! limits and timeouts of the family.

pub mod anthropic;
pub mod gemini;
pub mod openai;
pub mod pi;

/// Profile of one model family.
#[derive(Debug)]
pub struct Profile {
    /// The id, also of its set of tools.
    pub id: &'static str,
    /// Prefixes of its models' names. A provider may add words before such a prefix, separated by one of `/ .
    /// ~ : @`; the serving provider does not matter.
    pub model_prefixes: &'static [&'static str],
    /// The project documents that it reads, by name; within one folder in this order.
    pub documents: &'static [&'static str],
    /// The base instructions: names and texts of the parts.
    pub prompt: &'static [(&'static str, &'static str)],
    /// Whether the prompt describes environment and repository, or only the working folder.
    pub environment: bool,
    /// Whether calls of one answer may run at the same time.
    pub parallel: bool,
}

/// All profiles; the first is the fallback for models that no other one fits.
pub static PROFILES: &[&Profile] = &[&pi::PROFILE, &openai::PROFILE, &anthropic::PROFILE, &gemini::PROFILE];
