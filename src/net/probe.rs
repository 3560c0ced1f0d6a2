//! Checks cheaply whether a server listens at an address. Must not know which.

use std::time::Duration;

use tokio::net::TcpStream;

/// Timeout of the connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(300);

/// Whether the host and port of a URL accept a connection now.
pub async fn is_listening(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let connected = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect((host, port))).await;
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
        assert!(is_listening(&url).await);
        drop(listener);
        assert!(!is_listening(&url).await && !is_listening("nonsense").await);
    }
}
