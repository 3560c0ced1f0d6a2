//! Settings: the table of all keys, layered files, defaults. I/O happens in `load` only.
//!
//! Layer 2. May import `base`; must not know who uses a setting.

pub mod edit;
pub mod kind;
pub mod load;
pub mod plugins;
pub mod resources;
pub mod settings;
pub mod snippets;

pub use load::{LoadedSettings, Problem};
pub use resources::{Builtin, Resource, Resources};
pub use settings::Settings;
pub use settings::row::Row;
pub use settings::rows::ROWS;
