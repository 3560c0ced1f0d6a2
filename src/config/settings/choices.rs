//! Value ranges shared by several settings: names and ranges of numbers. Must not know which setting uses
//! what.

use crate::config::kind::Kind;

pub(super) const DELIVERY: Kind = Kind::Choice(&["all", "one-at-a-time"]);
pub(super) const TOKENS: Kind = Kind::Number(0, 10_000_000);
pub(super) const TIME: Kind = Kind::Number(0, i32::MAX as i64);
pub(super) const THINKING: Kind = Kind::Choice(&["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
pub(super) const WHITESPACE: Kind = Kind::Choice(&["off", "trailing", "all"]);
pub(super) const TRANSPORT: Kind = Kind::Choice(&["auto", "sse", "websocket", "websocket-cached"]);
pub(super) const SOFT_WRAP: Kind = Kind::Choice(&["off", "prose", "on"]);
pub(super) const TAB_LINE: Kind = Kind::Choice(&["always", "several", "never"]);
pub(super) const NOTIFY: Kind = Kind::Choice(&["auto", "bell", "off"]);
pub(super) const IMAGES: Kind = Kind::Choice(&["auto", "kitty", "iterm2", "sixel", "halfblocks", "off"]);
pub(super) const PROFILE: Kind = Kind::Choice(&["auto", "pi", "openai", "anthropic", "gemini"]);
pub(super) const APPROVAL: Kind = Kind::Choice(&["untrusted", "on-request", "auto-edit", "full"]);
