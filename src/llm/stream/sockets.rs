//! Pool of idle sockets between two requests of a session, with a dialect's state for each, and the sessions
//! that do not use sockets.
//!
//! Must not know any wire format.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use parking_lot::Mutex;

use crate::net::socket::{Parked, Socket};

/// Maximum idle time of a socket.
pub const IDLE: Duration = Duration::from_mins(5);
/// Maximum age of a socket at the start of a request: servers close them after an hour.
pub const AGE: Duration = Duration::from_mins(55);
/// Maximum number of idle sockets: the one idle for longest is closed.
const MOST: usize = 16;

/// The pool of one adapter. `M` is the dialect's state.
#[derive(Debug)]
pub struct Sockets<M> {
    state: Mutex<State<M>>,
}

#[derive(Debug)]
struct State<M> {
    idle: HashMap<String, Idle<M>>,
    without: HashSet<String>,
}

#[derive(Debug)]
struct Idle<M> {
    parked: Parked,
    since_ms: u64,
    born_ms: u64,
    memory: Option<M>,
}

/// A socket in use.
#[derive(Debug)]
pub struct Open<M> {
    /// The connection.
    pub socket: Socket,
    /// Creation time, in milliseconds since the epoch.
    pub born_ms: u64,
    /// State of the previous request.
    pub memory: Option<M>,
}

impl<M> Default for Sockets<M> {
    fn default() -> Self {
        Self { state: Mutex::new(State { idle: HashMap::new(), without: HashSet::new() }) }
    }
}

impl<M> Sockets<M> {
    /// Returns the idle socket with this key, unless it is closed or too old.
    pub async fn take(&self, key: &str, now_ms: u64) -> Option<Open<M>> {
        let idle = self.state().idle.remove(key)?;
        let since = |ms: u64| Duration::from_millis(now_ms.saturating_sub(ms));
        if since(idle.born_ms) >= AGE || since(idle.since_ms) >= IDLE {
            return None;
        }
        let socket = idle.parked.take().await?;
        Some(Open { socket, born_ms: idle.born_ms, memory: idle.memory })
    }

    /// Adds an idle socket. Of two with one key the later is kept.
    pub fn keep(&self, key: &str, open: Open<M>, now_ms: u64) {
        let Open { socket, born_ms, memory } = open;
        let mut state = self.state();
        state.idle.retain(|_, idle| !idle.parked.is_over());
        if state.idle.len() >= MOST
            && let Some(oldest) = state.idle.iter().min_by_key(|(_, idle)| idle.since_ms)
        {
            let oldest = oldest.0.clone();
            state.idle.remove(&oldest);
        }
        let idle = Idle { parked: socket.park(IDLE), since_ms: now_ms, born_ms, memory };
        state.idle.insert(key.to_string(), idle);
    }

    /// Disables sockets for this session.
    pub fn do_without(&self, session: &str) {
        self.state().without.insert(session.to_string());
    }

    /// Whether sockets are disabled for this session.
    pub fn does_without(&self, session: &str) -> bool {
        self.state().without.contains(session)
    }

    fn state(&self) -> parking_lot::MutexGuard<'_, State<M>> {
        self.state.lock()
    }
}
