//! Whether anybody listens at an address, for less than a client costs. Must not know who.

use std::time::Duration;

use tokio::net::TcpStream;

/// How long a machine may take to say that it listens.
const PATIENCE: Duration = Duration::from_millis(300);

/// Whether a connection to the host and port of a URL can be made now.
pub async fn listens(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let connected = tokio::time::timeout(PATIENCE, TcpStream::connect((host, port))).await;
    connected.is_ok_and(|socket| socket.is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn probe_detects_listening_port() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        assert!(listens(&url).await);
        drop(listener);
        assert!(!listens(&url).await && !listens("nonsense").await);
    }
}
