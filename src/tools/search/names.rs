//! Sort orders of found files in the families.
//!
//! Must not know how they were found.

use crate::exec::FoundPath;

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Sorts most recently changed first, then by name.
pub fn newest_first(found: &mut [FoundPath]) {
    found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
}

/// Sorts files changed in the last 24 hours first, newest at the top; the rest by name.
pub fn recent_first(found: &mut [FoundPath], now_ms: u64) {
    let recent = |one: &FoundPath| one.modified.filter(|at| now_ms.saturating_sub(*at) < DAY_MS);
    found.sort_by(|a, b| recent(b).cmp(&recent(a)).then_with(|| a.path.cmp(&b.path)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_sorts_newest_or_recent_first() {
        let one = |name: &str, modified| FoundPath {
            path: name.into(),
            name: name.into(),
            folder: false,
            modified,
        };
        let day = DAY_MS;
        let mut all = [one("c", None), one("b", Some(10)), one("a", Some(10)), one("d", Some(day * 3))];
        let names = |all: &[FoundPath]| all.iter().map(|one| one.name.clone()).collect::<String>();
        newest_first(&mut all);
        assert_eq!(names(&all), "dabc");
        recent_first(&mut all, day * 3 + 5);
        assert_eq!(names(&all), "dabc");
        recent_first(&mut all, day * 9);
        assert_eq!(names(&all), "abcd");
        recent_first(&mut all, day);
        assert_eq!(names(&all), "dabc");
    }
}
