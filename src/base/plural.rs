//! Numbers with their nouns, in singular or plural.

use std::fmt::Display;

/// Returns `1 file`, `2 files`.
pub fn pluralize<N: Display + PartialEq + Copy + From<u8>>(count: N, one: &str, many: &str) -> String {
    let what = if count == N::from(1) { one } else { many };
    format!("{count} {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_uses_singular_for_one() {
        assert_eq!(pluralize(0_u32, "file", "files"), "0 files");
        assert_eq!(pluralize(1_usize, "file", "files"), "1 file");
        assert_eq!(pluralize(2_u64, "file", "files"), "2 files");
    }
}
