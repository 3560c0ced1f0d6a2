//! Language servers: what is said to them and what they answer, in words of our own.
//!
//! Layer 2. May import `base`; must not know editors, agents, nor who starts a server's process.
//!
//! [`wire`] carries messages, [`client`] speaks with one server, [`answers`] has what it says. Positions are those of
//! the protocol ([`position`]) until a [`document`] that the server knows turns them into byte offsets. Which server is
//! for which file is in the [`table`].

pub mod answers;
pub mod capabilities;
pub mod client;
pub mod document;
pub mod position;
pub mod table;
pub mod uri;
pub mod wire;
