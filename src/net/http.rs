//! HTTP requests with streaming responses: connecting, waiting and reading, each with its own timeout.
//!
//! Must not know any provider.

use std::fmt;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::cassette::{self, Cassette, Disconnect, Exchange};
use super::certificates::Roots;
use super::client::{ClientKind, Clients};
use super::error::{NetError, connection_error};
use super::response::Response;
use super::socket::{Handshake, Socket};
use crate::base::secrets;

/// Timeouts of a client.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// To establish a connection.
    pub connect: Duration,
    /// Until the response's headers arrive.
    pub headers: Duration,
    /// Longest silence between two pieces of an answer.
    pub idle_timeout: Duration,
    /// To open a `WebSocket`; 0 for no separate timeout.
    pub socket: Duration,
}

/// Transport to a provider that supports several, in pi's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// Requests with streaming responses.
    #[default]
    Sse,
    /// A `WebSocket`, each request in full.
    WebSocket,
    /// A persistent `WebSocket`, sending only what is new.
    WebSocketCached,
}

impl Transport {
    /// Parses the value of a setting; `auto` picks the best.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "sse" => Some(Self::Sse),
            "websocket" => Some(Self::WebSocket),
            "websocket-cached" | "auto" => Some(Self::WebSocketCached),
            _ => None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            headers: Duration::from_mins(2),
            idle_timeout: Duration::from_secs(30),
            socket: Duration::from_secs(15),
        }
    }
}

/// A POST request.
#[derive(Clone, Default)]
pub struct Post {
    /// The target URL.
    pub url: String,
    /// Headers in addition to the default ones. Of two with the same name, case-insensitive, the later one is
    /// sent; an empty value removes an earlier one.
    pub headers: Vec<(String, String)>,
    /// The body: JSON, unless a `content-type` header says otherwise.
    pub body: Vec<u8>,
    /// Maximum gap between two chunks of the response; the client's default when `None`.
    pub idle_timeout: Option<Duration>,
    /// Whether the body or response holds secrets: such an exchange is never recorded.
    pub unrecorded: bool,
}

/// A request without a body.
#[derive(Clone, Default)]
pub struct Get {
    /// Where.
    pub url: String,
    /// Headers in addition to the default ones.
    pub headers: Vec<(String, String)>,
    /// Timeout for the response; the client's default when `None`.
    pub timeout: Option<Duration>,
}

/// A shared client; cheap to create, connected on first use.
#[derive(Debug, Default)]
pub struct Http {
    limits: Limits,
    offline: bool,
    cassette: Option<Cassette>,
    roots: Roots,
    transport: Transport,
    clients: Clients,
}

impl Http {
    /// Creates a client with these timeouts; `offline` refuses everything but this machine.
    pub fn new(limits: Limits, offline: bool) -> Self {
        Self { limits, offline, ..Self::default() }
    }

    /// Records POST requests, or replays recorded ones without network access.
    #[must_use]
    pub fn with_cassette(mut self, cassette: Option<Cassette>) -> Self {
        self.cassette = cassette;
        self
    }

    /// Adds trusted certificate authorities.
    #[must_use]
    pub fn with_roots(mut self, roots: Roots) -> Self {
        self.roots = roots;
        self
    }

    /// Sets the transport for providers that support several.
    #[must_use]
    pub fn with_transport(mut self, transport: Transport) -> Self {
        self.transport = transport;
        self
    }

    /// Returns the transport for a server that supports both: never a `WebSocket` when exchanges are recorded
    /// or replayed, since its messages depend on earlier ones.
    pub fn transport(&self) -> Transport {
        if self.cassette.is_some() { Transport::Sse } else { self.transport }
    }

    /// Longest silence between two pieces of an answer.
    pub fn idle_timeout(&self) -> Duration {
        self.limits.idle_timeout
    }

    /// Opens a `WebSocket` at an HTTP URL.
    pub async fn socket(&self, url: &str, headers: &[(String, String)]) -> Result<Socket, NetError> {
        let handshake = Handshake::new();
        let headers = [headers, &handshake.headers].concat();
        let patience = if self.limits.socket.is_zero() { self.limits.headers } else { self.limits.socket };
        let opening = async {
            let PendingRequest { request, host } =
                self.request(reqwest::Method::GET, url, &headers, true).await?;
            let answer = request.send().await.map_err(|error| connection_error(&host, error))?;
            handshake.finish(answer, host).await
        };
        match tokio::time::timeout(patience, opening).await {
            Ok(opened) => opened,
            Err(_) => {
                Err(NetError::IdleTimeout { host: secrets::redact_url(url).to_string(), after: patience })
            }
        }
    }

    /// Sends a request and waits for the response's headers.
    pub async fn post(&self, post: Post) -> Result<Response, NetError> {
        let Post { url, mut headers, body, idle_timeout: silence, unrecorded: private } = post;
        if let Some(Cassette::Replay(exchanges)) = &self.cassette {
            return match cassette::next_exchange(exchanges, "POST", &url) {
                Some(Exchange { status: 0, cut: Some(cut), .. }) => Err(cut.to_error()),
                Some(exchange) => Ok(Response::replayed(exchange)),
                None => Err(NetError::NotRecorded(secrets::redact_url(&url).to_string())),
            };
        }
        headers.insert(0, ("content-type".to_string(), "application/json".to_string()));
        let PendingRequest { request, host } =
            self.request(reqwest::Method::POST, &url, &headers, false).await?;
        let recording = match &self.cassette {
            Some(Cassette::Record(recording)) if !private => {
                let sent = headers.into_iter().map(|(name, _)| name).collect();
                let body = String::from_utf8_lossy(&body).into_owned();
                let (method, url) = ("POST".to_string(), secrets::redact_url(&url).to_string());
                Some((recording.clone(), Exchange { method, url, sent, body, ..Exchange::default() }))
            }
            _ => None,
        };
        // A server that may be silent for long may be so before the first byte, too.
        let patience = silence.map_or(self.limits.headers, |silence| silence.max(self.limits.headers));
        let answer = self.send(request.body(body), host, patience, silence).await;
        let Some((recording, mut exchange)) = recording else { return answer };
        match answer {
            Ok(response) => Ok(response.with_recording(recording, exchange)),
            Err(error) => {
                exchange.cut = Disconnect::from_error(&error);
                recording.add(&exchange);
                Err(error)
            }
        }
    }

    /// Sends a GET request.
    pub async fn get(&self, get: Get) -> Result<Response, NetError> {
        self.send_get(reqwest::Method::GET, get).await
    }

    /// Sends a `PUT` request without a body, which Amazon's instance metadata service needs for session
    /// tokens.
    pub async fn put(&self, get: Get) -> Result<Response, NetError> {
        self.send_get(reqwest::Method::PUT, get).await
    }

    async fn send_get(&self, method: reqwest::Method, get: Get) -> Result<Response, NetError> {
        let PendingRequest { request, host } = self.request(method, &get.url, &get.headers, false).await?;
        let patience = get.timeout.unwrap_or(self.limits.headers);
        self.send(request, host, patience, get.timeout).await
    }

    async fn request(
        &self,
        method: reqwest::Method,
        url: &str,
        headers: &[(String, String)],
        socket: bool,
    ) -> Result<PendingRequest, NetError> {
        if let Some(Cassette::Replay(_)) = &self.cassette {
            return Err(NetError::NotRecorded(secrets::redact_url(url).to_string()));
        }
        let url =
            reqwest::Url::parse(url).map_err(|_| NetError::Url(secrets::redact_url(url).to_string()))?;
        let host =
            url.host_str().ok_or_else(|| NetError::Url(secrets::redact_url(url.as_str()).to_string()))?;
        // Of several servers on a machine the port tells which.
        let host = url.port().map_or_else(|| host.to_string(), |port| format!("{host}:{port}"));
        let loopback = is_loopback(&url);
        if self.offline && !loopback {
            return Err(NetError::Offline(host));
        }
        let kind = match (loopback && url.scheme() == "http", socket) {
            (true, _) => ClientKind::Local,
            (false, true) => ClientKind::Sockets,
            (false, false) => ClientKind::Remote,
        };
        let client = self.clients.get(kind, self.limits.connect, &self.roots).await?;
        Ok(PendingRequest { request: client.request(method, url).headers(header_map(headers)?), host })
    }

    async fn send(
        &self,
        request: reqwest::RequestBuilder,
        host: String,
        after: Duration,
        silence: Option<Duration>,
    ) -> Result<Response, NetError> {
        let silence = silence.unwrap_or(self.limits.idle_timeout);
        match tokio::time::timeout(after, request.send()).await {
            Ok(Ok(inner)) => Ok(Response::live(inner, host, silence)),
            Ok(Err(error)) => Err(connection_error(&host, error)),
            Err(_) => Err(NetError::IdleTimeout { host, after }),
        }
    }
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_request("Post", &self.url, &self.headers, f)
    }
}

impl fmt::Debug for Get {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_request("Get", &self.url, &self.headers, f)
    }
}

/// Formats the parts of a request that are no secrets: URL, and names of headers.
fn fmt_request(
    kind: &str,
    url: &str,
    headers: &[(String, String)],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
    f.debug_struct(kind)
        .field("url", &secrets::redact_url(url))
        .field("headers", &names)
        .finish_non_exhaustive()
}

struct PendingRequest {
    request: reqwest::RequestBuilder,
    host: String,
}

/// Substrings of header names whose values are secret.
const SECRET_HEADER_WORDS: [&str; 5] = ["auth", "key", "token", "secret", "cookie"];

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, NetError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        // The value may be secret: only the name is reported.
        let bad = |_| NetError::Header(name.clone());
        let key = HeaderName::try_from(name.as_str()).map_err(|_| NetError::Header(name.clone()))?;
        if value.is_empty() {
            map.remove(key);
        } else {
            let mut value = HeaderValue::from_str(value).map_err(bad)?;
            // Libraries log headers unless they are marked as sensitive.
            value.set_sensitive(SECRET_HEADER_WORDS.iter().any(|word| key.as_str().contains(word)));
            map.insert(key, value);
        }
    }
    Ok(map)
}

/// Whether a URL refers to this machine.
pub fn is_loopback_url(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| is_loopback(&url))
}

fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    fn post(url: String) -> Post {
        Post { url, headers: pairs(&[("x-test", "1")]), body: b"{}".to_vec(), ..Post::default() }
    }

    fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
    }

    #[test]
    fn http_later_headers_win_and_empty_remove() {
        let map = header_map(&pairs(&[("X-A", "1"), ("x-a", "2"), ("x-b", "3"), ("X-B", "")])).unwrap();
        assert_eq!((map.len(), map["x-a"].to_str().unwrap()), (1, "2"));
        let error = header_map(&pairs(&[("x-key", "sec\nret")])).unwrap_err().to_string();
        assert!(error.contains("x-key") && !error.contains("sec"), "{error}");
    }

    #[test]
    fn http_secret_headers_are_sensitive() {
        let all = [
            ("Authorization", "Bearer hunter2"),
            ("x-api-key", "hunter2"),
            ("x-amz-security-token", "hunter2"),
        ];
        let shown = format!("{:?}", header_map(&pairs(&all)).unwrap());
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(!header_map(&pairs(&[("accept", "a")])).unwrap()["accept"].is_sensitive());
    }

    #[test]
    fn http_request_debug_hides_secrets() {
        let headers = pairs(&[("x-key", "hunter2")]);
        let url = "https://me:hunter2@h/x?key=hunter2".to_string();
        let get = Get { url: url.clone(), headers: headers.clone(), timeout: None };
        let post = Post { url, headers, body: b"hunter2".to_vec(), ..Post::default() };
        assert_eq!(format!("{post:?}"), r#"Post { url: "https://h/x", headers: ["x-key"], .. }"#);
        assert!(!format!("{get:?}").contains("hunter2"));
    }

    async fn serve(answer: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut seen = [0; 4096];
            let _read = socket.read(&mut seen).await.unwrap();
            socket.write_all(answer).await.unwrap();
            // Stay open: what follows is up to the client.
            let _read = socket.read(&mut seen).await;
        });
        url
    }

    #[tokio::test]
    async fn http_response_arrives_in_chunks() {
        let url = serve(b"HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 5\r\n\r\nhello").await;
        let mut response = Http::default().post(post(url)).await.unwrap();
        assert_eq!((response.status(), response.header("x-a")), (200, Some("b")));
        assert_eq!(response.chunk().await.unwrap().as_deref(), Some(&b"hello"[..]));
        assert!(response.chunk().await.unwrap().is_none());
    }

    #[tokio::test]
    async fn http_silence_times_out() {
        let url = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe").await;
        let limits = Limits { idle_timeout: Duration::from_millis(30), ..Limits::default() };
        let mut response = Http::new(limits, false).post(post(url)).await.unwrap();
        assert!(response.chunk().await.is_ok());
        assert!(matches!(response.chunk().await, Err(NetError::IdleTimeout { .. })));
    }

    #[tokio::test]
    async fn http_errors_name_host() {
        let http = Http::new(Limits::default(), true);
        let offline = http.post(post("https://example.com/x".into())).await.unwrap_err();
        assert_eq!(offline.to_string(), "example.com was not asked: bowline is offline");
        assert!(matches!(http.post(post("nonsense".into())).await, Err(NetError::Url(_))));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let refused = http.post(post(format!("http://{address}"))).await.unwrap_err().to_string();
        assert_eq!(refused, format!("{address}: Connection refused"));
    }

    #[tokio::test]
    async fn http_cassette_replays_without_network() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        let url = serve(b"HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 5\r\n\r\nhello").await;
        let recording = Http::default().with_cassette(Some(Cassette::record(&path).unwrap()));
        let secret =
            Post { headers: pairs(&[("x-key", "hunter2")]), ..post(format!("{url}/v1?key=hunter2")) };
        assert_eq!(recording.post(secret).await.unwrap().text(99).await, "hello");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("x-key") && !text.contains("hunter2"), "{text}");

        let playing = Http::default().with_cassette(Some(Cassette::replay(&path).unwrap()));
        let played = playing.post(post(format!("{url}/v1"))).await.unwrap();
        assert_eq!((played.status(), played.header("x-a")), (200, Some("b")));
        assert_eq!(played.text(99).await, "hello");
        let none = playing.post(post(format!("{url}/v1"))).await;
        assert!(matches!(none, Err(NetError::NotRecorded(_))), "each answer is played once");
        assert!(playing.get(Get { url, ..Get::default() }).await.is_err(), "nobody is asked");
    }

    #[tokio::test]
    async fn http_cassette_replays_failures() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        let limits = Limits { idle_timeout: Duration::from_millis(30), ..Limits::default() };
        let recording = Http::new(limits, false).with_cassette(Some(Cassette::record(&path).unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let nobody = format!("http://{}/v1", listener.local_addr().unwrap());
        drop(listener);
        let silent = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe").await;
        let listen = |http: Http| {
            let (nobody, silent) = (nobody.clone(), silent.clone());
            async move {
                let refused = http.post(post(nobody)).await.unwrap_err().to_string();
                let mut response = http.post(post(silent)).await.unwrap();
                let first = response.chunk().await.unwrap();
                let late = response.chunk().await.unwrap_err().to_string();
                (refused, first, late)
            }
        };
        let live = listen(recording).await;
        assert!(live.0.contains("refused") && live.2.contains("no answer for"), "{live:?}");
        assert_eq!(listen(Http::default().with_cassette(Some(Cassette::replay(&path).unwrap()))).await, live);
    }

    #[tokio::test]
    async fn http_private_requests_are_not_recorded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        let url = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
        let http = Http::default().with_cassette(Some(Cassette::record(&path).unwrap()));
        http.post(Post { unrecorded: true, ..post(url) }).await.unwrap().text(99).await;
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn http_loopback_url_is_detected() {
        for (url, yes) in [
            ("http://localhost:1/x", true),
            ("http://127.8.0.1", true),
            ("http://[::1]:80", true),
            ("https://localhost.example.com", false),
            ("not a url", false),
        ] {
            assert_eq!(is_loopback_url(url), yes, "{url}");
        }
    }
}
