//! Local HTTP server for the end of a browser login: a page on this machine that is requested once.
//!
//! Must not know any provider. Listens on loopback only; a client without the path and state of this login
//! gets no information and has no effect.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Maximum bytes of a request.
const REQUEST_MAX: usize = 16 << 10;
/// Timeout for a browser's request.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of concurrent connections.
const OPEN_MAX: usize = 32;

/// The result of the redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectResult {
    /// An authorization code.
    Code(String),
    /// The user or the provider refused, with the reason.
    Refused(String),
}

/// A listening port that waits for one redirect.
#[derive(Debug)]
pub struct Callback {
    listener: TcpListener,
    port: u16,
    path: String,
}

impl Callback {
    /// Listens on this port, or on any free one for 0.
    pub async fn open(port: u16, path: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port, path: path.to_string() })
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits for a request with this state; without one the path suffices. Browsers open connections that
    /// they never use, so several are read concurrently.
    pub async fn wait(&self, state: Option<&str>) -> io::Result<RedirectResult> {
        let mut open = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if open.len() < OPEN_MAX => {
                    open.push(self.serve_request(accepted?.0, state));
                }
                Some(landed) = open.next() => {
                    if let Some(landed) = landed {
                        return Ok(landed);
                    }
                }
            }
        }
    }

    async fn serve_request(&self, mut socket: TcpStream, state: Option<&str>) -> Option<RedirectResult> {
        let head = tokio::time::timeout(READ_TIMEOUT, read_head(&mut socket)).await.ok()??;
        let landed = self.parse_request(&head, state);
        let (status, text) = match &landed {
            Some(RedirectResult::Code(_)) => {
                ("200 OK", "bowline has what it needs. This page can be closed.")
            }
            Some(RedirectResult::Refused(_)) => ("200 OK", "The login was refused. This page can be closed."),
            None => ("404 Not Found", "There is nothing here."),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{text}",
            text.len()
        );
        // The login's result does not depend on whether the page is delivered.
        if let Err(error) = socket.write_all(answer.as_bytes()).await {
            tracing::debug!("the page of a login went away: {error}");
        }
        landed
    }

    fn parse_request(&self, head: &str, state: Option<&str>) -> Option<RedirectResult> {
        let mut words = head.lines().next()?.split(' ');
        let (Some("GET"), Some(target)) = (words.next(), words.next()) else { return None };
        let (path, query) = target.split_once('?')?;
        let pairs = RedirectResult::parse_query(query);
        let known = state.is_none_or(|state| pairs.get("state").is_some_and(|got| got == state));
        (path == self.path && known).then(|| RedirectResult::parse(&pairs)).flatten()
    }
}

impl RedirectResult {
    /// Parses the fields of a query.
    pub fn parse_query(query: &str) -> HashMap<String, String> {
        let url = reqwest::Url::parse(&format!("http://localhost/?{query}"));
        url.map(|url| url.query_pairs().into_owned().collect()).unwrap_or_default()
    }

    /// Returns the result in the fields; `None` if they have neither a code nor an error.
    pub fn parse(pairs: &HashMap<String, String>) -> Option<Self> {
        if let Some(error) = pairs.get("error") {
            return Some(Self::Refused(pairs.get("error_description").unwrap_or(error).clone()));
        }
        pairs.get("code").filter(|code| !code.is_empty()).map(|code| Self::Code(code.clone()))
    }
}

/// Reads the head of a request; `None` if it is incomplete.
async fn read_head(socket: &mut TcpStream) -> Option<String> {
    let mut seen = Vec::new();
    let mut piece = [0; 2048];
    let mut looked = 0_usize;
    // Searches only new bytes and the three before them.
    while !seen[looked.saturating_sub(3)..].windows(4).any(|four| four == b"\r\n\r\n") {
        looked = seen.len();
        let count = socket.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        seen.extend_from_slice(&piece[..count]);
        if seen.len() > REQUEST_MAX {
            return None;
        }
    }
    String::from_utf8(seen).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(port: u16, target: &str) -> String {
        let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        socket.write_all(format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn callback_only_matching_request_ends_login() {
        let callback = Callback::open(0, "/cb").await.unwrap();
        let port = callback.port();
        let waiting = tokio::spawn(async move { callback.wait(Some("s")).await.unwrap() });
        let silent = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        for stranger in
            ["/", "/cb", "/cb?code=x", "/cb?code=x&state=t", "/other?code=x&state=s", "/cb?state=s"]
        {
            assert!(ask(port, stranger).await.starts_with("HTTP/1.1 404"), "{stranger}");
        }
        let answer = ask(port, "/cb?code=a%2Bb&state=s").await;
        assert!(answer.starts_with("HTTP/1.1 200") && !answer.contains("a+b"), "{answer}");
        assert_eq!(waiting.await.unwrap(), RedirectResult::Code("a+b".into()));
        drop(silent);
    }

    #[tokio::test]
    async fn callback_slow_request_works_and_bad_ones_are_ignored() {
        let callback = Callback::open(0, "/cb").await.unwrap();
        let port = callback.port();
        let waiting = tokio::spawn(async move { callback.wait(Some("s")).await.unwrap() });
        let huge = format!("GET /cb?code=x&state=s&{} HTTP/1.1\r\n\r\n", "y".repeat(REQUEST_MAX));
        for wrong in [
            "POST /cb?code=x&state=s HTTP/1.1\r\n\r\n",
            "\r\n\r\n",
            "GET\r\n\r\n",
            "GET /cb\u{0}?\r\n\r\n",
            &huge,
        ] {
            let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            socket.write_all(wrong.as_bytes()).await.ok();
            let mut answer = Vec::new();
            // What is too long is hung up on, perhaps before all of it was sent.
            socket.read_to_end(&mut answer).await.ok();
            assert!(!answer.starts_with(b"HTTP/1.1 200"), "{wrong:.40}");
        }
        let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        socket.set_nodelay(true).unwrap();
        for byte in b"GET /cb?code=a&state=s HTTP/1.1\r\nhost: x\r\n\r\n" {
            socket.write_all(&[*byte]).await.unwrap();
        }
        assert_eq!(waiting.await.unwrap(), RedirectResult::Code("a".into()));
    }

    #[tokio::test]
    async fn callback_refusal_ends_login_and_used_port_is_error() {
        let callback = Callback::open(0, "/cb").await.unwrap();
        let port = callback.port();
        assert!(Callback::open(port, "/cb").await.is_err());
        let waiting = tokio::spawn(async move { callback.wait(None).await.unwrap() });
        ask(port, "/cb?error=access_denied&error_description=not+you").await;
        assert_eq!(waiting.await.unwrap(), RedirectResult::Refused("not you".into()));
    }
}
