//! Redaction of secrets in texts: keys, tokens, passwords. Must not know the source of a text.
//!
//! The patterns are those that providers document for their keys; random-looking words are kept, since hashes
//! and ids look the same. A secret is replaced by a placeholder, so that the user sees that something was
//! removed.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Regex};

/// Placeholder for a secret.
pub const PLACEHOLDER: &str = "[secret]";

/// All patterns. The groups `keep…` are kept: the name of a secret is not secret. The groups `maybe…` are
/// secrets only if [`looks_secret`] says so.
const PATTERNS: &str = r#"(?x)
    -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\z)
    # Keys of model providers, code hosts, clouds, chats and payments, which begin with their own sign.
  | \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}
  | \b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}
  | \b(?:gh[opsur]|hf|npm|r8|nvapi|gsk|xai|glpat|pypi|dop_v1|shpat|sntrys|figd|pplx|lin_api)[-_][A-Za-z0-9_-]{16,}
  | \bgithub_pat_[A-Za-z0-9_]{16,}
  | \b(?:xox[abeprs]|xapp|GOCSPX)-[A-Za-z0-9_-]{10,}
  | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
  | \bAIza[A-Za-z0-9_-]{35}
  | \bya29\.[A-Za-z0-9_-]{20,}
    # A signed token: head, claims, signature.
  | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*
    # In a header, in an address (a sign @ within the password included).
  | (?P<keep1>\b(?i:authorization:\s*[a-z]+)\s+)[A-Za-z0-9+/=._~-]{16,}
  | (?P<keep12>\b(?i:bearer|basic)\s+)(?P<maybe5>[A-Za-z0-9+/=._~-]{16,})
  | (?P<keep2>\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/]+(?P<keep3>@)
    # By name, in quotation marks: "password": "…", token = '…'
  | (?P<keep4>NAME["']?\s*[=:]\s*)(?:"[^"\n]{6,}(?P<keep5>")|'[^'\n]{6,}(?P<keep6>'))
    # Without them: API_KEY=…, password: …
  | (?P<keep7>(?:NAME|\b(?i:pass|pwd))=(?:(?i:bearer|basic|token)\x20+)?)(?P<maybe1>[^\s"',;]{6,})
  | (?P<keep8>NAME[\x20\t]*[=:][\x20\t]*(?:(?i:bearer|basic|token)\x20+)?)(?P<maybe2>[^\s"',;]{6,})
    # In a sentence, as an argument.
  | (?P<keep9>\b(?i:password|passphrase|token|secret|api\ key)\s+is\s+)(?P<maybe3>[^\s"',;]{6,})
  | (?P<keep10>--(?i:[a-z-]*(?:key|secret|token|password))(?:\s+|=))(?P<maybe4>[^\s"']{6,})
  | (?P<keep11>\b(?:mysql|mysqldump|mysqladmin|mariadb)(?:\s+-[^\sp]\S*(?:\s+[^\s-]\S*)?)*\s+-p)[^\s"']{4,}
"#;
/// Names of secrets.
const NAME: &str = r"(?:(?i:\b[a-z0-9_-]*(?:
    (?:api|access|account|private|secret|signing|encryption|master|auth)[_-]?key
    |secret|token|password|passwd|passphrase|credentials?)|\b(?:[a-z0-9-]+_)+(?:pass|pwd))|\b[A-Z0-9_]+_KEY)";

fn patterns() -> &'static Regex {
    static FOUND: OnceLock<Regex> = OnceLock::new();
    FOUND.get_or_init(|| {
        let forms = PATTERNS.replace("NAME", NAME);
        Regex::new(&forms).expect("the pattern is a constant that the tests compile")
    })
}

/// The text with every secret replaced by [`SIGN`].
pub fn redact(text: &str) -> Cow<'_, str> {
    patterns().replace_all(text, |found: &Captures<'_>| {
        let kept = |n: usize| found.name(&format!("keep{n}")).map_or("", |kept| kept.as_str());
        let maybe = |n: usize| found.name(&format!("maybe{n}")).map(|value| value.as_str());
        // In shell syntax a literal value is a secret; after a colon it may be a type, in a sentence any
        // word.
        let is_none = maybe(1).or(maybe(4)).is_some_and(is_reference)
            || maybe(2)
                .is_some_and(|value| !looks_secret(value) || !(has_digit(value) || is_password(kept(8))))
            || maybe(3).is_some_and(|value| !has_digit(value))
            || maybe(5).is_some_and(|value| !has_digit(value) && !value.contains('='));
        if is_none {
            return found[0].to_string();
        }
        let before = [1, 2, 4, 7, 8, 9, 10, 11, 12].map(kept).concat();
        let quote = [kept(5), kept(6)].concat();
        format!("{before}{quote}{PLACEHOLDER}{quote}{}", kept(3))
    })
}

/// Returns a URL without query and userinfo: either may contain a secret.
pub fn redact_url(url: &str) -> Cow<'_, str> {
    let url = url.split_once('?').map_or(url, |(url, _)| url);
    // Without a scheme it is no address, but it may have been meant as one.
    let (scheme, rest) = url.split_at(url.find("://").map_or(0, |at| at + "://".len()));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}{host}{path}").into(),
        None => url.into(),
    }
}

/// Whether a value is a reference: `$KEY`, `{{ key }}`, `<key>`, `read(key)`.
fn is_reference(value: &str) -> bool {
    value.starts_with(['$', '{', '<']) || value.contains('(')
}

/// Whether a value is more than a type's or a variable's name.
fn looks_secret(value: &str) -> bool {
    const TYPES: [&str; 6] = ["string", "number", "boolean", "object", "unknown", "undefined"];
    let word = value.trim_end_matches([')', ']', '}', '>', '?', '.', '|']);
    let is_type = word.starts_with('&')
        || word.contains("::")
        || word.contains('<')
        || TYPES.contains(&word)
        || (word.starts_with(|c: char| c.is_ascii_uppercase()) && word.chars().all(char::is_alphabetic));
    !is_reference(value) && (has_digit(value) || !is_type)
}

/// Whether a name is one of those whose values may be words: other names also occur in parser errors.
fn is_password(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("pass") || name.contains("pwd")
}

fn has_digit(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted_and_labels_stay() {
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
            ("SECRET_KEY=abcdefgh ENCRYPTION_KEY=abcdefgh", "SECRET_KEY=[secret] ENCRYPTION_KEY=[secret]"),
            ("DB_PASS=correcthorse pwd=correcthorse", "DB_PASS=[secret] pwd=[secret]"),
            ("AccountName=a;AccountKey=abc+/def==;x", "AccountName=a;AccountKey=[secret];x"),
            ("GOCSPX-abcdefghijklmnop xapp-1-A0123456789-abc", "[secret] [secret]"),
            ("mysql -uroot -phunter2 db", "mysql -uroot -p[secret] db"),
            ("my password is hunter2hunter2", "my password is [secret]"),
            ("X-Auth-Token: Bearer 7f3a9c0d1e2b4f567788", "X-Auth-Token: Bearer [secret]"),
            ("auth_token=Bearer 7f3a9c0d1e2b", "auth_token=Bearer [secret]"),
            ("mysql -u root -h db -pcorrect shop", "mysql -u root -h db -p[secret] shop"),
            ("password: 'correct horse battery'", "password: '[secret]'"),
            ("password: correcthorse", "password: [secret]"),
            ("postgres://u:p@ss@db/x", "postgres://u:[secret]@db/x"),
        ] {
            assert_eq!(redact(text), safe, "{text}");
        }
    }

    #[test]
    fn secrets_plain_text_is_not_redacted() {
        for text in [
            "fix the token count in src/tokens.rs",
            "commit 4915424aa0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5",
            "the password field must not be empty",
            "what is a bearer token?",
            "see https://example.com:8080/a@b and std::fs",
            "sk-short, ghp_short",
            "let key = map.get(k)",
            "fn f(token: String, secret: &str, password: Option<String>) -> Token",
            "type Login = { password: string; token?: string }",
            "let token = parse(line); let secret = Secret::new()",
            "the password is missing, the token is expired",
            "export API_KEY=$OTHER_KEY; run --token $TOKEN",
            "the tests pass: everything; bypass: nothing",
            "mysql -p",
            "find mysql dumps -path x",
            "fix basic tests/it/architecture.rs",
            "Unexpected token: invalid syntax",
            "error at token:\nsomething12 went wrong",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn secrets_are_stripped_from_urls() {
        for (url, expected) in [
            ("https://h/a?key=hunter2", "https://h/a"),
            ("https://me:hunter2@h:1/a@b?x", "https://h:1/a@b"),
            ("http://h", "http://h"),
            ("me:hunter2@h:1/a", "h:1/a"),
            ("*", "*"),
        ] {
            assert_eq!(redact_url(url), expected);
        }
    }
}
