//! Texts without the secrets that stand in them: keys, tokens, passwords. Must not know where a text comes from.
//!
//! The forms are those that providers say of their keys; a word that only looks like noise stays, since hashes and
//! ids do too. What is found is put in place of a sign, so that a person sees that something was there.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Regex};

/// What stands for a secret.
pub const SIGN: &str = "[secret]";

/// Every form, the groups `keep…` stay: what names the secret is none.
const FORMS: &str = r#"(?x)
    -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\z)
    # Keys of model providers, code hosts, clouds, chats and payments, which begin with their own sign.
  | \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}
  | \b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}
  | \b(?:gh[opsur]|hf|npm|r8|nvapi|gsk|xai|glpat|pypi|dop_v1|shpat|sntrys|figd|pplx|lin_api)[-_][A-Za-z0-9_-]{16,}
  | \bgithub_pat_[A-Za-z0-9_]{16,}
  | \bxox[abeprs]-[A-Za-z0-9-]{10,}
  | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
  | \bAIza[A-Za-z0-9_-]{35}
  | \bya29\.[A-Za-z0-9_-]{20,}
    # A signed token: head, claims, signature.
  | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*
    # In a header, in an address.
  | (?P<keep1>\b(?i:bearer|basic|authorization:\s*[a-z]+)\s+)[A-Za-z0-9+/=._~-]{16,}
  | (?P<keep2>\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(?P<keep3>@)
    # By name: API_KEY=…, "password": "…", --token …
  | (?P<keep4>(?i:\b[a-z0-9_-]*(?:api[_-]?key|secret|token|password|passwd|credentials?|access[_-]?key|private[_-]?key))
        ["']?\s*[=:]\s*["']?)[^\s"',;]{6,}
  | (?P<keep5>--(?i:[a-z-]*(?:key|secret|token|password))(?:\s+|=))[^\s"']{6,}
"#;

fn forms() -> &'static Regex {
    static FOUND: OnceLock<Regex> = OnceLock::new();
    FOUND.get_or_init(|| Regex::new(FORMS).expect("the pattern is a constant that the tests compile"))
}

/// The text with every secret replaced by [`SIGN`].
pub fn without(text: &str) -> Cow<'_, str> {
    forms().replace_all(text, |found: &Captures<'_>| {
        let kept = |name: &str| found.name(name).map_or("", |kept| kept.as_str());
        let before = [1, 2, 4, 5].map(|n| kept(&format!("keep{n}"))).concat();
        format!("{before}{SIGN}{}", kept("keep3"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_and_what_names_them_stays() {
        for (text, safe) in [
            ("use sk-ant-api03-abcdefghijklmnop_QRS please", "use [secret] please"),
            ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "[secret]"),
            ("export OPENAI_API_KEY=abcdef123456", "export OPENAI_API_KEY=[secret]"),
            ("{\"password\": \"hunter2hunter2\"}", "{\"password\": \"[secret]\"}"),
            (
                "curl -H 'Authorization: Bearer abcdefghijklmnop1234'",
                "curl -H 'Authorization: Bearer [secret]'",
            ),
            ("git clone https://me:s3cret@host/x", "git clone https://me:[secret]@host/x"),
            ("postgres://u:p%40ss@db/x", "postgres://u:[secret]@db/x"),
            ("AKIAIOSFODNN7EXAMPLE", "[secret]"),
            ("run --api-key 1234567890 now", "run --api-key [secret] now"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl!", "[secret]!"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nhere", "[secret]\nhere"),
            ("-----BEGIN PRIVATE KEY-----\nMIIE, cut off", "[secret]"),
        ] {
            assert_eq!(without(text), safe, "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "fix the token count in src/tokens.rs",
            "commit 4915424aa0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5",
            "the password field must not be empty",
            "what is a bearer token?",
            "see https://example.com:8080/a@b and std::fs",
            "sk-short, ghp_short",
            "let key = map.get(k)",
        ] {
            assert_eq!(without(text), text);
        }
    }
}
