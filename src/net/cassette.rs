//! Cassette: records HTTP exchanges to a file and replays them. One JSON object per line, with the request
//! (headers by name only: values may be secrets), the response's status and headers, and the chunks of its
//! body as they arrived.
//!
//! Must not know the content, nor what secrets look like in a body: no protocol has its key there.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::error::NetError;
use crate::base::secrets::redact_url;

/// One recorded exchange.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The method, such as `POST`.
    pub method: String,
    /// The URL without its query, which may hold a key.
    pub url: String,
    /// Names of the request's headers.
    pub sent: Vec<String>,
    /// The request's body as text.
    pub body: String,
    /// The HTTP status.
    pub status: u16,
    /// The response's headers.
    pub headers: Vec<(String, String)>,
    /// The body in chunks as they arrived; text, or base64 for other data.
    pub pieces: Vec<Piece>,
    /// The error that ended it; if there was no response at all, the status is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Disconnect>,
}

/// A connection error or timeout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Disconnect {
    /// The connection failed or broke.
    Broken {
        /// Who was asked.
        host: String,
        /// The cause.
        cause: String,
    },
    /// Nothing arrived for this many milliseconds.
    Silent {
        /// Who was asked.
        host: String,
        /// The duration in milliseconds.
        ms: u64,
    },
}

impl Disconnect {
    /// Returns the recorded form of an error; `None` if it does not concern a connection.
    pub fn from_error(error: &NetError) -> Option<Self> {
        match error {
            NetError::Connection { host, cause } => {
                Some(Self::Broken { host: host.clone(), cause: cause.clone() })
            }
            NetError::IdleTimeout { host, after } => {
                Some(Self::Silent { host: host.clone(), ms: after.as_millis() as u64 })
            }
            _ => None,
        }
    }

    /// Returns the recorded error.
    pub fn to_error(self) -> NetError {
        match self {
            Self::Broken { host, cause } => NetError::Connection { host, cause },
            Self::Silent { host, ms } => NetError::IdleTimeout { host, after: Duration::from_millis(ms) },
        }
    }
}

/// A chunk of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// Valid UTF-8.
    Text(String),
    /// Other data in base64.
    Bytes(String),
}

impl Piece {
    /// Creates a chunk from bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        std::str::from_utf8(bytes)
            .map_or_else(|_| Self::Bytes(STANDARD.encode(bytes)), |text| Self::Text(text.to_string()))
    }

    /// Returns its bytes; empty if the base64 is invalid.
    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Text(text) => Bytes::copy_from_slice(text.as_bytes()),
            Self::Bytes(coded) => STANDARD.decode(coded).unwrap_or_default().into(),
        }
    }
}

/// A cassette for recording or replay.
#[derive(Debug, Clone)]
pub enum Cassette {
    /// Appends every exchange to this file.
    #[doc(hidden)]
    Record(Recording),
    /// Sends nothing; returns recorded exchanges in their order.
    #[doc(hidden)]
    Replay(Arc<Mutex<VecDeque<Exchange>>>),
}

/// A file that exchanges are appended to.
#[derive(Debug, Clone)]
pub struct Recording {
    path: PathBuf,
    file: Arc<Mutex<File>>,
}

impl Cassette {
    /// Records to a new file, readable only by its owner, or appends to an existing one.
    pub fn record(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        Ok(Self::Record(Recording { path: path.to_path_buf(), file: Arc::new(Mutex::new(file)) }))
    }

    /// Loads a file for replay. An invalid line is an error that names it.
    pub fn replay(path: &Path) -> io::Result<Self> {
        let mut exchanges = VecDeque::new();
        for (at, line) in BufReader::new(File::open(path)?).lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let exchange = serde_json::from_str(&line).map_err(|error| {
                io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", at + 1))
            })?;
            exchanges.push_back(exchange);
        }
        Ok(Self::Replay(Arc::new(Mutex::new(exchanges))))
    }
}

impl Recording {
    /// Appends an exchange. A write error is only logged: the response itself is fine.
    #[doc(hidden)]
    pub fn add(&self, exchange: &Exchange) {
        let mut line = match serde_json::to_vec(exchange) {
            Ok(line) => line,
            Err(error) => return tracing::error!("an exchange cannot be recorded: {error}"),
        };
        line.push(b'\n');
        let mut file = self.file.lock();
        if let Err(error) = file.write_all(&line) {
            tracing::error!("cannot record into {}: {error}", self.path.display());
        }
    }
}

/// Returns the next recorded exchange for a request, if there is one; a handwritten one with URL `*` matches
/// any.
pub fn next_exchange(cassette: &Mutex<VecDeque<Exchange>>, method: &str, url: &str) -> Option<Exchange> {
    let mut cassette = cassette.lock();
    let url = &*redact_url(url);
    let at = cassette
        .iter()
        .position(|exchange| exchange.method == method && (exchange.url == url || exchange.url == "*"))?;
    cassette.remove(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(url: &str, pieces: Vec<Piece>) -> Exchange {
        Exchange { method: "POST".into(), url: url.into(), status: 200, pieces, ..Exchange::default() }
    }

    #[test]
    fn cassette_replays_in_recorded_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        let Cassette::Record(recording) = Cassette::record(&path).unwrap() else { panic!("it records") };
        let pieces = vec![Piece::from_bytes("é\n".as_bytes()), Piece::from_bytes(&[0xff, 0, 1])];
        recording.add(&exchange("http://h/a", pieces));
        recording.add(&exchange("http://h/b", vec![]));
        recording.add(&exchange("http://h/a", vec![]));
        let Cassette::Replay(tape) = Cassette::replay(&path).unwrap() else { panic!("it plays") };
        assert_eq!(next_exchange(&tape, "POST", "http://h/b?key=k").unwrap().pieces, []);
        let first = next_exchange(&tape, "POST", "http://h/a").unwrap();
        let bytes: Vec<_> = first.pieces.iter().map(Piece::bytes).collect();
        assert_eq!(bytes, ["é\n".as_bytes(), &[0xff, 0, 1][..]]);
        assert_eq!(next_exchange(&tape, "GET", "http://h/a"), None);
        assert!(
            next_exchange(&tape, "POST", "http://h/a").is_some()
                && next_exchange(&tape, "POST", "http://h/a").is_none()
        );
    }

    #[cfg(unix)]
    #[test]
    fn cassette_file_is_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        Cassette::record(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    }

    #[test]
    fn cassette_broken_line_is_reported_by_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        std::fs::write(&path, "\n{\"no\": 1}\n").unwrap();
        let error = Cassette::replay(&path).unwrap_err().to_string();
        assert!(error.starts_with("line 2: "), "{error}");
        assert!(Cassette::replay(&dir.path().join("none")).is_err());
    }
}
