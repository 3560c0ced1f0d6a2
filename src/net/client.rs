//! HTTP clients: created on first use, off the caller's thread, since loading the system's certificates takes
//! tens of milliseconds.
//!
//! Must not know the requests.

use std::time::Duration;

use tokio::sync::OnceCell;

use super::certificates::Roots;
use super::error::NetError;
use crate::base::error::chain;

/// One client for each kind of connection.
#[derive(Debug, Default)]
pub(super) struct Clients {
    /// Uses proxies and the system's certificates.
    remote: OnceCell<reqwest::Client>,
    /// For plain HTTP on this machine: no proxy and no certificates.
    local: OnceCell<reqwest::Client>,
    /// As `remote`, but HTTP/1.1 only: an HTTP/2 connection cannot be upgraded to a socket.
    sockets: OnceCell<reqwest::Client>,
}

/// Kind of connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientKind {
    Remote,
    Local,
    Sockets,
}

impl Clients {
    pub(super) async fn get(
        &self,
        kind: ClientKind,
        connect: Duration,
        roots: &Roots,
    ) -> Result<&reqwest::Client, NetError> {
        let cell = match kind {
            ClientKind::Remote => &self.remote,
            ClientKind::Local => &self.local,
            ClientKind::Sockets => &self.sockets,
        };
        let roots = roots.clone();
        cell.get_or_try_init(|| async move {
            tokio::task::spawn_blocking(move || build(kind, connect, &roots))
                .await
                .map_err(|error| NetError::Setup(error.to_string()))?
        })
        .await
    }
}

fn build(kind: ClientKind, connect: Duration, roots: &Roots) -> Result<reqwest::Client, NetError> {
    // If another thread was first, the same provider is installed already.
    if rustls::crypto::ring::default_provider().install_default().is_err() {
        tracing::debug!("the TLS provider was installed before");
    }
    let own = if kind == ClientKind::Local { Vec::new() } else { roots.read()? };
    let base = || {
        let builder = reqwest::Client::builder()
            .connect_timeout(connect)
            .user_agent(concat!("bowline/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true);
        if kind == ClientKind::Sockets { builder.http1_only() } else { builder }
    };
    if kind == ClientKind::Local {
        return bundled_roots(base().no_proxy(), own);
    }
    base().tls_certs_merge(own.clone()).build().or_else(|error| {
        // Containers often have no certificates; the bundled ones are better than none.
        tracing::warn!("system certificates cannot be used: {}", chain(&error));
        bundled_roots(base(), own)
    })
}

fn bundled_roots(
    builder: reqwest::ClientBuilder,
    own: Vec<reqwest::Certificate>,
) -> Result<reqwest::Client, NetError> {
    let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS
        .iter()
        .filter_map(|der| reqwest::Certificate::from_der(der).ok());
    builder.tls_certs_only(roots.chain(own)).build().map_err(|error| NetError::Setup(chain(&error)))
}
