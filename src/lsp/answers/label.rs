//! Short texts of answers, such as names and types. Pure.

/// Maximum bytes of one.
const LABEL_MAX: usize = 1 << 10;

/// Cuts a text that is longer than a label may be.
pub fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LABEL_MAX));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_that_is_too_long_is_cut_at_a_character() {
        assert_eq!(cut("é".repeat(2_000)).len(), LABEL_MAX);
        assert_eq!(cut(format!("a{}", "é".repeat(2_000))).len(), LABEL_MAX - 1);
        assert_eq!(cut("é".to_string()), "é");
    }
}
