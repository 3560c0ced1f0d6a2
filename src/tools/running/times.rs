//! How long a command may take: what its call says, what the user has set, what the family has.
//!
//! Must not know any tool.

use std::time::Duration;

use serde_json::Value;

use crate::tools::contract::config::Config;

/// The longest that a call may say; the specification's number for every family.
pub const LONGEST: Duration = Duration::from_mins(10);

/// The time of a call: what it says in milliseconds, else the user's, else the family's, and never
/// more than the longest. Zero is taken for nothing said.
pub fn of(config: &Config, said: Option<&Value>, family: Option<Duration>) -> Option<Duration> {
    let said = said.and_then(millis).filter(|time| !time.is_zero());
    let time = said.or(config.command_timeout).or(family)?;
    Some(time.min(config.command_timeout_max.unwrap_or(LONGEST)))
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
        let mut config = Config::default();
        assert_eq!(of(&config, None, None), None);
        assert_eq!(of(&config, None, Some(ms(10_000))), Some(ms(10_000)));
        assert_eq!(of(&config, Some(&json!(0)), Some(ms(10_000))), Some(ms(10_000)));
        assert_eq!(of(&config, Some(&json!(500)), Some(ms(10_000))), Some(ms(500)));
        assert_eq!(of(&config, Some(&json!(9e9)), None), Some(LONGEST));
        config.command_timeout = Some(ms(7));
        config.command_timeout_max = Some(ms(20));
        assert_eq!(of(&config, None, Some(ms(10_000))), Some(ms(7)));
        assert_eq!(of(&config, Some(&json!(500)), None), Some(ms(20)));
        assert_eq!(of(&config, Some(&json!(-1)), None), Some(ms(7)));
    }
}
