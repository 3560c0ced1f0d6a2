//! How long ago something was, in short. Must not know what.

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
}
