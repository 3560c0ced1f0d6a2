//! How servers are reached: TLS with an authority of one's own, HTTP/2, proxies, and what a reader
//! that stops does to the sender.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::net::certificates::Roots;
use bowline::net::http::{Http, Limits, Post};
use bowline::net::socket;
use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};

use crate::support::anthropic as wire;
use crate::support::server::{self, Reply};

/// A certificate of nobody that the system knows, and who shows it.
struct SelfSignedServer {
    acceptor: TlsAcceptor,
    dir: tempfile::TempDir,
}

impl SelfSignedServer {
    /// Offers these protocols.
    fn new(protocols: &[&str]) -> Self {
        let names = ["localhost", "127.0.0.1", "models.example"].map(str::to_string).to_vec();
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(ring).with_safe_default_protocol_versions();
        let mut config = config
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("ca.pem"), made.cert.pem()).unwrap();
        Self { acceptor: TlsAcceptor::from(Arc::new(config)), dir }
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("ca.pem")
    }

    fn http(&self) -> Http {
        let roots = Roots::default().with("the setting `ca-file`", self.file());
        Http::new(Limits::default(), true).with_roots(roots)
    }
}

async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// Reads one request; its head.
async fn read_request(socket: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let n = socket.read(&mut piece).await.ok().filter(|n| *n > 0)?;
        seen.extend_from_slice(&piece[..n]);
        let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&seen[..end]).into_owned();
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if seen.len() >= end + 4 + length.unwrap_or(0) {
            return Some(head);
        }
    }
}

async fn respond(socket: &mut (impl AsyncWrite + Unpin), body: &[u8]) {
    let head = format!(
        "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    // Who is gone does not want it.
    if socket.write_all(head.as_bytes()).await.is_ok() {
        socket.write_all(body).await.ok();
    }
}

/// Answers every request over TLS with this body; gives its port.
async fn serve(own: &SelfSignedServer, body: Vec<u8>) -> u16 {
    let (listener, port) = listen().await;
    let acceptor = own.acceptor.clone();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (acceptor, body) = (acceptor.clone(), body.clone());
            tokio::spawn(async move {
                let Ok(mut socket) = acceptor.accept(socket).await else { return };
                while read_request(&mut socket).await.is_some() {
                    respond(&mut socket, &body).await;
                }
            });
        }
    });
    port
}

fn post(url: String) -> Post {
    Post { url, body: b"{}".to_vec(), ..Post::default() }
}

#[tokio::test]
async fn http2_is_used_if_server_supports_it() {
    let own = SelfSignedServer::new(&["h2", "http/1.1"]);
    let (listener, port) = listen().await;
    let connections = Arc::new(AtomicUsize::new(0));
    let (acceptor, count) = (own.acceptor.clone(), connections.clone());
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            let socket = acceptor.accept(socket).await.unwrap();
            assert_eq!(socket.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
            let mut connection = h2::server::handshake(socket).await.unwrap();
            while let Some(Ok((request, mut answer))) = connection.accept().await {
                let version = format!("{:?} {}", request.version(), request.uri().path());
                let mut body = answer.send_response(http_ok(), false).unwrap();
                body.send_data(Bytes::from("data: one\n\n"), false).unwrap();
                body.send_data(Bytes::from(version), true).unwrap();
            }
        }
    });
    let http = own.http();
    for path in ["a", "b"] {
        let response = http.post(post(format!("https://localhost:{port}/{path}"))).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.text(999).await, format!("data: one\n\nHTTP/2.0 /{path}"));
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1, "one connection serves all");
}

fn http_ok() -> ::http::Response<()> {
    ::http::Response::new(())
}

#[tokio::test]
async fn websocket_over_tls_connects_despite_http2() {
    let own = SelfSignedServer::new(&["h2", "http/1.1"]);
    let (listener, port) = listen().await;
    let acceptor = own.acceptor.clone();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let mut socket = acceptor.accept(socket).await.unwrap();
        let head = read_request(&mut socket).await.unwrap();
        let key = head.lines().find_map(|line| line.strip_prefix("sec-websocket-key: ")).unwrap();
        upgrade(&mut socket, key).await;
        let mut talk = WebSocketStream::from_raw_socket(socket, Role::Server, None).await;
        let asked = talk.next().await.unwrap().unwrap();
        talk.send(asked).await.unwrap();
        while talk.next().await.is_some() {}
    });
    let mut socket = own.http().socket(&format!("https://localhost:{port}/x"), &[]).await.unwrap();
    socket.send("echo".into(), Duration::from_secs(9)).await.unwrap();
    assert_eq!(socket.next(Duration::from_secs(9)).await.unwrap(), "echo");
}

async fn upgrade(socket: &mut (impl AsyncWrite + Unpin), key: &str) {
    let accept = socket::accept(key);
    let head = format!(
        "HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: {accept}\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn tls_custom_ca_file_is_trusted() {
    let own = SelfSignedServer::new(&["http/1.1"]);
    let url = format!("https://localhost:{}/x", serve(&own, b"ok".to_vec()).await);
    assert_eq!(own.http().post(post(url.clone())).await.unwrap().text(99).await, "ok");
    let stranger = Http::new(Limits::default(), true).post(post(url.clone())).await.unwrap_err().to_string();
    assert!(stranger.starts_with("localhost:") && stranger.contains("certificate"), "{stranger}");
    std::fs::remove_file(own.file()).unwrap();
    let missing = own.http().post(post(url)).await.unwrap_err().to_string();
    assert!(missing.contains("ca.pem, which the setting `ca-file` names, cannot be read"), "{missing}");
    assert!(missing.ends_with("(correct the setting `ca-file`)"), "{missing}");
}

/// `bowline -p` against a server, with these variables; what it says, whether well or not.
async fn print(home: &Path, url: String, vars: &[(&str, String)]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
    command.args(["-p", "hi", "--no-session"]).current_dir(home).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("BOWLINE_HOME", home.join("home"));
    command.env("ANTHROPIC_BASE_URL", url).env("ANTHROPIC_API_KEY", "key-of-the-test");
    command.envs(vars.iter().map(|(name, value)| (name, value)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

fn answer() -> Vec<u8> {
    let Reply::Stream(pieces) = wire::text_reply("reached") else { panic!("it is a stream") };
    server::bytes(&pieces)
}

#[tokio::test]
async fn tls_ca_file_is_read_from_settings_and_environment() {
    let own = SelfSignedServer::new(&["http/1.1"]);
    let url = format!("https://localhost:{}", serve(&own, answer()).await);
    let dir = tempfile::tempdir().unwrap();
    let file = own.file().display().to_string();
    let said = print(dir.path(), url.clone(), &[("SSL_CERT_FILE", file)]).await;
    assert_eq!(said.trim(), "reached");
    std::fs::create_dir_all(dir.path().join("home/config")).unwrap();
    std::fs::copy(own.file(), dir.path().join("mine.pem")).unwrap();
    let settings = dir.path().join("home/config/settings.toml");
    std::fs::write(&settings, "ca-file = \"~/mine.pem\"\n").unwrap();
    assert_eq!(print(dir.path(), url.clone(), &[]).await.trim(), "reached");
    std::fs::write(&settings, "ca-file = \"~/none.pem\"\n").unwrap();
    let said = print(dir.path(), url, &[]).await;
    assert!(said.contains("none.pem, which the setting `ca-file` names, cannot be read"), "{said}");
}

/// A proxy that leads every connection to this port, and what it was asked.
async fn proxy(to: u16) -> (u16, Arc<Mutex<Vec<String>>>) {
    let (listener, port) = listen().await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let seen = seen.clone();
            tokio::spawn(async move {
                let Some(head) = read_request(&mut socket).await else { return };
                seen.lock().unwrap().push(head.lines().next().unwrap_or_default().to_string());
                let mut server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                socket.write_all(b"HTTP/1.1 200 X\r\n\r\n").await.unwrap();
                // Ends when either side does, in whatever way.
                tokio::io::copy_bidirectional(&mut socket, &mut server).await.ok();
            });
        }
    });
    (port, asked)
}

#[tokio::test]
async fn proxy_variables_are_respected() {
    let own = SelfSignedServer::new(&["http/1.1"]);
    let server = serve(&own, answer()).await;
    let (port, asked) = proxy(server).await;
    let dir = tempfile::tempdir().unwrap();
    let proxy = ("HTTPS_PROXY", format!("http://127.0.0.1:{port}"));
    let roots = ("SSL_CERT_FILE", own.file().display().to_string());
    let far = "https://models.example".to_string();
    let said = print(dir.path(), far, &[proxy.clone(), roots.clone()]).await;
    assert_eq!(said.trim(), "reached");
    assert_eq!(*asked.lock().unwrap(), ["CONNECT models.example:443 HTTP/1.1"]);

    let near = format!("https://localhost:{server}");
    let none = ("NO_PROXY", "other.example,localhost".to_string());
    let said = print(dir.path(), near, &[proxy, roots, none]).await;
    assert_eq!(said.trim(), "reached");
    assert_eq!(asked.lock().unwrap().len(), 1, "the proxy was left out");
}

/// Far more than the system keeps for a socket, in pieces.
const PIECES: usize = 600;
const PIECE: usize = 64 << 10;
/// What the system may keep on its own for both ends of a connection on this machine.
const SYSTEM: usize = 16 << 20;

/// Sends pieces until one is not taken, then tells how many bytes were, and sends the rest.
async fn send_until_blocked<T>(
    mut send: impl AsyncFnMut(T) -> usize,
    piece: impl Fn() -> T,
    blocked: tokio::sync::oneshot::Sender<usize>,
) {
    let (mut total, mut blocked) = (0, Some(blocked));
    for _ in 0..PIECES {
        let sending = send(piece());
        tokio::pin!(sending);
        total += if let Ok(bytes) = tokio::time::timeout(Duration::from_millis(500), &mut sending).await {
            bytes
        } else {
            if let Some(blocked) = blocked.take() {
                blocked.send(total).unwrap();
            }
            sending.await
        };
    }
}

#[tokio::test]
async fn http_body_reader_applies_back_pressure() {
    let (listener, port) = listen().await;
    let (blocked, is_blocked) = tokio::sync::oneshot::channel();
    let server = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        read_request(&mut socket).await.unwrap();
        let head = format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n", PIECES * PIECE);
        socket.write_all(head.as_bytes()).await.unwrap();
        let send = async |piece: Vec<u8>| {
            socket.write_all(&piece).await.unwrap();
            piece.len()
        };
        send_until_blocked(send, || vec![b'x'; PIECE], blocked).await;
    };
    let client = async {
        let http = Http::new(Limits::default(), true);
        let mut response = http.post(post(format!("http://127.0.0.1:{port}/x"))).await.unwrap();
        let mut read = response.chunk().await.unwrap().unwrap().len();
        let sent = is_blocked.await.unwrap();
        assert!(sent - read < SYSTEM, "{sent} bytes were sent to a reader of {read}");
        while let Some(chunk) = response.chunk().await.unwrap() {
            read += chunk.len();
        }
        assert_eq!(read, PIECES * PIECE, "nothing is lost by waiting");
    };
    tokio::join!(server, client);
}

#[tokio::test]
async fn websocket_reader_applies_back_pressure() {
    let (listener, port) = listen().await;
    let (blocked, is_blocked) = tokio::sync::oneshot::channel();
    let server = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let head = read_request(&mut socket).await.unwrap();
        let key = head.lines().find_map(|line| line.strip_prefix("sec-websocket-key: ")).unwrap();
        upgrade(&mut socket, key).await;
        let mut talk = WebSocketStream::from_raw_socket(socket, Role::Server, None).await;
        let send = async |message: Message| {
            let length = message.len();
            talk.send(message).await.unwrap();
            length
        };
        send_until_blocked(send, || Message::text("x".repeat(PIECE)), blocked).await;
        // The client goes first.
        while let Some(Ok(_)) = talk.next().await {}
    };
    let client = async {
        let url = format!("http://127.0.0.1:{port}/x");
        let mut socket = Http::new(Limits::default(), true).socket(&url, &[]).await.unwrap();
        let mut read = socket.next(Duration::from_secs(9)).await.unwrap().len();
        let sent = is_blocked.await.unwrap();
        assert!(sent - read < SYSTEM, "{sent} bytes were sent to a reader of {read}");
        for _ in 1..PIECES {
            read += socket.next(Duration::from_secs(9)).await.unwrap().len();
        }
        assert_eq!(read, PIECES * PIECE, "nothing is lost by waiting");
    };
    tokio::join!(server, client);
}
