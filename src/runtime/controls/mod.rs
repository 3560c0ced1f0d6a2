//! Operations of front ends and client programs on a live session.
//!
//! `handle` has the operations that every front end uses. `client` is the plain data of requests by other
//! programs, `client_requests` answers them; `submit` sends a prompt and waits for the answer, `user_input`
//! validates messages, `image_input` makes images fit for them, `tool_facts` describes tools, `permission_report` lists what
//! is allowed and judges calls that no model makes, `user_command` runs a shell command of the user, `single_call` runs one
//! tool without a model. Must not know who asks.

pub mod client;
#[doc(hidden)]
pub mod client_requests;
#[doc(hidden)]
pub mod handle;
#[doc(hidden)]
pub mod image_input;
#[doc(hidden)]
pub mod permission_report;
#[doc(hidden)]
pub mod single_call;
pub(super) mod submit;
#[doc(hidden)]
pub mod tool_facts;
pub mod user_command;
pub mod user_input;
