//! What differs between logins, as rows. Must not know how a flow goes.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::login_ui::LoginError;

/// How a login goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flow {
    /// A page in the browser leads back to this machine, with PKCE.
    #[default]
    Browser,
    /// The same, and what comes is a key that never ends; no client is needed.
    MintedKey,
    /// A code is typed into a page on any machine.
    Device,
}

/// One login.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LoginRow {
    /// As in a provider's `login`.
    pub id: String,
    /// For people.
    pub name: String,
    /// How it goes.
    pub flow: Flow,
    /// The page, for flows in the browser.
    pub authorize_url: String,
    /// Where tokens are.
    pub token_url: String,
    /// Where codes are, for devices.
    pub device_url: String,
    /// Where a token is exchanged for the one that requests have.
    pub exchange_url: String,
    /// What stands for `{domain}` in these, where the user may say another one.
    pub domain: String,
    /// What is asked for.
    pub scope: String,
    /// What else the page wants.
    pub parameters: BTreeMap<String, String>,
    /// The port on this machine that the page leads back to; any free one when 0.
    pub port: u16,
    /// Whether another port will do when that one is taken.
    pub any_port: bool,
    /// The path on this machine.
    pub path: String,
    /// Whether tokens are asked for in JSON, not in a form.
    pub json: bool,
    /// Fields of the account, and where in the token's claims they are.
    pub claims: BTreeMap<String, Vec<String>>,
    /// Whether it needs no client.
    pub registered: bool,
    /// The variable that names a client of the user's own.
    pub client_var: String,
    /// Where keys are to be had instead.
    pub keys: String,
}

static ROWS: LazyLock<Vec<LoginRow>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../assets/logins.json"))
        .expect("the logins among the assets are read by a test")
});

/// Every login.
pub fn rows() -> &'static [LoginRow] {
    &ROWS
}

/// A login by id.
pub fn find(id: &str) -> Option<&'static LoginRow> {
    ROWS.iter().find(|row| row.id == id)
}

impl LoginRow {
    /// The client to log in as: empty where none is needed.
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

    /// The row with a domain in its addresses.
    #[must_use]
    pub fn at(&self, domain: &str) -> Self {
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
        assert!(refused.contains("only to programs that it has registered"), "{refused}");
        assert!(refused.contains("console.anthropic.com") && refused.contains("BOWLINE_ANTHROPIC_CLIENT_ID"));
        let own = HashMap::from([(row.client_var.clone(), " mine ".to_string())]);
        assert_eq!(row.client(&own).unwrap(), "mine");
    }
}
