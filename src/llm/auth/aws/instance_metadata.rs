//! AWS keys from the container agent or the instance metadata service.

use std::time::Duration;

use serde_json::Value;

use super::chain::{Chain, FoundKeys, read_keys};
use crate::base::secrets;
use crate::llm::auth::token_request::{self, TokenError};
use crate::net::http::{Get, is_loopback_url};

/// Address of the container agent.
const CONTAINER_URL: &str = "http://169.254.170.2";
/// Hosts to which a container's token may be sent over plain HTTP.
const CONTAINER_HOSTS: &[&str] = &["http://169.254.170.2", "http://169.254.170.23", "http://[fd00:ec2::23]"];
/// Address of the instance metadata service.
const INSTANCE_URL: &str = "http://169.254.169.254";
/// Timeout: both services answer immediately, or do not exist.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Lifetime of a metadata token, in seconds.
const TOKEN_SECONDS: &str = "21600";

impl Chain {
    /// Returns keys from the container agent, if the environment names it.
    pub(super) async fn container_keys(&self) -> Result<Option<FoundKeys>, TokenError> {
        let relative = self.variables.var("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
        let url = match (relative, self.variables.var("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
            (Some(path), _) => format!("{CONTAINER_URL}{path}"),
            (None, Some(url)) => url.to_string(),
            (None, None) => return Ok(None),
        };
        // Text before an `@` is userinfo, not the host.
        let redacted_url = secrets::redact_url(&url);
        let of = |host: &str| {
            let rest = redacted_url.strip_prefix(host);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', '?']))
        };
        if !url.starts_with("https://")
            && !is_loopback_url(&url)
            && !CONTAINER_HOSTS.iter().any(|host| of(host))
        {
            return Err(TokenError::configuration(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI names a host that must be asked by https",
            ));
        }
        let mut headers = Vec::new();
        let token = match self.variables.var("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
            Some(path) => Some(
                crate::llm::auth::read(path.into())
                    .await
                    .map_err(|error| TokenError::configuration(format!("{path}: {error}")))?,
            ),
            None => self.variables.var("AWS_CONTAINER_AUTHORIZATION_TOKEN").map(str::to_string),
        };
        headers.extend(token.map(|token| ("authorization".to_string(), token.trim().to_string())));
        let get = Get { url, headers, timeout: Some(TIMEOUT) };
        let answer = token_request::json(self.http.get(get).await, "the container's credentials").await?;
        let found = read_keys(&answer, "Token");
        found.map(Some).ok_or_else(|| TokenError::configuration("the container handed out no keys"))
    }

    /// Returns keys from the instance metadata service, on an Amazon machine: first a token, then the role's
    /// keys.
    pub(super) async fn instance_keys(&self) -> Result<Option<FoundKeys>, TokenError> {
        if self.variables.var("AWS_EC2_METADATA_DISABLED").is_some_and(|v| v.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let root = self.variables.var("AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or(INSTANCE_URL);
        let root = root.trim_end_matches('/');
        let get = |path: &str, name: &str, value: &str| Get {
            url: format!("{root}/latest/{path}"),
            headers: vec![(name.to_string(), value.to_string())],
            timeout: Some(TIMEOUT),
        };
        let response = get("api/token", "x-aws-ec2-metadata-token-ttl-seconds", TOKEN_SECONDS);
        let token = match token_request::text(self.http.put(response).await, "the machine's metadata").await {
            Ok(token) => token,
            Err(error) if error.unreachable => return Ok(None),
            Err(error) => return Err(error),
        };
        let with = |path: &str| get(path, "x-aws-ec2-metadata-token", token.trim());
        let roles = "meta-data/iam/security-credentials/";
        let role = token_request::text(self.http.get(with(roles)).await, "the machine's role").await?;
        let Some(role) = role.lines().map(str::trim).find(|line| !line.is_empty()) else { return Ok(None) };
        let path = format!("{roles}{}", token_request::percent_encode(role));
        let answer: Value =
            token_request::json(self.http.get(with(&path)).await, "the machine's role").await?;
        let found = read_keys(&answer, "Token");
        found
            .map(Some)
            .ok_or_else(|| TokenError::configuration(format!("the machine's role `{role}` has no keys")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use super::*;
    use crate::base::clock::ManualClock;
    use crate::llm::access::Variables;
    use crate::net::http::{Http, Limits};

    #[tokio::test]
    async fn aws_container_token_requires_https_or_link_local() {
        let of = |url: &str| {
            let vars = HashMap::from([("AWS_CONTAINER_CREDENTIALS_FULL_URI".to_string(), url.to_string())]);
            let around = Variables { vars: Arc::new(vars), home: None };
            let http = Arc::new(Http::new(Limits::default(), true));
            Chain::new(around, http, ManualClock::new(0))
        };
        for (url, refused) in [
            ("http://169.254.170.2/v2", false),
            ("http://169.254.170.23:80/v1", false),
            ("https://elsewhere.example/v1", false),
            ("http://elsewhere.example/v1", true),
            ("http://169.254.170.2.example/v1", true),
            ("http://169.254.170.2:80@elsewhere.example/v1", true),
        ] {
            let told = of(url).container_keys().await.unwrap_err().text;
            assert_eq!(told.contains("must be asked by https"), refused, "{url}: {told}");
        }
    }
}
