//! Environment layers: read-only, logging, policy, denied paths, another root, reference counting. They
//! compose over any environment.
//!
//! Must not know which environment is inside.

#[doc(hidden)]
pub mod counted;
#[doc(hidden)]
pub mod denied_paths;
#[doc(hidden)]
pub mod layer;
#[doc(hidden)]
pub mod logging;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod read_only;
#[doc(hidden)]
pub mod rooted;

pub use counted::Counted;
pub use denied_paths::DeniedPaths;
pub use layer::{Ended, Layer, Operation, Wrapped};
pub use logging::{Entry, Logging};
pub use policy::Policy;
pub use read_only::ReadOnly;
pub use rooted::Rooted;
