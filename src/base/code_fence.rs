//! Fences of code blocks in Markdown. Must not know what is in a block.

/// Returns a fence that does not occur in a text: more backticks than in any run in it, three at least.
#[doc(hidden)]
pub fn code_fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_fence_is_longer_than_runs_in_text() {
        assert_eq!([code_fence("a"), code_fence("`` ```` `")], ["```", "`````"]);
    }
}
