//! Choice of model and thinking level. Pure.

use std::sync::Arc;

use crate::base::error::Report;
use crate::llm::catalog::Catalog;
use crate::llm::model::{Model, Thinking};

/// A model as a user writes it: `id` or `provider/id`, either with an optional `:level` suffix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// The provider, if named.
    pub provider: Option<String>,
    /// The model's id; `None` for the provider's first one.
    pub id: Option<String>,
    /// The thinking level, if named.
    pub thinking: Option<Thinking>,
}

impl ModelRequest {
    /// Parses `--provider` and `--model`; `None` when both are missing.
    pub fn parse(provider: Option<&str>, model: Option<&str>, providers: &[&str]) -> Option<Self> {
        let Some(text) = model else {
            return Some(Self { provider: Some(provider?.to_string()), id: None, thinking: None });
        };
        let (text, thinking) = match text.rsplit_once(':') {
            Some((head, tail)) if Thinking::parse(tail).is_some() => (head, Thinking::parse(tail)),
            _ => (text, None),
        };
        // Ids may contain slashes, so a prefix counts as a provider only if it is known.
        let (named, id) = match text.split_once('/') {
            Some((head, tail)) if provider.is_none() && providers.contains(&head) => (Some(head), tail),
            _ => (provider, text),
        };
        Some(Self { provider: named.map(str::to_string), id: Some(id.to_string()), thinking })
    }

    /// Returns the matching usable model. An unknown id of a usable provider is passed through, without
    /// metadata.
    pub fn find(&self, usable: &[Arc<Model>]) -> Option<Arc<Model>> {
        let mut of_provider =
            usable.iter().filter(|m| self.provider.as_ref().is_none_or(|p| *p == m.provider));
        let Some(id) = &self.id else { return of_provider.next().cloned() };
        let first = of_provider.clone().next()?;
        let named = of_provider.clone().find(|m| m.id == *id);
        if let Some(model) = named.or_else(|| of_provider.find(|m| m.aliases.contains(id))) {
            return Some(model.clone());
        }
        // Without a provider an unknown id is ambiguous; the demo accepts none.
        (self.provider.is_some() && first.api != "demo")
            .then(|| Arc::new(Model::unknown(&first.provider, id, &first.api, &first.base_url)))
    }

    /// Returns the error for an explicit request that cannot be met. `awaited`: discovery of servers on this
    /// machine is still running.
    pub fn unavailable_error(&self, usable: &[Arc<Model>], catalog: &Catalog, awaited: bool) -> Report {
        let known = || catalog.provider_of(self.id.as_ref()?);
        let named = self.provider.as_ref().map(|id| (id, catalog.provider(id)));
        let provider = named.map_or_else(known, |(_, provider)| provider);
        let label = match (&self.id, &self.provider) {
            (Some(id), _) => format!("model `{id}`"),
            (None, Some(provider)) => format!("provider `{provider}`"),
            (None, None) => "the model".to_string(),
        };
        let reachable = provider.is_some_and(|p| usable.iter().any(|m| m.provider == p.id));
        match provider {
            Some(info) if !reachable && info.probe.is_some() => {
                let reason = if awaited { "is still being asked what it has" } else { "does not answer" };
                let hint = if awaited { "try again in a moment" } else { "start it, or name its address" };
                let var = info.base_url_var.as_ref().filter(|_| !awaited);
                let hint = format!("{hint}{}", var.map(|v| format!(" in {v}")).unwrap_or_default());
                Report::new(format!("{label} cannot be asked: {} {reason}", info.name)).hint(hint)
            }
            Some(info) if !reachable && catalog.offline_excluded.contains(&info.id) => {
                Report::new(format!("{label} cannot be asked: bowline is offline"))
                    .hint("start it without --offline and BOWLINE_OFFLINE")
            }
            Some(info) if !reachable && !info.key_vars.is_empty() => {
                let hint =
                    format!("set {}, `bowline login {}`, or give --api-key", info.key_vars[0], info.id);
                Report::new(format!("{label} cannot be asked: there is no key for it")).hint(hint)
            }
            Some(info) if !reachable && info.login_only => {
                Report::new(format!("{label} is not available: not logged in"))
                    .hint(format!("`bowline login {}`", info.id))
            }
            _ => self.unknown_error(usable, catalog),
        }
    }

    /// Returns the error for an unknown model or provider, with similar names.
    fn unknown_error(&self, usable: &[Arc<Model>], catalog: &Catalog) -> Report {
        let (label, near) = match (&self.provider, &self.id) {
            (Some(id), _) if !usable.iter().any(|m| m.provider == *id) && catalog.provider(id).is_none() => {
                let injected = usable.iter().map(|m| m.provider.clone());
                let known = catalog.providers.iter().map(|p| p.id.clone());
                (format!("provider `{id}`"), similar_names(id, known.chain(injected)))
            }
            (provider, Some(id)) => {
                let of_it = usable.iter().filter(|m| provider.as_ref().is_none_or(|p| *p == m.provider));
                let names = of_it.flat_map(|m| {
                    let own = [m.id.clone(), format!("{}/{}", m.provider, m.id)];
                    own.into_iter().chain(m.aliases.iter().cloned())
                });
                (format!("model `{id}`"), similar_names(id, names))
            }
            (provider, None) => {
                (format!("provider `{}`", provider.as_deref().unwrap_or_default()), Vec::new())
            }
        };
        let list = "`bowline --list-models` shows what is";
        let hint = if near.is_empty() {
            list.to_string()
        } else {
            format!("did you mean {}? {list}", near.join(" or "))
        };
        Report::new(format!("{label} is not known")).hint(hint)
    }
}

/// Returns names that the user may have meant, nearest first; at most three.
pub(in crate::runtime) fn similar_names(requested: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let requested = requested.to_lowercase();
    let mut near: Vec<(f64, String)> = names
        .map(|name| (strsim::jaro_winkler(&requested, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= MIN_SIMILARITY)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().take(SUGGESTIONS_MAX).map(|(_, name)| format!("`{name}`")).collect()
}

/// Minimum similarity of a suggested name; 1 is identical.
const MIN_SIMILARITY: f64 = 0.85;
/// Maximum number of suggestions.
const SUGGESTIONS_MAX: usize = 3;

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
        let wish = ModelRequest::parse(provider, model, &["a", "b", "demo"])?;
        let level = wish.thinking.map_or(String::new(), |t| format!(":{}", t.name()));
        wish.find(&models()).map(|m| format!("{}/{}{level}", m.provider, m.id))
    }

    #[test]
    fn model_request_is_parsed_and_found() {
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
    fn model_request_refusal_names_next_step() {
        let refusal = |provider, model| {
            let wish = ModelRequest::parse(provider, model, &["anthropic"]).unwrap();
            wish.unavailable_error(&models(), Catalog::builtin(), false).to_string()
        };
        assert_eq!(
            refusal(None, Some("claude-opus-5-5")),
            "model `claude-opus-5-5` cannot be asked: there is no key for it (set ANTHROPIC_API_KEY, \
             `bowline login anthropic`, or give --api-key)"
        );
        let mut offline = Catalog::builtin().clone();
        offline.offline_excluded = vec!["anthropic".into()];
        let wish = ModelRequest::parse(Some("anthropic"), None, &[]).unwrap();
        assert_eq!(
            wish.unavailable_error(&models(), &offline, false).to_string(),
            "provider `anthropic` cannot be asked: bowline is offline (start it without --offline and BOWLINE_OFFLINE)"
        );
        assert!(refusal(None, Some("nonsense")).contains("is not known"));
        assert!(refusal(Some("anthropic"), None).contains("ANTHROPIC_API_KEY"));
        assert!(refusal(Some("openai-codex"), None).contains("`bowline login openai-codex`"));
    }

    #[test]
    fn model_request_refusal_suggests_similar_names() {
        let mut usable = models();
        usable.push(Arc::new(Model::unknown("mine", "qwen3-coder", "x", "u")));
        let (user, problems) = crate::llm::catalog::UserModels::parse(
            r#"{"providers": {"workshop": {"api": "openai-completions", "baseUrl": "http://h", "models": [{"id": "m"}]}}}"#,
        );
        assert_eq!(problems, []);
        let catalog = Catalog::builtin().with_user(user);
        let refusal = |provider, model| {
            let known = ["anthropic", "mine", "workshop"];
            ModelRequest::parse(provider, model, &known)
                .unwrap()
                .unavailable_error(&usable, &catalog, false)
                .to_string()
        };
        let told = refusal(None, Some("qwen3-codr"));
        assert!(told.starts_with("model `qwen3-codr` is not known (did you mean `qwen3-coder`"), "{told}");
        assert!(refusal(None, Some("mine/qwen-coder")).contains("did you mean `qwen3-coder`"));
        let told = refusal(Some("antropic"), Some("claude-opus-5-5"));
        assert!(told.contains("provider `antropic` is not known") && told.contains("`anthropic`"), "{told}");
        assert!(refusal(Some("workshp"), None).contains("did you mean `workshop`?"));
    }

    #[test]
    fn model_request_refusal_of_local_server() {
        let refusal = |awaited| {
            let wish = ModelRequest::parse(None, Some("ollama/qwen3"), &["ollama"]).unwrap();
            wish.unavailable_error(&models(), Catalog::builtin(), awaited).to_string()
        };
        assert_eq!(
            refusal(false),
            "model `qwen3` cannot be asked: Ollama does not answer (start it, or name its address in OLLAMA_HOST)"
        );
        assert!(refusal(true).contains("is still being asked what it has (try again in a moment)"));
    }

    #[test]
    fn model_request_alias_yields_to_exact_id() {
        let mut usable = models();
        let model = |provider: &str, id: &str, alias: &str| {
            let plain = Model::unknown(provider, id, "x", "u");
            Arc::new(Model { aliases: vec![alias.to_string()], ..plain })
        };
        usable.extend([model("c", "big-20270101", "big"), model("c", "other", "one")]);
        let find = |text| {
            let wish = ModelRequest::parse(None, Some(text), &["a", "c"]).unwrap();
            let level = wish.thinking.map_or(String::new(), |t| format!(":{}", t.name()));
            wish.find(&usable).map(|m| format!("{}/{}{level}", m.provider, m.id))
        };
        assert_eq!(find("big").as_deref(), Some("c/big-20270101"));
        assert_eq!(find("c/big:high").as_deref(), Some("c/big-20270101:high"));
        assert_eq!(find("one").as_deref(), Some("a/one"), "an id goes before an alias");
        assert_eq!(find("c/one").as_deref(), Some("c/other"));
        let wish = ModelRequest::parse(None, Some("bigg"), &[]).unwrap();
        let told = wish.unavailable_error(&usable, Catalog::builtin(), false).to_string();
        assert!(told.contains("did you mean `big`"), "{told}");
    }
}
