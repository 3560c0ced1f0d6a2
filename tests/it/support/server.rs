//! A server on loopback that streams events from a script, on a thread of its own, so that
//! tests with and without an async runtime can use it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::sockets;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// How long a test waits for what must happen.
const DEADLINE: Duration = Duration::from_secs(20);

/// The answer to one request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// 200 and a stream.
    Stream(Vec<Piece>),
    /// Any other answer.
    Status { code: u16, headers: Vec<(&'static str, String)>, body: String },
}

/// A piece of a stream.
#[derive(Debug, Clone)]
pub enum Piece {
    /// One event.
    Event(Value),
    /// Bytes as they are, in a chunk of their own.
    Raw(Vec<u8>),
    /// Waits for [`Server::open_gate`], or for the client to go.
    Gate,
    /// Breaks the connection off without the end of the body.
    Cut,
    /// What only a WebSocket has.
    Socket(sockets::Frame),
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Such as `POST`.
    pub method: String,
    /// Such as `/v1/messages`.
    pub path: String,
    /// Lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The body; a string where it is no JSON, nothing where there is none.
    pub body: Value,
    /// The body as it came.
    pub text: String,
}

/// The server. It answers the n-th request with the n-th reply, later ones with 500. Who asks for a
/// WebSocket gets one, and each message there is a request.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    /// Root of the API.
    pub url: String,
}

pub struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    /// For requests for which the second holds.
    other_replies: Mutex<VecDeque<Reply>>,
    is_other_request: Box<dyn Fn(&ReceivedRequest) -> bool + Send + Sync>,
    requests: Mutex<Vec<ReceivedRequest>>,
    pub gate: Semaphore,
    request_arrived: Condvar,
    hang_ups: Mutex<usize>,
    hang_up_signal: Condvar,
    /// Whether sockets are refused: asking for one is a request like any other.
    refuses_sockets: bool,
    pub sockets: AtomicUsize,
}

impl Shared {
    /// Notes a request and gives its reply.
    pub fn next_reply(&self, seen: ReceivedRequest) -> Reply {
        let replies = if (self.is_other_request)(&seen) { &self.other_replies } else { &self.replies };
        self.requests.lock().unwrap().push(seen);
        self.request_arrived.notify_all();
        replies.lock().unwrap().pop_front().unwrap_or_else(|| Reply::Status {
            code: 500,
            headers: Vec::new(),
            body: json!({"error": {"type": "api_error", "message": "the script is over"}}).to_string(),
        })
    }
}

impl Server {
    pub fn start(replies: Vec<Reply>) -> Self {
        Self::start_with(replies, false, Vec::new(), Box::new(|_| false))
    }

    /// With two scripts: who of them answers is told by the request.
    pub fn with_two_scripts(
        replies: Vec<Reply>,
        others: Vec<Reply>,
        is_other: impl Fn(&ReceivedRequest) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(replies, false, others, Box::new(is_other))
    }

    /// One that opens no sockets.
    pub fn without_sockets(replies: Vec<Reply>) -> Self {
        Self::start_with(replies, true, Vec::new(), Box::new(|_| false))
    }

    fn start_with(
        replies: Vec<Reply>,
        deaf: bool,
        others: Vec<Reply>,
        is_other: Box<dyn Fn(&ReceivedRequest) -> bool + Send + Sync>,
    ) -> Self {
        let shared = Arc::new(Shared {
            replies: Mutex::new(replies.into()),
            other_replies: Mutex::new(others.into()),
            is_other_request: is_other,
            requests: Mutex::default(),
            gate: Semaphore::new(0),
            request_arrived: Condvar::new(),
            hang_ups: Mutex::default(),
            hang_up_signal: Condvar::new(),
            refuses_sockets: deaf,
            sockets: AtomicUsize::new(0),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = shared.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).unwrap();
                while let Ok((socket, _)) = listener.accept().await {
                    let state = state.clone();
                    tokio::spawn(async move {
                        if serve(socket, &state).await.is_none() {
                            *state.hang_ups.lock().unwrap() += 1;
                            state.hang_up_signal.notify_all();
                        }
                    });
                }
            });
        });
        Self { shared, url }
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// How many sockets were opened so far.
    pub fn sockets(&self) -> usize {
        self.shared.sockets.load(Ordering::SeqCst)
    }

    /// Waits until so many requests have come. Blocks.
    pub fn wait_for_requests(&self, count: usize) {
        let seen = self.shared.requests.lock().unwrap();
        let (_seen, time) = self
            .shared
            .request_arrived
            .wait_timeout_while(seen, DEADLINE, |seen| seen.len() < count)
            .unwrap();
        assert!(!time.timed_out(), "{count} requests did not come");
    }

    /// Lets one [`Piece::Gate`] pass.
    pub fn open_gate(&self) {
        self.shared.gate.add_permits(1);
    }

    /// Waits until a client has gone before its answer was whole. Blocks.
    pub fn wait_for_hang_up(&self) {
        let gone = self.shared.hang_ups.lock().unwrap();
        let (_gone, time) =
            self.shared.hang_up_signal.wait_timeout_while(gone, DEADLINE, |gone| *gone == 0).unwrap();
        assert!(!time.timed_out(), "the client did not hang up");
    }
}

/// Serves one connection; `None` when the client went in the middle of an answer.
async fn serve(mut socket: TcpStream, state: &Shared) -> Option<()> {
    let mut buffer = Vec::new();
    while let Some(seen) = read_request(&mut socket, &mut buffer).await {
        if seen.headers.get("upgrade").is_some_and(|to| to == "websocket") && !state.refuses_sockets {
            state.sockets.fetch_add(1, Ordering::SeqCst);
            return sockets::serve_socket(socket, buffer, &seen, state).await;
        }
        let reply = state.next_reply(seen);
        match reply {
            Reply::Status { code, headers, body } => {
                let extra: String =
                    headers.iter().flat_map(|(name, value)| [*name, ": ", value, "\r\n"]).collect();
                let head = format!("HTTP/1.1 {code} X\r\n{extra}content-length: {}\r\n\r\n", body.len());
                socket.write_all(format!("{head}{body}").as_bytes()).await.ok()?;
            }
            Reply::Stream(pieces) => {
                if !stream(&mut socket, pieces, state).await? {
                    return Some(());
                }
            }
        }
    }
    Some(())
}

/// Whether the connection can serve another request.
async fn stream(socket: &mut TcpStream, pieces: Vec<Piece>, state: &Shared) -> Option<bool> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    socket.write_all(head.as_bytes()).await.ok()?;
    for piece in pieces {
        let bytes = match piece {
            Piece::Event(data) => event(&data),
            Piece::Raw(bytes) => bytes,
            Piece::Cut => return Some(false),
            Piece::Socket(_) => continue,
            Piece::Gate => {
                let mut byte = [0];
                tokio::select! {
                    permit = state.gate.acquire() => permit.unwrap().forget(),
                    _ = socket.read(&mut byte) => return None,
                }
                continue;
            }
        };
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(&bytes);
        chunk.extend_from_slice(b"\r\n");
        socket.write_all(&chunk).await.ok()?;
        socket.flush().await.ok()?;
        // A turn for the client, so that pieces arrive as pieces.
        tokio::task::yield_now().await;
    }
    socket.write_all(b"0\r\n\r\n").await.ok()?;
    Some(true)
}

async fn read_request(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<ReceivedRequest> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        fill(socket, buffer).await?;
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ').map(str::to_string);
    let (method, path) = (words.next()?, words.next()?);
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    while buffer.len() < end + length {
        fill(socket, buffer).await?;
    }
    let text = String::from_utf8_lossy(&buffer[end..end + length]).into_owned();
    let plain = if text.is_empty() { Value::Null } else { Value::String(text.clone()) };
    let body = serde_json::from_str(&text).unwrap_or(plain);
    buffer.drain(..end + length);
    Some(ReceivedRequest { method, path, headers, body, text })
}

async fn fill(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    let mut piece = vec![0; 16 * 1024];
    let n = socket.read(&mut piece).await.ok().filter(|n| *n > 0)?;
    buffer.extend_from_slice(&piece[..n]);
    Some(())
}

/// An event as it is sent; its `type`, where it has one, names it.
fn event(data: &Value) -> Vec<u8> {
    let name = data["type"].as_str().map_or_else(String::new, |name| format!("event: {name}\n"));
    format!("{name}data: {data}\n\n").into_bytes()
}

/// The bytes of pieces without gates and cuts, for splitting them anew.
pub fn bytes(pieces: &[Piece]) -> Vec<u8> {
    let bytes = |piece: &Piece| match piece {
        Piece::Event(data) => event(data),
        Piece::Raw(bytes) => bytes.clone(),
        Piece::Gate | Piece::Cut | Piece::Socket(_) => Vec::new(),
    };
    pieces.iter().flat_map(bytes).collect()
}
