//! Differences between Chat Completions servers: the model's data (`compat`, in pi's names), else known facts
//! about the provider or its URL. Pure.

use serde_json::Value;

use crate::llm::model::Model;

/// Known properties of a server.
#[derive(Debug, Default)]
struct KnownServer {
    providers: &'static [&'static str],
    hosts: &'static [&'static str],
    /// It supports `max_tokens` only.
    max_tokens_only: bool,
    no_effort: bool,
    no_long_cache: bool,
    /// It requires its reasoning back with every answer.
    requires_reasoning: bool,
    thinking: Option<&'static str>,
}

const UNKNOWN_SERVER: KnownServer = KnownServer {
    providers: &[],
    hosts: &[],
    max_tokens_only: false,
    no_effort: false,
    no_long_cache: false,
    requires_reasoning: false,
    thinking: None,
};

const KNOWN_SERVERS: &[KnownServer] = &[
    KnownServer {
        providers: &["zai", "zai-coding-cn"],
        hosts: &["api.z.ai", "open.bigmodel.cn"],
        max_tokens_only: true,
        no_effort: true,
        thinking: Some("zai"),
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["together"],
        hosts: &["api.together.ai", "api.together.xyz"],
        max_tokens_only: true,
        no_effort: true,
        no_long_cache: true,
        thinking: Some("together"),
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["moonshotai", "moonshotai-cn"],
        hosts: &["api.moonshot.ai", "api.moonshot.cn"],
        max_tokens_only: true,
        no_effort: true,
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["openrouter"],
        hosts: &["openrouter.ai"],
        thinking: Some("openrouter"),
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["cloudflare-workers-ai"],
        hosts: &["api.cloudflare.com"],
        no_long_cache: true,
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["cloudflare-ai-gateway"],
        hosts: &["gateway.ai.cloudflare.com"],
        max_tokens_only: true,
        no_effort: true,
        no_long_cache: true,
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["nvidia"],
        hosts: &["integrate.api.nvidia.com"],
        max_tokens_only: true,
        no_effort: true,
        no_long_cache: true,
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["ant-ling"],
        hosts: &["api.ant-ling.com"],
        max_tokens_only: true,
        no_effort: true,
        no_long_cache: true,
        thinking: Some("ant-ling"),
        ..UNKNOWN_SERVER
    },
    KnownServer {
        providers: &["deepseek"],
        hosts: &["deepseek.com"],
        max_tokens_only: true,
        requires_reasoning: true,
        thinking: Some("deepseek"),
        ..UNKNOWN_SERVER
    },
    KnownServer { providers: &["xai"], hosts: &["api.x.ai"], no_effort: true, ..UNKNOWN_SERVER },
    KnownServer { hosts: &["chutes.ai"], max_tokens_only: true, ..UNKNOWN_SERVER },
];

/// The properties for one model.
#[derive(Debug, Clone, Copy)]
pub struct Compat<'a> {
    model: &'a Model,
    known: &'static KnownServer,
    host: &'a str,
}

impl<'a> Compat<'a> {
    /// Returns the properties for this model at its URL.
    pub fn of(model: &'a Model) -> Self {
        let host = host(&model.base_url);
        let fits = |known: &&KnownServer| {
            known.providers.contains(&model.provider.as_str())
                || known.hosts.iter().any(|known| is_at(host, known))
        };
        Self { model, known: KNOWN_SERVERS.iter().find(fits).unwrap_or(&UNKNOWN_SERVER), host }
    }

    /// Returns a flag that is off by default.
    pub fn flag(self, name: &str) -> bool {
        self.model.flag(name)
    }

    /// Returns a value of the data.
    pub fn value(self, name: &str) -> Option<&'a Value> {
        self.model.compat.get(name)
    }

    fn flag_or(self, name: &str, known: bool) -> bool {
        self.model.set_flag(name).unwrap_or(known)
    }

    fn is_openai(self) -> bool {
        is_at(self.host, "api.openai.com")
    }

    /// Whether it is `OpenRouter`, which reports its charges.
    pub fn is_openrouter(self) -> bool {
        self.known.thinking == Some("openrouter")
    }

    /// Returns whether it must be instructed not to store answers.
    pub fn must_disable_store(self) -> bool {
        self.flag_or("supportsStore", self.is_openai())
    }

    /// Returns the role of the system prompt. Every server accepts `system`; `OpenAI` has another role for
    /// reasoning models.
    pub fn system_role(self) -> &'static str {
        let routed = ["anthropic/", "openai/"].iter().any(|maker| self.model.id.starts_with(maker));
        let known = self.is_openai() || (self.is_openrouter() && routed);
        if self.model.reasoning && self.flag_or("supportsDeveloperRole", known) {
            "developer"
        } else {
            "system"
        }
    }

    /// Whether it supports a reasoning effort.
    pub fn supports_effort(self) -> bool {
        self.flag_or("supportsReasoningEffort", !self.known.no_effort)
    }

    /// Whether it can report usage while streaming.
    pub fn supports_stream_usage(self) -> bool {
        self.flag_or("supportsUsageInStreaming", true)
    }

    /// Whether it sends a finish reason.
    pub fn sends_finish_reason(self) -> bool {
        self.flag_or("supportsFinishReason", true)
    }

    /// Returns the name of the output limit field.
    pub fn limit_field(self) -> &'a str {
        let known = if self.known.max_tokens_only { "max_tokens" } else { "max_completion_tokens" };
        self.model.word("maxTokensField").unwrap_or(known)
    }

    /// Whether every answer must include its reasoning.
    pub fn requires_reasoning(self) -> bool {
        self.flag_or("requiresReasoningContentOnAssistantMessages", self.known.requires_reasoning)
    }

    /// Returns how thinking is requested.
    pub fn thinking(self) -> &'a str {
        self.model.word("thinkingFormat").or(self.known.thinking).unwrap_or("openai")
    }

    /// Whether prompts can be cached for longer than minutes.
    pub fn supports_long_cache(self) -> bool {
        self.flag_or("supportsLongCacheRetention", !self.known.no_long_cache)
    }

    /// Whether caches use Anthropic's markers.
    pub fn uses_cache_markers(self) -> bool {
        let known = self.model.provider == "openrouter" && self.model.id.starts_with("anthropic/");
        self.model.word("cacheControlFormat").map_or(known, |format| format == "anthropic")
    }

    /// Whether it supports a cache key; `long`: the prompt is to be cached for long.
    pub fn supports_cache_key(self, long: bool) -> bool {
        match self.model.word("promptCacheKeyMode") {
            Some("enabled") => true,
            Some("disabled") => false,
            _ => self.is_openai() || (long && self.supports_long_cache()),
        }
    }

    /// Whether requests of a session should be routed to the same machine.
    pub fn uses_session_affinity(self) -> bool {
        self.flag_or("sendSessionAffinityHeaders", self.is_openrouter())
    }
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default()
}

/// Whether a host is the known one, or a subdomain of it.
fn is_at(host: &str, known: &str) -> bool {
    let Some(at) = host.len().checked_sub(known.len()) else { return false };
    let ends = host.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(known));
    ends && (at == 0 || host.as_bytes()[at - 1] == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(provider: &str, url: &str) -> Model {
        Model { reasoning: true, ..Model::unknown(provider, "m", "openai-completions", url) }
    }

    #[test]
    fn completions_compat_is_detected_from_base_url() {
        for (url, format, limit, effort, long) in [
            ("https://api.z.ai/api/paas/v4", "zai", "max_tokens", false, true),
            ("https://api.together.xyz/v1", "together", "max_tokens", false, false),
            ("https://api.moonshot.cn/v1", "openai", "max_tokens", false, true),
            ("https://openrouter.ai/api/v1", "openrouter", "max_completion_tokens", true, true),
            ("https://api.cloudflare.com/client/v4", "openai", "max_completion_tokens", true, false),
            ("https://gateway.ai.cloudflare.com/v1", "openai", "max_tokens", false, false),
            ("https://integrate.api.nvidia.com/v1", "openai", "max_tokens", false, false),
            ("https://api.ant-ling.com/v1", "ant-ling", "max_tokens", false, false),
            ("https://API.DeepSeek.com", "deepseek", "max_tokens", true, true),
            ("https://api.x.ai/v1", "openai", "max_completion_tokens", false, true),
            ("https://llm.chutes.ai/v1", "openai", "max_tokens", true, true),
            ("http://127.0.0.1:8080/v1", "openai", "max_completion_tokens", true, true),
            ("https://notdeepseek.com.evil/v1", "openai", "max_completion_tokens", true, true),
        ] {
            let model = at("mine", url);
            let compat = Compat::of(&model);
            let got = (
                compat.thinking(),
                compat.limit_field(),
                compat.supports_effort(),
                compat.supports_long_cache(),
            );
            assert_eq!(got, (format, limit, effort, long), "{url}");
        }
        assert_eq!(Compat::of(&at("zai", "https://proxy.example")).thinking(), "zai");
        assert!(Compat::of(&at("deepseek", "")).requires_reasoning());
    }

    #[test]
    fn completions_compat_flags_override_detection() {
        let mut model = at("deepseek", "https://api.deepseek.com");
        for (name, value) in [
            ("thinkingFormat", Value::from("qwen")),
            ("maxTokensField", "max_completion_tokens".into()),
            ("supportsReasoningEffort", false.into()),
            ("supportsLongCacheRetention", false.into()),
            ("requiresReasoningContentOnAssistantMessages", false.into()),
        ] {
            model.compat.insert(name.into(), value);
        }
        let compat = Compat::of(&model);
        assert_eq!((compat.thinking(), compat.limit_field()), ("qwen", "max_completion_tokens"));
        assert!(!compat.supports_effort() && !compat.supports_long_cache() && !compat.requires_reasoning());
    }

    #[test]
    fn completions_developer_role_by_flag_or_url() {
        let role = |url: &str, id: &str, flag: Option<bool>, reasoning: bool| {
            let mut model = Model { id: id.into(), reasoning, ..at("mine", url) };
            model.compat.extend(flag.map(|flag| ("supportsDeveloperRole".to_string(), flag.into())));
            Compat::of(&model).system_role()
        };
        let (openai, router) = ("https://api.openai.com/v1", "https://openrouter.ai/api/v1");
        assert_eq!(role(openai, "m", None, true), "developer");
        assert_eq!(role(openai, "m", None, false), "system");
        assert_eq!(role(openai, "m", Some(false), true), "system");
        assert_eq!(role("http://localhost", "m", None, true), "system");
        assert_eq!(role("http://localhost", "m", Some(true), true), "developer");
        assert_eq!(
            (role(router, "openai/m", None, true), role(router, "m", None, true)),
            ("developer", "system")
        );
    }
}
