//! AWS STS: exchanges a web identity token or other keys for keys of a role.

use super::chain::{Chain, FoundKeys};
use super::ini::Section;
use crate::base::clock::parse_iso8601;
use crate::llm::access::ApiKey;
use crate::llm::auth::sigv4::{self, AwsKeys, Scope, UnsignedRequest};
use crate::llm::auth::token_request::{self, TokenError};
use crate::net::http::Post;

/// Name of bowline's sessions in the logs of an account.
const SESSION_NAME: &str = "bowline";
const SERVICE: &str = "Amazon's token service";
const VERSION: (&str, &str) = ("Version", "2011-06-15");

impl Chain {
    /// Returns keys of a role for the token in a file, which is read each time because it changes.
    pub(super) async fn web_identity_keys(
        &self,
        region: &str,
        role: &str,
        file: &str,
        session: Option<&str>,
    ) -> Result<FoundKeys, TokenError> {
        let token = crate::llm::auth::read(file.into()).await;
        let token = token.map_err(|error| TokenError::configuration(format!("{file}: {error}")))?;
        let fields = [
            ("Action", "AssumeRoleWithWebIdentity"),
            VERSION,
            ("RoleArn", role),
            ("RoleSessionName", session.unwrap_or(SESSION_NAME)),
            ("WebIdentityToken", token.trim()),
        ];
        let post = token_request::form_post(&self.sts_url(region), &fields);
        parse_keys(&token_request::text(self.http.post(post).await, SERVICE).await?)
    }

    /// Returns keys of a profile's role for other keys.
    pub(super) async fn assume_role(
        &self,
        keys: &AwsKeys,
        profile: &Section,
        region: &str,
    ) -> Result<FoundKeys, TokenError> {
        let get = |key: &str| profile.get(key).map(String::as_str);
        let mut fields = vec![
            ("Action", "AssumeRole"),
            VERSION,
            ("RoleArn", get("role_arn").unwrap_or_default()),
            ("RoleSessionName", get("role_session_name").unwrap_or(SESSION_NAME)),
        ];
        fields.extend(get("external_id").map(|id| ("ExternalId", id)));
        fields.extend(get("duration_seconds").map(|seconds| ("DurationSeconds", seconds)));
        let url = self.sts_url(region);
        let Post { mut headers, body, .. } = token_request::form_post(&url, &fields);
        let unsigned = UnsignedRequest { method: "POST", url: &url, body: &body };
        let scope = Scope { region, service: "sts", now_ms: self.clock.now_ms() };
        sigv4::sign(unsigned, keys, scope, &mut headers)
            .ok_or_else(|| TokenError::configuration(format!("`{url}` is not a URL that can be asked")))?;
        let post = Post { url, headers, body, unrecorded: true, ..Post::default() };
        parse_keys(&token_request::text(self.http.post(post).await, SERVICE).await?)
    }

    fn sts_url(&self, region: &str) -> String {
        let end = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        let root =
            self.variables.var("AWS_ENDPOINT_URL_STS").map(|url| url.trim_end_matches('/').to_string());
        format!("{}/", root.unwrap_or_else(|| format!("https://sts.{region}.{end}")))
    }
}

/// Parses the XML response; its values contain no escapes.
fn parse_keys(answer: &str) -> Result<FoundKeys, TokenError> {
    let value = |name: &str| {
        let rest = answer.split_once(&format!("<{name}>"))?.1;
        Some(rest.split_once(&format!("</{name}>"))?.0.trim().to_string())
    };
    let found = || {
        Some(FoundKeys {
            keys: AwsKeys {
                id: value("AccessKeyId")?,
                secret: ApiKey(value("SecretAccessKey")?),
                session: value("SessionToken").map(ApiKey),
            },
            ends_ms: value("Expiration").and_then(|at| parse_iso8601(&at)),
        })
    };
    found().ok_or_else(|| TokenError::configuration(format!("{SERVICE} handed out no keys")))
}
