//! Data rows of OAuth logins. Must not know how a flow works.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::login_ui::LoginError;

/// Type of login flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flow {
    /// Browser redirect to this machine, with PKCE.
    #[default]
    Browser,
    /// The same, but the result is a permanent key; no client id is needed.
    MintedKey,
    /// Device flow.
    Device,
}

/// Data of one login.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LoginRow {
    /// The id, as in a provider's `login`.
    pub id: String,
    /// Display name.
    pub name: String,
    /// The type of flow.
    pub flow: Flow,
    /// Authorization page of browser flows.
    pub authorize_url: String,
    /// URL for tokens.
    pub token_url: String,
    /// URL for device codes.
    pub device_url: String,
    /// URL to exchange a token for the one that requests use.
    pub exchange_url: String,
    /// Default value of `{domain}` in these URLs, where the user may enter another one.
    pub domain: String,
    /// OAuth scope.
    pub scope: String,
    /// Additional parameters of the authorization page.
    pub parameters: BTreeMap<String, String>,
    /// The redirect port on this machine; 0 for any free one.
    pub port: u16,
    /// Whether another port may be used if that one is taken.
    pub any_port: bool,
    /// The redirect path on this machine.
    pub path: String,
    /// Whether token requests are JSON instead of a form.
    pub json: bool,
    /// Account fields, with their paths in the token's claims.
    pub claims: BTreeMap<String, Vec<String>>,
    /// Whether no client id is needed.
    pub registered: bool,
    /// The variable with the user's own client id.
    pub client_var: String,
    /// Where API keys are available as an alternative.
    pub keys: String,
}

static ROWS: LazyLock<Vec<LoginRow>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../assets/logins.json"))
        .expect("the logins among the assets are read by a test")
});

/// Returns all logins.
pub fn rows() -> &'static [LoginRow] {
    &ROWS
}

/// Returns a login by id.
pub fn find(id: &str) -> Option<&'static LoginRow> {
    ROWS.iter().find(|row| row.id == id)
}

impl LoginRow {
    /// Returns the client id; empty when none is needed.
    pub fn client(&self, vars: &HashMap<String, String>) -> Result<String, LoginError> {
        if self.registered {
            return Ok(String::new());
        }
        let client = vars.get(&self.client_var).map(|id| id.trim()).filter(|id| !id.is_empty());
        client.map(str::to_string).ok_or_else(|| LoginError::NoClient {
            name: self.name.clone(),
            variable: self.client_var.clone(),
            keys: self.keys.clone(),
        })
    }

    /// Returns the row with the domain inserted in its URLs.
    #[must_use]
    pub fn with_domain(&self, domain: &str) -> Self {
        let put = |url: &str| url.replace("{domain}", domain);
        Self {
            device_url: put(&self.device_url),
            token_url: put(&self.token_url),
            exchange_url: put(&self.exchange_url),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::catalog::Catalog;

    #[test]
    fn login_rows_and_providers_agree() {
        for row in rows() {
            let provider = Catalog::builtin().provider(&row.id).expect("a provider for each login");
            assert_eq!(provider.login.as_deref(), Some(row.id.as_str()));
            assert!(row.registered || (!row.client_var.is_empty() && !row.keys.is_empty()), "{}", row.id);
        }
        let named = Catalog::builtin().providers.iter().filter_map(|p| p.login.as_deref());
        assert!(named.into_iter().all(|id| find(id).is_some()));
    }

    #[test]
    fn login_without_client_id_error_names_alternatives() {
        let row = find("anthropic").unwrap();
        let refused = row.client(&HashMap::new()).unwrap_err().to_string();
        assert!(refused.contains("not supported in third-party programs"), "{refused}");
        assert!(refused.contains("console.anthropic.com") && refused.contains("BOWLINE_ANTHROPIC_CLIENT_ID"));
        let own = HashMap::from([(row.client_var.clone(), " mine ".to_string())]);
        assert_eq!(row.client(&own).unwrap(), "mine");
    }
}
