//! Timeouts of commands: from the call, the user's settings, or the family.
//!
//! Must not know any tool.

use std::time::Duration;

use serde_json::Value;

use crate::tools::contract::config::ToolConfig;

/// Maximum timeout of a call; from the specification, for every family.
pub const TIMEOUT_MAX: Duration = Duration::from_mins(10);

/// Returns a call's timeout: its own in milliseconds, else the user's, else the family's, up to the maximum.
/// Zero counts as none.
pub fn timeout(config: &ToolConfig, requested: Option<&Value>, family: Option<Duration>) -> Option<Duration> {
    let requested = requested.and_then(millis).filter(|time| !time.is_zero());
    let time = requested.or(config.command_timeout).or(family)?;
    Some(time.min(config.command_timeout_max.unwrap_or(TIMEOUT_MAX)))
}

/// A number of milliseconds.
pub fn millis(value: &Value) -> Option<Duration> {
    let number = value.as_f64().filter(|number| *number >= 0.0)?;
    Duration::try_from_secs_f64(number / 1000.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn timeout_precedence_call_config_family() {
        let ms = Duration::from_millis;
        let mut config = ToolConfig::default();
        assert_eq!(timeout(&config, None, None), None);
        assert_eq!(timeout(&config, None, Some(ms(10_000))), Some(ms(10_000)));
        assert_eq!(timeout(&config, Some(&json!(0)), Some(ms(10_000))), Some(ms(10_000)));
        assert_eq!(timeout(&config, Some(&json!(500)), Some(ms(10_000))), Some(ms(500)));
        assert_eq!(timeout(&config, Some(&json!(9e9)), None), Some(TIMEOUT_MAX));
        config.command_timeout = Some(ms(7));
        config.command_timeout_max = Some(ms(20));
        assert_eq!(timeout(&config, None, Some(ms(10_000))), Some(ms(7)));
        assert_eq!(timeout(&config, Some(&json!(500)), None), Some(ms(20)));
        assert_eq!(timeout(&config, Some(&json!(-1)), None), Some(ms(7)));
    }
}
