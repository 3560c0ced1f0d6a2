//! Shared parts of the dialects for building a request: history, headers, addresses, media, limits, schemas.

#[doc(hidden)]
pub mod affinity;
#[doc(hidden)]
pub mod attach;
#[doc(hidden)]
pub mod copilot;
#[doc(hidden)]
pub mod endpoint;
#[doc(hidden)]
pub mod extra;
#[doc(hidden)]
pub mod headers;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod image_limits;
#[doc(hidden)]
pub mod media;
#[doc(hidden)]
pub mod output_budget;
#[doc(hidden)]
pub mod raw_input;
#[doc(hidden)]
pub mod strict;
