//! Google Cloud tokens, found as by Google's own tools (application default credentials): a credentials file,
//! then the metadata server.
//!
//! Must not know what the token is for. Tokens are cached until shortly before they expire; only one refresh
//! runs at a time.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::Value;
use tokio::sync::Mutex;

use super::token_request::{self, TokenError};
use crate::base::clock::SharedClock;
use crate::base::json::json;
use crate::llm::access::{ApiKey, Variables};
use crate::net::http::{Get, Http};

/// Default URL for tokens, unless the file has another.
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
/// OAuth scope of the token.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// Address of the metadata server.
const METADATA_HOST: &str = "169.254.169.254";
/// Timeout: the server answers immediately, or this is not a Google machine.
const METADATA_TIMEOUT: Duration = Duration::from_secs(1);
/// Tokens that expire sooner than this are refreshed.
const RENEW_EARLY_MS: u64 = 5 * 60 * 1000;
/// Lifetime of a signed assertion, in seconds.
const ASSERTION_SECONDS: u64 = 3600;

/// A token with its project.
#[derive(Debug, Clone)]
pub struct Token {
    /// The token for `Authorization: Bearer`.
    pub secret: ApiKey,
    /// The project of the credentials, if known.
    pub project: Option<String>,
    /// The billing project, if it is another one.
    pub quota_project: Option<String>,
    ends_ms: u64,
}

/// The chain with its cached token.
pub struct Tokens {
    variables: Variables,
    http: Arc<Http>,
    clock: SharedClock,
    cached: Mutex<Option<Token>>,
}

impl Tokens {
    /// Creates a chain with an empty cache.
    pub fn new(surroundings: Variables, http: Arc<Http>, clock: SharedClock) -> Self {
        Self { variables: surroundings, http, clock, cached: Mutex::default() }
    }

    /// Returns a token that is valid for some minutes; `None` when there are no credentials.
    pub async fn token(&self) -> Result<Option<Token>, TokenError> {
        // Held during the refresh: concurrent callers wait for the same token.
        let mut kept = self.cached.lock().await;
        if let Some(token) = kept.as_ref().filter(|t| t.ends_ms > self.clock.now_ms() + RENEW_EARLY_MS) {
            return Ok(Some(token.clone()));
        }
        let token = match self.credentials_file().await? {
            Some((path, file)) => Some(self.token_from_file(&path, &file).await?),
            None => self.token_from_metadata().await?,
        };
        kept.clone_from(&token);
        Ok(token)
    }

    /// Returns the credentials file, if there is one.
    async fn credentials_file(&self) -> Result<Option<(PathBuf, Value)>, TokenError> {
        let named = self.variables.var("GOOGLE_APPLICATION_CREDENTIALS").map(PathBuf::from);
        let folder = self.variables.var("CLOUDSDK_CONFIG").map(PathBuf::from);
        let folder = folder.or_else(|| Some(self.variables.home.as_ref()?.join(".config/gcloud")));
        let must = named.is_some();
        let Some(path) = named.or_else(|| Some(folder?.join("application_default_credentials.json"))) else {
            return Ok(None);
        };
        let text = match super::read(path.clone()).await {
            Ok(text) => text,
            Err(error) if !must && error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(TokenError::configuration(format!("{}: {error}", path.display()))),
        };
        let file = serde_json::from_str(&text)
            .map_err(|error| TokenError::configuration(format!("{}: {error}", path.display())))?;
        Ok(Some((path, file)))
    }

    async fn token_from_file(&self, path: &std::path::Path, file: &Value) -> Result<Token, TokenError> {
        let field = |name: &str| {
            let value = file[name].as_str().filter(|value| !value.is_empty());
            value.ok_or_else(|| TokenError::configuration(format!("{}: `{name}` is missing", path.display())))
        };
        let url = file["token_uri"].as_str().unwrap_or(TOKEN_URL);
        let answer = match field("type")? {
            "authorized_user" => {
                let fields = [
                    ("client_id", field("client_id")?),
                    ("client_secret", field("client_secret")?),
                    ("refresh_token", field("refresh_token")?),
                    ("grant_type", "refresh_token"),
                ];
                token_request::form(&self.http, url, &fields, "Google's token service").await?
            }
            "service_account" => {
                let key = field("private_key")?;
                let iat = self.clock.now_ms() / 1000;
                let claims = json!({"iss": field("client_email")?, "scope": SCOPE, "aud": url,
                    "iat": iat, "exp": iat + ASSERTION_SECONDS});
                let header = json!({"alg": "RS256", "typ": "JWT", "kid": file["private_key_id"]});
                let assertion = jwt(&header, &claims, key).ok_or_else(|| {
                    TokenError::configuration(format!("{}: `private_key` is no key", path.display()))
                })?;
                let fields = [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    ("assertion", &*assertion),
                ];
                token_request::form(&self.http, url, &fields, "Google's token service").await?
            }
            other => {
                return Err(TokenError::configuration(format!(
                    "{}: credentials of the kind `{other}` cannot be used here; a service account or \
                     `gcloud auth application-default login` can",
                    path.display()
                )));
            }
        };
        let text = |name: &str| file[name].as_str().map(str::to_string);
        let project = text("project_id").or_else(|| text("quota_project_id"));
        Ok(Token { project, quota_project: text("quota_project_id"), ..self.parse_token(&answer)? })
    }

    /// Returns a token from the metadata server, on a Google machine.
    async fn token_from_metadata(&self) -> Result<Option<Token>, TokenError> {
        let token = match self.metadata("instance/service-accounts/default/token").await {
            Ok(token) => token,
            Err(error) if error.unreachable => return Ok(None),
            Err(error) => return Err(error),
        };
        let answer: Value = serde_json::from_str(&token).unwrap_or_default();
        let token = self.parse_token(&answer)?;
        // Only needed when no variable names the project.
        let project = match self.metadata("project/project-id").await {
            Ok(project) => Some(project.trim().to_string()),
            Err(error) => {
                tracing::debug!("no project: {}", error.text);
                None
            }
        };
        Ok(Some(Token { project, ..token }))
    }

    async fn metadata(&self, path: &str) -> Result<String, TokenError> {
        let host = self.variables.var("GCE_METADATA_HOST").unwrap_or(METADATA_HOST);
        let get = Get {
            url: format!("http://{host}/computeMetadata/v1/{path}"),
            headers: vec![("metadata-flavor".into(), "Google".into())],
            timeout: Some(METADATA_TIMEOUT),
        };
        token_request::text(self.http.get(get).await, "the machine's metadata").await
    }

    fn parse_token(&self, answer: &Value) -> Result<Token, TokenError> {
        let secret = answer["access_token"].as_str().filter(|token| !token.is_empty());
        let secret = secret.ok_or_else(|| TokenError::configuration("Google handed out no access token"))?;
        let lasts_s = answer["expires_in"].as_u64().unwrap_or(0);
        Ok(Token {
            secret: ApiKey(secret.to_string()),
            project: None,
            quota_project: None,
            ends_ms: self.clock.now_ms().saturating_add(lasts_s.saturating_mul(1000)),
        })
    }
}

/// Returns a signed JWT; `None` when the key is not PEM in PKCS #8.
fn jwt(header: &Value, claims: &Value, pem: &str) -> Option<String> {
    let body: String = pem.lines().filter(|line| !line.starts_with("-----")).map(str::trim).collect();
    let key = RsaKeyPair::from_pkcs8(&STANDARD.decode(body).ok()?).ok()?;
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(header), part(claims));
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).ok()?;
    Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

    const KEY: &str = include_str!("../../../tests/fixtures/rsa-test-key.pem");

    #[test]
    fn jwt_signature_verifies_with_key() {
        let token = jwt(&json!({"alg": "RS256"}), &json!({"iss": "me"}), KEY).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        assert_eq!(signed, "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJtZSJ9");
        let body: String = KEY.lines().filter(|line| !line.starts_with('-')).collect();
        let pair = RsaKeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public().as_ref());
        public.verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
        assert_eq!(jwt(&json!({}), &json!({}), "-----BEGIN\nnonsense"), None);
    }
}
