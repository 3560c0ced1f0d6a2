//! Profiles: for each family of models what it was trained to work with. One file and one row for each.
//!
//! Must not know sessions. The tools of a profile are the set of its id among `tools::builtin`, and they
//! know the limits and times of their family.

pub mod anthropic;
pub mod gemini;
pub mod openai;
pub mod pi;

/// What models of one family get.
#[derive(Debug)]
pub struct Profile {
    /// Also the id of its set of tools.
    pub id: &'static str,
    /// How names of its models begin. A provider may put words before such a name, parted by one of
    /// `/ . ~ : @`, so that it does not matter who serves the model.
    pub names: &'static [&'static str],
    /// The project's documents that it reads, by name, those of one folder in this order.
    pub documents: &'static [&'static str],
    /// The base instructions: names and texts of their parts.
    pub prompt: &'static [(&'static str, &'static str)],
    /// Whether its prompt tells of the place and its repository; else the working folder is enough.
    pub environment: bool,
    /// Whether calls of one answer may run at the same time.
    pub parallel: bool,
}

/// Every profile; the first is for all models that no other one fits.
pub static PROFILES: &[&Profile] = &[&pi::PROFILE, &openai::PROFILE, &anthropic::PROFILE, &gemini::PROFILE];
