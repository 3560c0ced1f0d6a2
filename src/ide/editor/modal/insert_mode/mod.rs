//! Insert mode: `insert` begins and ends it, `block` types into rectangles, `keys` are the keys that do more
//! than type.

pub mod block;
pub mod insert;
pub mod keys;
