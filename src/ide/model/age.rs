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

/// Returns how long something takes: `14 s`, `2 min 5 s`, `1 h 12 min`.
pub fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
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
    fn elapsed_has_two_largest_units() {
        let shown = [0, 59, 125, 4_330].map(|seconds| elapsed(Duration::from_secs(seconds)));
        assert_eq!(shown, ["0 s", "59 s", "2 min 5 s", "1 h 12 min"]);
    }
}
