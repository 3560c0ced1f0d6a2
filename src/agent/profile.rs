//! Selects the profile of a model, and lists a profile's tools.
//!
//! Must not know sessions, nor who chooses.

use std::sync::Arc;

use super::profiles::{PROFILES, Profile};
use crate::llm::model::Model;
use crate::tools::contract::intent::Kind;
use crate::tools::{Registry, Tool};

/// Name for automatic selection by model.
pub const AUTO: &str = "auto";

/// Capabilities that every profile needs, with pi's tool for each.
const BASIC_TOOLS: [(&str, &[Kind]); 4] = [
    ("read", &[Kind::Read]),
    ("bash", &[Kind::Bash]),
    ("edit", &[Kind::Edit, Kind::Patch]),
    ("write", &[Kind::Write, Kind::Patch]),
];

/// Returns the profile that fits a model.
pub fn for_model(model: &Model) -> &'static Profile {
    PROFILES.iter().copied().find(|profile| profile.matches_model(&model.id)).unwrap_or(PROFILES[0])
}

/// Returns the profile with this id.
pub fn find(id: &str) -> Option<&'static Profile> {
    PROFILES.iter().copied().find(|profile| profile.id == id)
}

/// Returns the valid profile names, `auto` first.
pub fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once(AUTO).chain(PROFILES.iter().map(|profile| profile.id))
}

impl Profile {
    /// Whether the profile is made for the model with this id.
    pub fn matches_model(&self, id: &str) -> bool {
        let id = id.to_lowercase();
        let ends = id.match_indices(['/', '.', '~', ':', '@']).map(|(at, end)| at + end.len());
        let mut starts = std::iter::once(0).chain(ends);
        starts.any(|start| self.model_prefixes.iter().any(|name| starts_with_name(&id[start..], name)))
    }

    /// Returns its tools, optional ones included, then the custom ones; of two with the same name the later
    /// one is used. Basic capabilities that the profile's own set lacks come from pi's tools.
    pub fn tools(&self, custom: &[Arc<dyn Tool>]) -> Registry {
        let mut all = Registry::of(self.id);
        for (name, kinds) in BASIC_TOOLS {
            if !kinds.iter().any(|kind| all.has_kind(*kind)) {
                all.add_builtin(name);
            }
        }
        for tool in custom {
            all.add(tool.clone());
        }
        all
    }

    /// Returns the base instructions as one text.
    pub fn base_instructions(&self) -> String {
        self.prompt.iter().map(|(_, text)| text.trim_end()).collect::<Vec<_>>().join("\n\n")
    }
}

/// Whether an id starts with a name; a name that ends with a digit (`o1`) must not be followed by another
/// digit in the id.
fn starts_with_name(id: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_boundary = |rest: &str| !name.ends_with(|c: char| c.is_ascii_digit()) || ends(rest);
    id.strip_prefix(name).is_some_and(is_boundary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn profile_follows_model_family() {
        for (id, profile) in [
            ("claude-opus-5-5", "anthropic"),
            ("anthropic/claude-sonnet-4.5", "anthropic"),
            ("~anthropic/claude-opus-latest", "anthropic"),
            ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "anthropic"),
            ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-x", "anthropic"),
            ("claude-sonnet-4-5@20250929", "anthropic"),
            ("claude3.5", "anthropic"),
            ("gpt-6.1-sol", "openai"),
            ("openai/gpt-5.2-codex", "openai"),
            ("openai.gpt-oss-120b-1:0", "openai"),
            ("GPT-4o", "openai"),
            ("o1", "openai"),
            ("openai/o3-mini", "openai"),
            ("o4-mini-deep-research", "openai"),
            ("codex-mini-latest", "openai"),
            ("chatgpt-4o-latest", "openai"),
            ("gemini-3-flash-preview", "gemini"),
            ("google/gemini-4-argon", "gemini"),
            ("models/gemini-2.5-pro", "gemini"),
            ("google/gemma-4-27b", "pi"),
            ("qwen3-coder", "pi"),
            ("o10-large", "pi"),
            ("deepseek-r1-distill-gpt-x", "pi"),
            ("guide", "pi"),
            ("", "pi"),
        ] {
            assert_eq!(for_model(&Model::unknown("p", id, "a", "")).id, profile, "{id}");
        }
        assert_eq!(find("gemini").map(|profile| profile.id), Some("gemini"));
        assert!(find("auto").is_none());
    }

    #[test]
    fn profile_tables_files_and_prompts_agree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let stems = |folder: &str| -> BTreeSet<String> {
            let items = std::fs::read_dir(root.join(folder)).unwrap();
            items.map(|i| i.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
        };
        let ids: BTreeSet<String> = PROFILES.iter().map(|profile| profile.id.to_string()).collect();
        let mut files = stems("src/agent/profiles");
        files.remove("mod");
        assert_eq!(files, ids);
        assert_eq!(stems("assets/prompts"), ids);
        assert_eq!(
            crate::tools::builtin::SETS.iter().map(|s| s.id.to_string()).collect::<BTreeSet<_>>(),
            ids
        );
        for profile in PROFILES {
            let parts: BTreeSet<String> = profile.prompt.iter().map(|(name, _)| name.to_string()).collect();
            assert_eq!(stems(&format!("assets/prompts/{}", profile.id)), parts, "{}", profile.id);
            assert_eq!(profile.documents[0], "AGENTS.md", "always, whatever the family");
            assert!(profile.base_instructions().contains("bowline"), "{} says who it is", profile.id);
        }
    }

    /// A tool from another source.
    struct Own;

    impl Tool for Own {
        fn spec(&self) -> crate::llm::model::ToolSpec {
            let (name, description) = ("apply_patch".to_string(), "mine".to_string());
            crate::llm::model::ToolSpec { name, description, ..Default::default() }
        }
        fn class(&self) -> crate::tools::ToolClass {
            crate::tools::ToolClass::Edits
        }
        fn snippet(&self) -> &'static str {
            "mine"
        }
        fn run(
            &self,
            _: crate::tools::Invocation,
        ) -> futures::future::BoxFuture<'static, crate::tools::Outcome> {
            Box::pin(async { crate::tools::Outcome::text("") })
        }
        fn call_view(&self, _: &serde_json::Value) -> crate::tools::CallView {
            crate::tools::CallView::default()
        }
    }

    #[test]
    fn profile_custom_tools_override_builtin() {
        let (plain, mine) =
            (find("openai").unwrap().tools(&[]), find("openai").unwrap().tools(&[Arc::new(Own)]));
        assert!(plain.names().eq(mine.names()), "in the place of the one before");
        let description = |all: &Registry| all.entry("apply_patch").unwrap().spec.description.clone();
        assert!(description(&plain) != "mine" && description(&mine) == "mine");
        assert!(!mine.is_builtin("apply_patch"));
        assert!(find("pi").unwrap().tools(&[Arc::new(Own)]).names().last() == Some("apply_patch"));
    }

    #[test]
    fn profile_tools_cover_basics() {
        for profile in PROFILES {
            let all = profile.tools(&[]);
            for (name, kinds) in BASIC_TOOLS {
                let has = all.get(name).is_some() || kinds.iter().any(|kind| all.has_kind(*kind));
                assert!(has, "{}: {name}", profile.id);
            }
        }
    }
}
