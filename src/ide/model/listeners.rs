//! Who listens to the changes of an open text. Plain names.

use crate::text::document::Listener;

/// Its syntax colors.
pub const COLORS: Listener = Listener::ALL[0];
/// Its language servers.
pub const SERVERS: Listener = Listener::ALL[1];
