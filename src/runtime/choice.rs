//! Which model answers and how hard it thinks. Pure.

use std::sync::Arc;

use crate::base::error::Report;
use crate::llm::catalog::Catalog;
use crate::llm::model::{Model, Thinking};

/// A model as a person writes it: `id`, `provider/id`, either with `:level` behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// The provider, where one is named.
    pub provider: Option<String>,
    /// The model's id; `None` for the provider's first one.
    pub id: Option<String>,
    /// The thinking level, where one is named.
    pub thinking: Option<Thinking>,
}

impl Wish {
    /// Reads `--provider` and `--model`; nothing when both are missing.
    pub fn read(provider: Option<&str>, model: Option<&str>, providers: &[&str]) -> Option<Self> {
        let Some(text) = model else {
            return Some(Self { provider: Some(provider?.to_string()), id: None, thinking: None });
        };
        let (text, thinking) = match text.rsplit_once(':') {
            Some((head, tail)) if Thinking::parse(tail).is_some() => (head, Thinking::parse(tail)),
            _ => (text, None),
        };
        // Ids may hold slashes themselves, so only a known provider counts as one.
        let (named, id) = match text.split_once('/') {
            Some((head, tail)) if provider.is_none() && providers.contains(&head) => (Some(head), tail),
            _ => (provider, text),
        };
        Some(Self { provider: named.map(str::to_string), id: Some(id.to_string()), thinking })
    }

    /// The model among those that can be asked. An unknown id of a usable provider is passed
    /// through, with nothing known about it.
    pub fn find(&self, usable: &[Arc<Model>]) -> Option<Arc<Model>> {
        let mut of_provider =
            usable.iter().filter(|m| self.provider.as_ref().is_none_or(|p| *p == m.provider));
        let Some(id) = &self.id else { return of_provider.next().cloned() };
        let first = of_provider.clone().next()?;
        if let Some(model) = of_provider.find(|m| m.id == *id) {
            return Some(model.clone());
        }
        // Without a provider an unknown id could be anyone's; the demo takes none.
        (self.provider.is_some() && first.api != "demo")
            .then(|| Arc::new(Model::unknown(&first.provider, id, &first.api, &first.base_url)))
    }

    /// What to tell a person whose explicit wish cannot be met.
    pub fn refusal(&self, usable: &[Arc<Model>]) -> Report {
        let provider = self.provider.as_ref().and_then(|id| Catalog::builtin().provider(id));
        let known = || Catalog::builtin().provider_of(self.id.as_ref()?);
        let provider = provider.or_else(known);
        let what = match (&self.id, &self.provider) {
            (Some(id), _) => format!("model `{id}`"),
            (None, Some(provider)) => format!("provider `{provider}`"),
            (None, None) => "the model".to_string(),
        };
        let reachable = provider.is_some_and(|p| usable.iter().any(|m| m.provider == p.id));
        match provider.and_then(|p| p.key_vars.first()) {
            Some(var) if !reachable => Report::new(format!("{what} cannot be asked: there is no key for it"))
                .hint(format!("set {var}, or give --api-key")),
            _ => Report::new(format!("{what} is not known")).hint("`bowline --list-models` shows what is"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Vec<Arc<Model>> {
        let model = |provider: &str, id: &str, api: &str| Arc::new(Model::unknown(provider, id, api, "u"));
        vec![
            model("a", "one", "x"),
            model("a", "two", "x"),
            model("b", "two", "x"),
            model("demo", "g", "demo"),
        ]
    }

    fn found(provider: Option<&str>, model: Option<&str>) -> Option<String> {
        let wish = Wish::read(provider, model, &["a", "b", "demo"])?;
        let level = wish.thinking.map_or(String::new(), |t| format!(":{}", t.name()));
        wish.find(&models()).map(|m| format!("{}/{}{level}", m.provider, m.id))
    }

    #[test]
    fn wishes_in_all_their_forms() {
        for (provider, model, expected) in [
            (None, None, None),
            (Some("b"), None, Some("b/two")),
            (None, Some("two"), Some("a/two")),
            (Some("b"), Some("two"), Some("b/two")),
            (None, Some("b/two:high"), Some("b/two:high")),
            (None, Some("one:odd"), None),
            (None, Some("b/org/new"), Some("b/org/new")),
            (None, Some("org/new"), None),
            (Some("c"), None, None),
            (Some("demo"), Some("new"), None),
        ] {
            assert_eq!(found(provider, model).as_deref(), expected, "{provider:?} {model:?}");
        }
    }

    #[test]
    fn refusals_say_what_to_do() {
        let refusal = |provider, model| {
            let wish = Wish::read(provider, model, &["anthropic"]).unwrap();
            wish.refusal(&models()).to_string()
        };
        assert_eq!(
            refusal(None, Some("claude-opus-5-5")),
            "model `claude-opus-5-5` cannot be asked: there is no key for it (set ANTHROPIC_API_KEY, or give --api-key)"
        );
        assert!(refusal(None, Some("nonsense")).contains("is not known"));
        assert!(refusal(Some("anthropic"), None).contains("ANTHROPIC_API_KEY"));
    }
}
