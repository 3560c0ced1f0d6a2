//! Classifies errors of providers: the kind by status, code and message.

#[doc(hidden)]
pub mod error_classification;
#[doc(hidden)]
pub mod error_codes;
#[doc(hidden)]
pub mod error_phrases;
