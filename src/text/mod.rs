//! The editor core: rope documents, transactions, undo tree, selections, kill ring. Pure.
//!
//! Layer 2. May import `base`; must not know files, terminals or agents.
