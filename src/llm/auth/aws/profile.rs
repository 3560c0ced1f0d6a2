//! Keys of an AWS profile: static, of an assumed role, or of an SSO login.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde_json::Value;

use super::chain::{Chain, FoundKeys, read_keys};
use super::ini::{Profiles, Section};
use crate::base::clock::parse_iso8601;
use crate::llm::access::ApiKey;
use crate::llm::auth::sigv4::{self, AwsKeys};
use crate::llm::auth::token_request::{self, TokenError};
use crate::net::http::Get;

/// Maximum length of a chain of assumed roles.
const CHAIN_MAX: usize = 5;

impl Chain {
    /// Returns the keys of the selected profile; `None` when the default profile does not exist.
    pub(super) async fn profile_keys(
        &self,
        all: &Profiles,
        region: &str,
    ) -> Result<Option<FoundKeys>, TokenError> {
        let name = self.profile_name();
        let Some(profile) = all.profile(name) else {
            if name == "default" {
                return Ok(None);
            }
            return Err(TokenError::configuration(format!(
                "there is no profile `{name}` in the files of Amazon's CLI"
            )));
        };
        // Roles to assume with the keys found so far, the first one last.
        let mut roles: Vec<&Section> = Vec::new();
        let (mut name, mut profile) = (name, profile);
        let mut found = loop {
            if let Some(found) = self.own_keys(all, name, profile, region).await? {
                break found;
            }
            let Some(source) = profile.get("source_profile") else {
                if !profile.contains_key("role_arn") {
                    return Ok(None);
                }
                roles.push(profile);
                break self.source_keys(name, profile).await?;
            };
            roles.push(profile);
            if source == name {
                break static_keys(profile).ok_or_else(|| no_keys_error(name))?;
            }
            if roles.len() > CHAIN_MAX {
                return Err(TokenError::configuration(format!(
                    "profile `{name}`: its source profiles do not end"
                )));
            }
            name = source;
            profile = all.profile(source).ok_or_else(|| {
                TokenError::configuration(format!(
                    "there is no profile `{source}` in the files of Amazon's CLI"
                ))
            })?;
        };
        while let Some(role) = roles.pop() {
            found = self.assume_role(&found.keys, role, region).await?;
        }
        Ok(Some(found))
    }

    /// Returns the keys of a profile itself, without assumed roles.
    async fn own_keys(
        &self,
        all: &Profiles,
        name: &str,
        profile: &Section,
        region: &str,
    ) -> Result<Option<FoundKeys>, TokenError> {
        let get = |key: &str| profile.get(key).filter(|value| !value.is_empty()).map(String::as_str);
        for cannot in ["mfa_serial", "credential_process"] {
            if get(cannot).is_some() {
                return Err(TokenError::configuration(format!(
                    "profile `{name}`: `{cannot}` is not supported here; put temporary keys into the \
                     environment, as `aws configure export-credentials --format env` prints them"
                )));
            }
        }
        if let Some(role) = get("role_arn") {
            let Some(token) = get("web_identity_token_file") else { return Ok(None) };
            let session = get("role_session_name");
            return self.web_identity_keys(region, role, token, session).await.map(Some);
        }
        if get("sso_account_id").is_some() {
            return self.sso_keys(all, name, profile).await.map(Some);
        }
        Ok(static_keys(profile))
    }

    /// Returns the initial keys of a profile with a role but no source profile.
    async fn source_keys(&self, name: &str, profile: &Section) -> Result<FoundKeys, TokenError> {
        let found = match profile.get("credential_source").map(String::as_str) {
            Some("Environment") => self.environment().map(|keys| FoundKeys { keys, ends_ms: None }),
            Some("EcsContainer") => self.container_keys().await?,
            Some("Ec2InstanceMetadata") => self.instance_keys().await?,
            _ => None,
        };
        found.ok_or_else(|| no_keys_error(name))
    }

    /// Returns the keys of an SSO login, with the token that Amazon's CLI has cached.
    async fn sso_keys(&self, all: &Profiles, name: &str, profile: &Section) -> Result<FoundKeys, TokenError> {
        let session = profile.get("sso_session");
        let shared = session.and_then(|session| all.session(session));
        let get = |key: &str| profile.get(key).or_else(|| shared?.get(key)).map(String::as_str);
        let need = |key: &str| {
            get(key).ok_or_else(|| TokenError::configuration(format!("profile `{name}`: `{key}` is missing")))
        };
        let start = need("sso_start_url")?;
        let (account, role, region) = (need("sso_account_id")?, need("sso_role_name")?, need("sso_region")?);
        let key = session.map_or(start, String::as_str);
        let file = sigv4::hex(digest(&SHA1_FOR_LEGACY_USE_ONLY, key.as_bytes()).as_ref());
        let login_error = || TokenError {
            kind: crate::llm::model::ErrorKind::Authentication,
            text: format!("the login of profile `{name}` has ended (run `aws sso login --profile {name}`)"),
            unreachable: false,
        };
        let home = self.variables.home.as_ref().ok_or_else(login_error)?;
        let path = home.join(".aws/sso/cache").join(format!("{file}.json"));
        let text = crate::llm::auth::read(path).await.map_err(|_| login_error())?;
        let cache: Value = serde_json::from_str(&text).map_err(|_| login_error())?;
        // Older versions end a timestamp with `UTC`.
        let ends = cache["expiresAt"].as_str().map(|at| at.replace("UTC", "Z"));
        let ends = ends.and_then(|at| parse_iso8601(&at)).unwrap_or(0);
        let token =
            cache["accessToken"].as_str().filter(|_| ends > self.clock.now_ms()).ok_or_else(login_error)?;
        let root = self.variables.var("AWS_ENDPOINT_URL_SSO").map(str::to_string);
        let root = root.unwrap_or_else(|| format!("https://portal.sso.{region}.amazonaws.com"));
        let get = Get {
            url: format!(
                "{}/federation/credentials?role_name={}&account_id={}",
                root.trim_end_matches('/'),
                token_request::percent_encode(role),
                token_request::percent_encode(account)
            ),
            headers: vec![("x-amz-sso_bearer_token".into(), token.to_string())],
            timeout: None,
        };
        let answer = token_request::json(self.http.get(get).await, "Amazon's login").await?;
        let found = read_keys(&answer["roleCredentials"], "sessionToken");
        found.ok_or_else(|| {
            TokenError::configuration(format!("profile `{name}`: its login hands out no keys"))
        })
    }
}

/// Returns the static keys of a profile.
fn static_keys(profile: &Section) -> Option<FoundKeys> {
    let get = |key: &str| profile.get(key).filter(|value| !value.is_empty()).cloned();
    Some(FoundKeys {
        keys: AwsKeys {
            id: get("aws_access_key_id")?,
            secret: ApiKey(get("aws_secret_access_key")?),
            session: get("aws_session_token").map(ApiKey),
        },
        ends_ms: None,
    })
}

fn no_keys_error(name: &str) -> TokenError {
    TokenError::configuration(format!("profile `{name}` has a role, but nothing to take it on with"))
}
