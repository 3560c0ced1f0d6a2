//! The server's side of a WebSocket: each message is a request, and its reply comes as frames.

use bowline::net::{socket, sse};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::Frame as RawFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role};

use super::server::{Piece, ReceivedRequest, Reply, Shared};

/// What only a WebSocket has.
#[derive(Debug, Clone)]
pub enum Frame {
    /// Waits for the answer, too.
    Ping,
    /// Closes with this code and reason.
    Close(u16, &'static str),
    /// A binary message.
    Binary(Vec<u8>),
    /// A message in frames of so many bytes.
    Split(String, usize),
    /// Bytes that need be no frame.
    Bytes(Vec<u8>),
}

type Socket = WebSocketStream<TcpStream>;

/// Serves one socket; `None` when the client went in the middle of an answer.
pub async fn serve_socket(
    mut socket: TcpStream,
    begun: Vec<u8>,
    asked: &ReceivedRequest,
    state: &Shared,
) -> Option<()> {
    let accept = socket::accept(&asked.headers["sec-websocket-key"]);
    let head = format!(
        "HTTP/1.1 101 X\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: {accept}\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await.ok()?;
    let mut talk = WebSocketStream::from_partially_read(socket, begun, Role::Server, None).await;
    while let Some(Ok(message)) = talk.next().await {
        let Message::Text(text) = message else { continue };
        let text = text.as_str().to_string();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let seen = ReceivedRequest { method: "MESSAGE".into(), body, text, ..asked.clone() };
        match state.next_reply(seen) {
            Reply::Status { code, headers, body } => {
                let mut event: Value = serde_json::from_str(&body).unwrap_or_else(|_| json!({}));
                event["type"] = "error".into();
                event["status"] = code.into();
                event["headers"] =
                    headers.into_iter().map(|(k, v)| (k.to_string(), Value::from(v))).collect();
                talk.send(Message::text(event.to_string())).await.ok()?;
            }
            Reply::Stream(pieces) => {
                if !send_answer(&mut talk, pieces, state).await? {
                    return Some(());
                }
            }
        }
    }
    Some(())
}

/// Whether the socket can serve another request.
async fn send_answer(talk: &mut Socket, pieces: Vec<Piece>, state: &Shared) -> Option<bool> {
    let mut decoder = sse::Decoder::default();
    for piece in pieces {
        match piece {
            Piece::Event(data) => talk.send(Message::text(data.to_string())).await.ok()?,
            // What stands for noise in a body is noise here.
            Piece::Raw(bytes) if bytes.contains(&0) => talk.send(Message::binary(bytes)).await.ok()?,
            Piece::Raw(bytes) => {
                let mut events = Vec::new();
                decoder.push(&bytes, &mut events).ok()?;
                for event in events {
                    talk.send(Message::text(event.data)).await.ok()?;
                }
            }
            Piece::Cut => return Some(false),
            Piece::Gate => tokio::select! {
                permit = state.gate.acquire() => permit.unwrap().forget(),
                _ = talk.next() => return None,
            },
            Piece::Socket(frame) => {
                if !send_special(talk, frame).await? {
                    return Some(false);
                }
            }
        }
    }
    Some(true)
}

async fn send_special(talk: &mut Socket, frame: Frame) -> Option<bool> {
    match frame {
        Frame::Ping => {
            talk.send(Message::Ping("are you there".into())).await.ok()?;
            while !matches!(talk.next().await?.ok()?, Message::Pong(_)) {}
        }
        Frame::Close(code, reason) => {
            talk.close(Some(CloseFrame { code: code.into(), reason: reason.into() })).await.ok()?;
            // Until the client has answered.
            while let Some(Ok(_)) = talk.next().await {}
            return Some(false);
        }
        Frame::Binary(bytes) => talk.send(Message::binary(bytes)).await.ok()?,
        Frame::Split(text, size) => {
            let count = text.len().div_ceil(size);
            for (at, piece) in text.as_bytes().chunks(size).enumerate() {
                let code = if at == 0 { Data::Text } else { Data::Continue };
                let frame = RawFrame::message(piece.to_vec(), OpCode::Data(code), at + 1 == count);
                talk.send(Message::Frame(frame)).await.ok()?;
            }
        }
        Frame::Bytes(bytes) => talk.get_mut().write_all(&bytes).await.ok()?,
    }
    Some(true)
}
