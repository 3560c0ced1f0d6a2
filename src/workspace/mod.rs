//! A folder as a project: its root, its files under the ignore rules, its documents for agents.
//!
//! Layer 2. May import `base` and `exec`; must not know who looks at it.
