//! HTTP and server-sent events: the only sockets of the program.
//!
//! Layer 1. May import `base`; must not know what is talked about.
