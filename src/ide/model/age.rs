//! How long ago something was, or how long it takes, in short. Must not know what.

use std::time::Duration;

/// Returns the time between two points in milliseconds since the epoch, in the largest unit that is not zero.
pub fn age(now_ms: u64, then_ms: u64) -> String {
    let seconds = now_ms.saturating_sub(then_ms) / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Returns how long ago a point in milliseconds since the epoch was, in words.
pub fn ago(now_ms: u64, then_ms: u64) -> String {
    match now_ms.saturating_sub(then_ms) {
        0..1_000 => "just now".to_string(),
        _ => format!("{} ago", age(now_ms, then_ms)),
    }
}

/// Returns how long something takes or took, such as `1.7 s`, `24 s` or `3 m 05 s`.
pub fn duration(time: Duration) -> String {
    let (seconds, tenths) = (time.as_secs(), time.subsec_millis() / 100);
    match seconds {
        0..10 if tenths > 0 => format!("{seconds}.{tenths} s"),
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_has_largest_unit() {
        assert_eq!(
            [(0, 0), (61_000, 0), (7_200_000, 0), (0, 5)].map(|(now, then)| age(now, then)),
            ["0 s", "1 min", "2 h", "0 s"]
        );
    }

    #[test]
    fn age_in_words_has_no_zero() {
        assert_eq!(
            [(999, 0), (5_000, 0), (0, 9)].map(|(now, then)| ago(now, then)),
            ["just now", "5 s ago", "just now"]
        );
    }

    #[test]
    fn durations_are_short() {
        let shown = [1_740, 24_900, 185_000, 3_725_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(shown, ["1.7 s", "24 s", "3 m 05 s", "1 h 02 m"]);
    }
}
