//! What an error of a provider means: its kind by status, code and message.

#[doc(hidden)]
pub mod error_classification;
#[doc(hidden)]
pub mod error_codes;
#[doc(hidden)]
pub mod error_phrases;
