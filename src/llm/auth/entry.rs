//! An entry of the credentials file. Must not know the file.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::base::json::json;

use crate::llm::access::ApiKey;

/// How long before its expiration a token is renewed, in milliseconds.
const RENEW_EARLY_MS: u64 = 5 * 60 * 1000;

/// The stored credential of a provider.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A key, or variables only.
    Key {
        /// The key as entered: may be `$VAR` or `!command`.
        key: Option<ApiKey>,
        /// Variables that override the environment for this provider.
        env: HashMap<String, String>,
    },
    /// A login.
    Login(Login),
}

/// An OAuth login.
#[derive(Debug, Clone, PartialEq)]
pub struct Login {
    /// The access token.
    pub access: ApiKey,
    /// The refresh token; empty if the login cannot be renewed.
    pub refresh: ApiKey,
    /// When `access` expires, in milliseconds since the Unix epoch.
    pub expires: u64,
    /// Additional fields of the provider: `accountId`, `enterpriseUrl`.
    pub extra: Map<String, Value>,
}

impl Entry {
    /// Parses an entry; `None` for an unknown type.
    pub fn parse(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_string);
        match value.get("type")?.as_str()? {
            "api_key" => {
                let pairs = value.get("env").and_then(Value::as_object).into_iter().flatten();
                let env = pairs.filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_string())));
                Some(Self::Key { key: text("key").map(ApiKey), env: env.collect() })
            }
            "oauth" => {
                let mut extra = value.as_object()?.clone();
                for known in ["type", "access", "refresh", "expires"] {
                    extra.shift_remove(known);
                }
                // The timestamp may be a fraction, or the largest number.
                let expires = value.get("expires").and_then(Value::as_f64).unwrap_or_default();
                Some(Self::Login(Login {
                    access: ApiKey(text("access")?),
                    refresh: ApiKey(text("refresh").unwrap_or_default()),
                    expires: expires as u64,
                    extra,
                }))
            }
            _ => None,
        }
    }

    /// Returns an entry with only a key. A key that starts like a command or contains a dollar sign is
    /// escaped: text from a server is never run.
    pub fn from_key(key: &str) -> Value {
        let mut plain = key.replace('$', "$$");
        if plain.starts_with('!') {
            plain.insert(0, '$');
        }
        json!({"type": "api_key", "key": plain})
    }
}

impl Login {
    /// Whether the token should be renewed now.
    pub fn is_due(&self, now_ms: u64) -> bool {
        !self.refresh.0.is_empty() && now_ms.saturating_add(RENEW_EARLY_MS) >= self.expires
    }

    /// Returns an additional field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.extra.get(name).and_then(Value::as_str)
    }

    /// Returns the entry in its stored form.
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "type": "oauth",
            "access": self.access.0,
            "refresh": self.refresh.0,
            "expires": self.expires,
        });
        if let Some(map) = value.as_object_mut() {
            map.extend(self.extra.clone());
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::auth::value;

    #[test]
    fn auth_entries_match_pi_format() {
        let key = json!({"type": "api_key", "key": "k", "env": {"A": "1", "odd": 2}});
        let env = HashMap::from([("A".to_string(), "1".to_string())]);
        assert_eq!(Entry::parse(&key), Some(Entry::Key { key: Some(ApiKey("k".into())), env }));
        let oauth =
            json!({"type": "oauth", "access": "a", "refresh": "r", "expires": 9.5e5, "accountId": "x"});
        let Some(Entry::Login(login)) = Entry::parse(&oauth) else { panic!("no login") };
        assert_eq!((login.expires, login.field("accountId")), (950_000, Some("x")));
        assert_eq!(Entry::parse(&login.to_value()), Some(Entry::Login(login.clone())));
        assert!(!format!("{login:?}").contains("\"a\""));
        for odd in [json!(null), json!({"type": "card"}), json!({"type": "oauth"}), json!([])] {
            assert_eq!(Entry::parse(&odd), None);
        }
    }

    #[tokio::test]
    async fn auth_entry_key_is_stored_literally() {
        for key in ["sk-1", "!rm -rf ~", "$HOME", "a$b${c}", "$!x", "!$$"] {
            let Some(Entry::Key { key: Some(kept), .. }) = Entry::parse(&Entry::from_key(key)) else {
                panic!()
            };
            let meant = value::resolve(&kept.0, |_| Some("expanded".into()), None).await;
            assert_eq!(meant.as_deref(), Ok(key));
        }
    }

    #[test]
    fn oauth_token_is_refreshed_five_minutes_early() {
        let login = |refresh: &str| Login {
            access: ApiKey("a".into()),
            refresh: ApiKey(refresh.into()),
            expires: 1_000_000,
            extra: Map::new(),
        };
        assert!(!login("r").is_due(699_999));
        assert!(login("r").is_due(700_000) && login("r").is_due(2_000_000));
        assert!(!login("").is_due(2_000_000), "nothing to renew it with");
    }
}
