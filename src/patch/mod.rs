//! Changing text by exact replacement, and saying what changed. Pure.
//!
//! Layer 2. May import `base`; must not know files or tools.
