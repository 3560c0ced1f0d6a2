//! What an error of a provider means, and when a failed call is repeated.

#[doc(hidden)]
pub mod error_classification;
#[doc(hidden)]
pub mod error_codes;
#[doc(hidden)]
pub mod error_phrases;
pub mod retry;
