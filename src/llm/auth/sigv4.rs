//! AWS Signature Version 4 of a request. Pure.

use ring::digest::{SHA256, digest};
use ring::hmac;

use super::token_request::percent_encode;
use crate::llm::access::ApiKey;

/// Signing keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsKeys {
    /// The access key id, which is public.
    pub id: String,
    /// The secret key.
    pub secret: ApiKey,
    /// The session token of temporary keys.
    pub session: Option<ApiKey>,
}

/// The scope of a signature.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The region, such as `us-east-1`.
    pub region: &'a str,
    /// The service, such as `bedrock`.
    pub service: &'a str,
    /// Milliseconds since the epoch.
    pub now_ms: u64,
}

/// An unsigned request.
#[derive(Debug, Clone, Copy)]
pub struct UnsignedRequest<'a> {
    /// The method in upper case.
    pub method: &'a str,
    /// The absolute URL, with a percent-encoded path.
    pub url: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// Adds the signature headers: time, session token and `authorization`. Signs the host, `content-type` and
/// all headers that start with `x-amz-`. `None` when the URL is invalid.
#[must_use = "an unsigned request is refused"]
pub fn sign(
    request: UnsignedRequest,
    keys: &AwsKeys,
    scope: Scope,
    headers: &mut Vec<(String, String)>,
) -> Option<()> {
    let (host, path, query) = split_url(request.url)?;
    let stamp = timestamp(scope.now_ms);
    headers.push(("x-amz-date".into(), stamp.clone()));
    headers.extend(keys.session.as_ref().map(|token| ("x-amz-security-token".into(), token.0.clone())));
    let mut signed: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), collapse_spaces(value)))
        .filter(|(name, _)| name == "content-type" || name.starts_with("x-amz-"))
        .collect();
    signed.push(("host".into(), host.to_string()));
    signed.sort();
    let names: Vec<&str> = signed.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(";");
    let mut lines = String::new();
    for (name, value) in &signed {
        lines.push_str(&format!("{name}:{value}\n"));
    }
    let body = hex(digest(&SHA256, request.body).as_ref());
    let canonical = format!("{}\n{}\n{query}\n{lines}\n{names}\n{body}", request.method, encode_path(path));
    let day = &stamp[..8];
    let credential_scope = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let canonical = hex(digest(&SHA256, canonical.as_bytes()).as_ref());
    let words = format!("AWS4-HMAC-SHA256\n{stamp}\n{credential_scope}\n{canonical}");
    let mut key = format!("AWS4{}", keys.secret.0).into_bytes();
    for part in [day, scope.region, scope.service, "aws4_request"] {
        key = hmac_sha256(&key, part);
    }
    let signature = hex(&hmac_sha256(&key, &words));
    headers.push((
        "authorization".into(),
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{credential_scope}, SignedHeaders={names}, Signature={signature}",
            keys.id
        ),
    ));
    Some(())
}

/// Returns host with port, path, and query. Default ports are omitted, as in a `Host` header.
fn split_url(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(at);
    let host = match scheme {
        "https" => host.strip_suffix(":443").unwrap_or(host),
        _ => host.strip_suffix(":80").unwrap_or(host),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    Some((host, if path.is_empty() { "/" } else { path }, query))
}

/// Encodes the path a second time, as the signature requires.
fn encode_path(path: &str) -> String {
    path.split('/').map(percent_encode).collect::<Vec<_>>().join("/")
}

fn collapse_spaces(value: &str) -> String {
    value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the time as `20150830T123600Z`.
fn timestamp(ms: u64) -> String {
    let iso = crate::base::clock::iso8601(ms);
    let whole = iso.split('.').next().unwrap_or_default();
    let digits: String = whole.chars().filter(|c| *c != '-' && *c != ':').collect();
    format!("{digits}Z")
}

fn hmac_sha256(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

/// Returns lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2015-08-30T12:36:00Z, the time of Amazon's own test suite.
    const NOW_MS: u64 = 1_440_938_160_000;
    const URL: &str = "https://example.amazonaws.com/";

    fn keys(session: Option<&str>) -> AwsKeys {
        AwsKeys {
            id: "AKIDEXAMPLE".into(),
            secret: ApiKey("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into()),
            session: session.map(|token| ApiKey(token.into())),
        }
    }

    fn signed(
        method: &str,
        url: &str,
        body: &str,
        headers: &[(&str, &str)],
        session: Option<&str>,
    ) -> String {
        let mut headers: Vec<_> = headers.iter().map(|(n, v)| ((*n).to_string(), (*v).to_string())).collect();
        let scope = Scope { region: "us-east-1", service: "service", now_ms: NOW_MS };
        let request = UnsignedRequest { method, url, body: body.as_bytes() };
        sign(request, &keys(session), scope, &mut headers).unwrap();
        headers.pop().unwrap().1
    }

    fn expected(names: &str, signature: &str) -> String {
        let place = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";
        format!("AWS4-HMAC-SHA256 Credential={place}, SignedHeaders={names}, Signature={signature}")
    }

    #[test]
    fn sigv4_matches_aws_test_vectors() {
        let plain = "host;x-amz-date";
        for (method, url, body, headers, names, signature) in [
            (
                "GET",
                URL,
                "",
                &[][..],
                plain,
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            ("POST", URL, "", &[], plain, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                "POST",
                URL,
                "Param1=value1",
                &[("Content-Type", "application/x-www-form-urlencoded")],
                "content-type;host;x-amz-date",
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                "GET",
                "https://example.amazonaws.com/?Param1=value1",
                "",
                &[],
                plain,
                "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
            ),
        ] {
            assert_eq!(
                signed(method, url, body, headers, None),
                expected(names, signature),
                "{method} {url}"
            );
        }
    }

    #[test]
    fn sigv4_signs_session_token_and_amz_headers() {
        let with = signed("POST", URL, "", &[("X-Amz-Target", "a  b"), ("accept", "x")], Some("token"));
        assert!(with.contains("SignedHeaders=host;x-amz-date;x-amz-security-token;x-amz-target,"), "{with}");
    }

    #[test]
    fn sigv4_path_is_encoded_twice_and_host_keeps_port() {
        assert_eq!(encode_path("/model/a%3A0/converse"), "/model/a%253A0/converse");
        assert_eq!(split_url("http://h:8080/p?q"), Some(("h:8080", "/p", "q")));
        assert_eq!(split_url("https://h:443"), Some(("h", "/", "")));
        assert_eq!(split_url("nonsense"), None);
        assert_eq!(timestamp(NOW_MS), "20150830T123600Z");
    }
}
