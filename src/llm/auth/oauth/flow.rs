//! OAuth login flow, from start to the entry to store.
//!
//! Must not know the credentials file: the caller stores the entry.

use std::collections::HashMap;

use serde_json::Value;

use super::pkce::{self, Pkce};
use super::{Flow, LoginError, LoginRow, LoginUi, copilot, device, token};
use crate::base::clock::SharedClock;
use crate::llm::auth::entry::{Entry, Login};
use crate::llm::model::{Notice, Question};
use crate::net::callback::{Callback, RedirectResult};
use crate::net::http::Http;

/// Resources of a flow.
pub struct FlowContext<'a> {
    /// The shared client.
    pub http: &'a Http,
    /// For expiration times.
    pub clock: &'a SharedClock,
    /// The environment.
    pub vars: &'a HashMap<String, String>,
    /// The dialog with the user.
    pub ui: &'a dyn LoginUi,
}

/// Runs the login and returns the entry to store.
pub async fn run(row: &LoginRow, means: &FlowContext<'_>) -> Result<Value, LoginError> {
    let client = row.client(means.vars)?;
    match row.flow {
        Flow::Device => device_login(row, &client, means).await.map(|login| login.to_value()),
        Flow::Browser => browser_login(row, &client, means).await.map(|login| login.to_value()),
        Flow::MintedKey => mint_key(row, means).await,
    }
}

async fn device_login(row: &LoginRow, client: &str, means: &FlowContext<'_>) -> Result<Login, LoginError> {
    let now = || means.clock.now_ms();
    if row.domain.is_empty() {
        return device::run(row, client, means.http, means.ui, now).await;
    }
    let question = format!("Domain of your company, or nothing for {}", row.domain);
    let input = means.ui.ask(Question::Line(question)).await.ok_or(LoginError::Canceled)?;
    let own = if input.trim().is_empty() {
        None
    } else {
        Some(copilot::domain(&input).ok_or(LoginError::InvalidAnswer("that is no domain"))?)
    };
    let row = row.with_domain(own.as_deref().unwrap_or(&row.domain));
    let mut login = device::run(&row, client, means.http, means.ui, now).await?;
    if let Some(domain) = own {
        login.extra.insert(copilot::DOMAIN.to_string(), domain.into());
    }
    if row.exchange_url.is_empty() {
        return Ok(login);
    }
    // GitHub's token does not expire: it serves as refresh token for the other one.
    login.refresh = login.access.clone();
    means.ui.notify(Notice::Progress("exchanging the token…".to_string()));
    copilot::exchange(&row, &login, means.http).await
}

async fn browser_login(row: &LoginRow, client: &str, means: &FlowContext<'_>) -> Result<Login, LoginError> {
    let (pkce, state) = (Pkce::new()?, pkce::random_token()?);
    let callback = open_callback(row, &row.path).await;
    let port = callback.as_ref().map_or(row.port, Callback::port);
    let redirect = format!("http://localhost:{port}{}", row.path);
    let mut fields = vec![
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", redirect.as_str()),
        ("scope", row.scope.as_str()),
        ("code_challenge", pkce.challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("state", state.as_str()),
    ];
    fields.extend(row.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let page = format!("{}?{}", row.authorize_url, token::encode_fields(&fields));
    let code = wait_for_code(callback, Some(&state), page, means).await?;
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code.as_str()),
        ("redirect_uri", redirect.as_str()),
        ("code_verifier", pkce.verifier.as_str()),
    ];
    if row.json {
        fields.push(("state", state.as_str()));
    }
    let answer = token::send_fields(means.http, &row.token_url, &fields, row.json).await?;
    answer.login(row, None, means.clock.now_ms())
}

async fn mint_key(row: &LoginRow, means: &FlowContext<'_>) -> Result<Value, LoginError> {
    let pkce = Pkce::new()?;
    // The page returns no state, so an unguessable path keeps other clients out.
    let path = format!("/callback/{}", pkce::random_token()?);
    let callback = open_callback(row, &path).await;
    let port = callback.as_ref().map_or(row.port, Callback::port);
    let redirect = format!("http://localhost:{port}{path}");
    let fields = [
        ("callback_url", redirect.as_str()),
        ("code_challenge", pkce.challenge.as_str()),
        ("code_challenge_method", "S256"),
    ];
    let page = format!("{}?{}", row.authorize_url, token::encode_fields(&fields));
    let code = wait_for_code(callback, None, page, means).await?;
    let fields = [
        ("code", code.as_str()),
        ("code_verifier", pkce.verifier.as_str()),
        ("code_challenge_method", "S256"),
    ];
    let answer = token::send_fields(means.http, &row.token_url, &fields, true).await?;
    match answer.body.get("key").and_then(Value::as_str) {
        Some(key) if (200..300).contains(&answer.status) && !key.is_empty() => Ok(Entry::from_key(key)),
        _ => Err(answer.error()),
    }
}

async fn open_callback(row: &LoginRow, path: &str) -> Result<Callback, LoginError> {
    match Callback::open(row.port, path).await {
        Err(_) if row.any_port => Callback::open(0, path).await,
        opened => opened,
    }
    .map_err(|cause| LoginError::Port { port: row.port, cause })
}

/// Returns the code, from the browser on this machine or pasted by the user. Without a free port only the
/// latter is possible.
async fn wait_for_code(
    callback: Result<Callback, LoginError>,
    state: Option<&str>,
    page: String,
    means: &FlowContext<'_>,
) -> Result<String, LoginError> {
    means.ui.notify(Notice::Page(page));
    let question = "If the browser is on another machine, paste the address that it ended at";
    let pasting = means.ui.ask(Question::Pasted(question.to_string()));
    let input = match callback {
        Ok(callback) => tokio::select! {
            landed = callback.wait(state) => return code_of(landed.map_err(|cause| LoginError::Port { port: 0, cause })?),
            input = pasting => input,
        },
        Err(error) => {
            means.ui.notify(Notice::Progress(error.to_string()));
            pasting.await
        }
    };
    let landed = parse_pasted(&input.ok_or(LoginError::Canceled)?, state)?;
    code_of(landed)
}

fn code_of(landed: RedirectResult) -> Result<String, LoginError> {
    match landed {
        RedirectResult::Code(code) => Ok(code),
        RedirectResult::Refused(reason) => Err(LoginError::Refused(reason)),
    }
}

/// Parses the user's pasted text: the full URL, its query, `code#state`, or the code alone.
fn parse_pasted(input: &str, state: Option<&str>) -> Result<RedirectResult, LoginError> {
    let input = input.trim();
    let query = match reqwest::Url::parse(input) {
        Ok(url) => url.query().unwrap_or_default().to_string(),
        Err(_) if input.contains("code=") || input.contains("error=") => {
            input.trim_start_matches('?').to_string()
        }
        Err(_) => match input.split_once('#') {
            Some((code, state)) => token::encode_fields(&[("code", code), ("state", state)]),
            None => token::encode_fields(&[("code", input)]),
        },
    };
    let pairs = RedirectResult::parse_query(&query);
    if let (Some(expected), Some(got)) = (state, pairs.get("state"))
        && expected != got
    {
        return Err(LoginError::InvalidAnswer("it belongs to another login"));
    }
    RedirectResult::parse(&pairs).ok_or(LoginError::InvalidAnswer("it holds no code"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oauth_pasted_code_accepts_urls_and_codes() {
        for (said, expected) in [
            ("http://localhost:1/callback?code=a%20b&state=s", Some(RedirectResult::Code("a b".into()))),
            ("?code=a&state=s", Some(RedirectResult::Code("a".into()))),
            (" a#s \n", Some(RedirectResult::Code("a".into()))),
            ("a", Some(RedirectResult::Code("a".into()))),
            ("http://localhost/?error=access_denied", Some(RedirectResult::Refused("access_denied".into()))),
            ("http://localhost/?code=a&state=other", None),
            ("a#other", None),
            ("http://localhost/", None),
            ("", None),
        ] {
            assert_eq!(parse_pasted(said, Some("s")).ok(), expected, "{said}");
        }
    }
}
