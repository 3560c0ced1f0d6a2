//! Settings: the table of all keys, layered files, defaults. Input happens in `load` only.
//!
//! Layer 2. May import `base`; must not know who uses a setting.
