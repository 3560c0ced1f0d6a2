//! A connection to a peer: requests with deadlines, cancelled when their future is dropped, notifications,
//! and what the peer sends. Must not know methods, except the one that cancels.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use crate::base::framed::{self, FrameReader};
use crate::base::json::json;
use crate::lsp::wire::message::{self, Id, Message, RpcError};
use crate::lsp::wire::outbox::{Full, Outbox};

/// Bytes of a message that is read: semantic tokens of a large file or 100 000 completions take a tenth of it.
pub const MESSAGE_MAX: usize = 64 << 20;
/// Messages of the peer that wait to be handled, before it is not read any more.
const INCOMING_MAX: usize = 64;
/// Bytes read at once.
const PIECE: usize = 64 << 10;

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The peer refuses.
    #[error(transparent)]
    Refused(#[from] RpcError),
    /// The peer has not answered in time; it was told so.
    #[error("no answer to {method} within {} s", .after.as_secs_f32())]
    TimedOut {
        /// The request.
        method: String,
        /// The deadline.
        after: Duration,
    },
    /// The connection has ended.
    #[error("the connection has ended")]
    Closed,
    /// The peer does not read what is sent.
    #[error("it does not read what is sent")]
    NotReading,
    /// The parameters cannot be written, or the result is not what the method promises.
    #[error("{method}: {reason}")]
    Invalid {
        /// The request.
        method: String,
        /// What is wrong.
        reason: String,
    },
}

impl From<Full> for RequestError {
    fn from(full: Full) -> Self {
        match full {
            Full::TooMuch => Self::NotReading,
            Full::Closed => Self::Closed,
        }
    }
}

/// What a peer sends by itself.
#[derive(Debug)]
pub enum Incoming {
    /// It wants an answer, by [`Connection::answer`].
    Request {
        /// What the answer names.
        id: Id,
        /// Which one.
        method: String,
        /// Its parameters.
        params: Option<Box<RawValue>>,
    },
    /// It tells something.
    Notification {
        /// Which one.
        method: String,
        /// Its parameters.
        params: Option<Box<RawValue>>,
    },
    /// It sent something that is no message, or an answer to no request. It is left out.
    Problem(String),
}

/// Requests that wait for an answer; `None` when none can come any more.
type Pending = Option<HashMap<Id, oneshot::Sender<Result<Box<RawValue>, RpcError>>>>;

struct Shared {
    outbox: Outbox,
    pending: Mutex<Pending>,
    next_id: AtomicI64,
}

/// The end of a connection that speaks. Clones are the same.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

impl Connection {
    /// Connects to a peer that is read from `input` and written to `output`. The futures do the reading and the writing
    /// until the streams end; what the peer sends comes from the receiver.
    pub fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> (Self, Work, mpsc::Receiver<Incoming>) {
        let shared = Arc::new(Shared {
            outbox: Outbox::default(),
            pending: Mutex::new(Some(HashMap::new())),
            next_id: AtomicI64::new(1),
        });
        let (sender, receiver) = mpsc::channel(INCOMING_MAX);
        let work = Work {
            read: Box::pin(read(shared.clone(), input, sender)),
            write: Box::pin(write(shared.clone(), output)),
        };
        (Self { shared }, work, receiver)
    }

    /// Asks the peer. Dropping the future sends a cancellation.
    ///
    /// # Errors
    ///
    /// No answer, a refusal, or a result of another type.
    pub async fn request<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
        deadline: Duration,
    ) -> Result<R, RequestError> {
        let invalid = |error: serde_json::Error| RequestError::Invalid {
            method: method.to_string(),
            reason: error.to_string(),
        };
        let id = Id::Number(self.shared.next_id.fetch_add(1, Ordering::Relaxed));
        let message = message::call(Some(&id), method, Some(params)).map_err(invalid)?;
        let (sender, answer) = oneshot::channel();
        match &mut *self.shared.pending.lock() {
            Some(pending) => drop(pending.insert(id.clone(), sender)),
            None => return Err(RequestError::Closed),
        }
        // From here on a dropped future cancels.
        let mut waiting = Waiting { connection: self, id, is_sent: false };
        self.shared.outbox.put(framed::frame(&message))?;
        waiting.is_sent = true;
        let Ok(answer) = tokio::time::timeout(deadline, answer).await else {
            return Err(RequestError::TimedOut { method: method.to_string(), after: deadline });
        };
        let result = answer.map_err(|_| RequestError::Closed)??;
        serde_json::from_str(result.get()).map_err(invalid)
    }

    /// Tells the peer something.
    ///
    /// # Errors
    ///
    /// Parameters that cannot be written, and a connection that has ended.
    pub fn notify(&self, method: &str, params: impl Serialize) -> Result<(), RequestError> {
        let invalid = |error: serde_json::Error| RequestError::Invalid {
            method: method.to_string(),
            reason: error.to_string(),
        };
        let message = message::call(None, method, Some(params)).map_err(invalid)?;
        Ok(self.shared.outbox.put(framed::frame(&message))?)
    }

    /// Answers a request of the peer.
    ///
    /// # Errors
    ///
    /// A result that cannot be written, and a connection that has ended.
    pub fn answer(&self, id: &Id, result: Result<impl Serialize, &RpcError>) -> Result<(), RequestError> {
        let invalid = |error: serde_json::Error| RequestError::Invalid {
            method: "an answer".to_string(),
            reason: error.to_string(),
        };
        let message = message::answer(id, result).map_err(invalid)?;
        Ok(self.shared.outbox.put(framed::frame(&message))?)
    }

    /// Sends no more; what waits is still written.
    pub fn close(&self) {
        self.shared.outbox.close();
    }
}

/// A request that waits for its answer.
struct Waiting<'a> {
    connection: &'a Connection,
    id: Id,
    is_sent: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let shared = &self.connection.shared;
        let unanswered = shared.pending.lock().as_mut().and_then(|pending| pending.remove(&self.id));
        if unanswered.is_none() || !self.is_sent {
            return;
        }
        if let Err(error) = self.connection.notify("$/cancelRequest", json!({ "id": self.id })) {
            tracing::debug!(%error, "a request is not cancelled");
        }
    }
}

/// The reading and the writing of a connection.
pub struct Work {
    read: BoxFuture<'static, ()>,
    write: BoxFuture<'static, ()>,
}

impl Work {
    /// Works until both streams have ended.
    pub async fn run(self) {
        futures::join!(self.read, self.write);
    }
}

/// Reads until the stream ends or cannot be understood any more.
async fn read(shared: Arc<Shared>, mut input: impl AsyncRead + Unpin, incoming: mpsc::Sender<Incoming>) {
    let mut frames = FrameReader::new(MESSAGE_MAX);
    let mut piece = vec![0; PIECE];
    let problem = async |text: String| drop(incoming.send(Incoming::Problem(text)).await);
    'reading: loop {
        let count = match input.read(&mut piece).await {
            Ok(0) => {
                if frames.is_within() {
                    problem("its output ended within a message".to_string()).await;
                }
                break;
            }
            Ok(count) => count,
            Err(error) => {
                problem(format!("its output cannot be read: {error}")).await;
                break;
            }
        };
        for frame in frames.read(&piece[..count]) {
            let message = match frame {
                Ok(bytes) => message::parse(&bytes),
                Err(error) => {
                    problem(error.to_string()).await;
                    if error.is_fatal() {
                        break 'reading;
                    }
                    continue;
                }
            };
            let message = message.map(|message| sort(&shared, message));
            let message =
                message.unwrap_or_else(|error| Some(Incoming::Problem(format!("no message: {error}"))));
            if let Some(message) = message {
                // The receiver may be dropped; answers are still delivered.
                drop(incoming.send(message).await);
            }
        }
    }
    // Pending requests end with an error.
    drop(shared.pending.lock().take());
    shared.outbox.close();
}

/// Delivers an answer to its request; returns any other message.
fn sort(shared: &Shared, message: Message) -> Option<Incoming> {
    match message {
        Message::Request { id, method, params } => Some(Incoming::Request { id, method, params }),
        Message::Notification { method, params } => Some(Incoming::Notification { method, params }),
        Message::Answer { id: None, result } => {
            let reason = result.err().map_or_else(String::new, |error| format!(": {error}"));
            Some(Incoming::Problem(format!("an answer to no request{reason}")))
        }
        Message::Answer { id: Some(id), result } => {
            let waiting = shared.pending.lock().as_mut().and_then(|pending| pending.remove(&id));
            if let Some(waiting) = waiting {
                // The request may have been dropped just now.
                drop(waiting.send(result));
                return None;
            }
            let was_asked =
                matches!(&id, Id::Number(n) if (1..shared.next_id.load(Ordering::Relaxed)).contains(n));
            // The answer to a cancelled request, or a second one, says nothing new.
            (!was_asked)
                .then(|| Incoming::Problem(format!("an answer to a request that was never made: {id}")))
        }
    }
}

/// Writes what waits until the connection is closed.
async fn write(shared: Arc<Shared>, mut output: impl AsyncWrite + Unpin) {
    while let Some(messages) = shared.outbox.take().await {
        let written = async {
            output.write_all(&messages).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "a peer cannot be written to");
            return shared.outbox.close();
        }
    }
    if let Err(error) = output.shutdown().await {
        tracing::debug!(%error, "the input of a peer is not closed");
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{DuplexStream, duplex, split};

    use super::*;

    const SOON: Duration = Duration::from_mins(1);

    /// A connection, what it is sent, and the peer's end of the stream.
    fn connected() -> (Connection, mpsc::Receiver<Incoming>, Peer) {
        let (ours, theirs) = duplex(1 << 20);
        let (input, output) = split(ours);
        let (connection, work, incoming) = Connection::new(input, output);
        tokio::spawn(work.run());
        (
            connection,
            incoming,
            Peer { stream: theirs, frames: FrameReader::new(MESSAGE_MAX), read: Vec::new() },
        )
    }

    struct Peer {
        stream: DuplexStream,
        frames: FrameReader,
        read: Vec<Vec<u8>>,
    }

    impl Peer {
        async fn send(&mut self, text: &str) {
            self.stream.write_all(&framed::frame(text.as_bytes())).await.unwrap();
        }

        async fn next(&mut self) -> String {
            while self.read.is_empty() {
                let mut piece = [0; 4_096];
                let count = self.stream.read(&mut piece).await.unwrap();
                assert!(count > 0, "nothing more comes");
                self.read.extend(self.frames.read(&piece[..count]).into_iter().map(Result::unwrap));
            }
            String::from_utf8(self.read.remove(0)).unwrap()
        }
    }

    #[tokio::test]
    async fn connection_request_gets_its_answer_whatever_the_order() {
        let (connection, _incoming, mut peer) = connected();
        let [first, second] = ["a", "b"].map(|method| {
            let connection = connection.clone();
            tokio::spawn(async move { connection.request::<u32>(method, json!({}), SOON).await })
        });
        let asked = [peer.next().await, peer.next().await];
        assert!(asked[0].contains(r#""id":1"#) && asked[1].contains(r#""id":2"#), "{asked:?}");
        let first_is_a = asked[0].contains(r#""method":"a""#);
        peer.send(r#"{"id":2,"result":22}"#).await;
        peer.send(r#"{"id":1,"result":11}"#).await;
        let answers = (first.await.unwrap(), second.await.unwrap());
        assert_eq!(answers, if first_is_a { (Ok(11), Ok(22)) } else { (Ok(22), Ok(11)) });
    }

    #[tokio::test]
    async fn connection_refusal_and_odd_result_are_errors() {
        let (connection, _incoming, mut peer) = connected();
        let (answer, ()) = tokio::join!(connection.request::<u32>("m", (), SOON), async {
            peer.send(r#"{"id":1,"error":{"code":-32601,"message":"no such method"}}"#).await;
        });
        assert_eq!(answer.unwrap_err().to_string(), "no such method");
        let (answer, ()) = tokio::join!(connection.request::<u32>("m", (), SOON), async {
            peer.send(r#"{"id":2,"result":"text"}"#).await;
        });
        assert!(matches!(&answer, Err(RequestError::Invalid { method, .. }) if method == "m"), "{answer:?}");
    }

    #[tokio::test]
    async fn connection_request_without_answer_is_cancelled_and_late_answer_is_no_problem() {
        let (connection, mut incoming, mut peer) = connected();
        let answer = connection.request::<u32>("slow", (), Duration::from_millis(20)).await;
        assert_eq!(answer.unwrap_err().to_string(), "no answer to slow within 0.02 s");
        assert!(peer.next().await.contains("slow"));
        assert_eq!(peer.next().await, r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#);
        peer.send(r#"{"id":1,"result":1}"#).await;
        peer.send(r#"{"id":9,"result":1}"#).await;
        peer.send(r#"{"method":"m"}"#).await;
        let problem = incoming.recv().await.unwrap();
        assert!(
            matches!(&problem, Incoming::Problem(text) if text.ends_with("never made: 9")),
            "{problem:?}"
        );
        assert!(matches!(incoming.recv().await, Some(Incoming::Notification { .. })));
    }

    #[tokio::test]
    async fn connection_dropped_request_is_cancelled() {
        let (connection, _incoming, mut peer) = connected();
        let asking = tokio::spawn({
            let connection = connection.clone();
            async move { connection.request::<u32>("m", (), SOON).await }
        });
        assert!(peer.next().await.contains(r#""method":"m""#));
        asking.abort();
        assert!(peer.next().await.contains("$/cancelRequest"));
    }

    #[tokio::test]
    async fn connection_end_of_peer_ends_requests() {
        let (connection, mut incoming, peer) = connected();
        let asking = tokio::spawn({
            let connection = connection.clone();
            async move { connection.request::<u32>("m", (), SOON).await }
        });
        drop(peer);
        assert_eq!(asking.await.unwrap(), Err(RequestError::Closed));
        assert!(incoming.recv().await.is_none());
        assert_eq!(connection.request::<u32>("m", (), SOON).await, Err(RequestError::Closed));
        assert_eq!(connection.notify("m", ()), Err(RequestError::Closed));
    }

    #[tokio::test]
    async fn connection_peer_asks_and_is_answered() {
        let (connection, mut incoming, mut peer) = connected();
        peer.send(r#"{"id":"k","method":"workspace/configuration","params":{"items":[]}}"#).await;
        let Some(Incoming::Request { id, method, params }) = incoming.recv().await else {
            panic!("no request")
        };
        assert_eq!((method.as_str(), params.unwrap().get()), ("workspace/configuration", r#"{"items":[]}"#));
        connection.answer(&id, Ok([1])).unwrap();
        assert_eq!(peer.next().await, r#"{"jsonrpc":"2.0","id":"k","result":[1]}"#);
        let error = RpcError { code: RpcError::METHOD_NOT_FOUND, message: "no".to_string() };
        connection.answer(&id, Err::<(), _>(&error)).unwrap();
        assert!(peer.next().await.contains("-32601"));
    }

    #[tokio::test]
    async fn connection_odd_messages_are_problems_and_next_ones_are_read() {
        let (connection, mut incoming, mut peer) = connected();
        for text in ["{", "[]", r#"{"id":null,"error":{"code":-32700,"message":"what"}}"#] {
            peer.send(text).await;
            assert!(matches!(incoming.recv().await, Some(Incoming::Problem(_))), "{text}");
        }
        peer.stream.write_all(b"Content-Length: x\r\n\r\n").await.unwrap();
        assert!(matches!(incoming.recv().await, Some(Incoming::Problem(text)) if text.contains("no number")));
        assert!(incoming.recv().await.is_none(), "nothing can be read behind it");
        assert_eq!(connection.request::<u32>("m", (), SOON).await, Err(RequestError::Closed));
    }

    #[tokio::test]
    async fn connection_peer_that_does_not_read_costs_limited_memory() {
        let (connection, _incoming, _peer) = connected();
        let text = "x".repeat(8 << 20);
        let sent = (0..20).map(|_| connection.notify("m", &text));
        let refused = sent.filter(|sent| *sent == Err(RequestError::NotReading)).count();
        assert!(refused >= 12, "{refused}");
    }
}
