//! The code of a diff, for its colors: the text of both sides, and the place of each line in it. Must not know
//! how lines are shown.

use std::ops::Range;

use crate::syntax::languages::detect;
use crate::tools::contract::view::DiffLine;
use crate::tui::widgets::markdown::code_blocks::Block;

/// Maximum lines of a diff that get colors.
const LINES_MAX: usize = 2_000;
/// Maximum bytes of a side that get colors.
const BYTES_MAX: usize = 256 << 10;

/// The code of a diff.
#[derive(Debug, Default)]
pub struct DiffCode {
    /// Unchanged and added lines.
    pub new: String,
    /// Unchanged and removed lines.
    pub old: String,
    /// Of each line, its place in its side.
    places: Vec<Range<usize>>,
}

impl DiffCode {
    /// Returns the code of the first lines of a diff.
    pub fn new(lines: &[Option<DiffLine>]) -> Self {
        let mut code = Self::default();
        for line in lines.iter().take(LINES_MAX) {
            let (sign, text) = line.as_ref().map_or((' ', ""), |line| (line.sign, line.text.as_str()));
            if code.new.len().max(code.old.len()) + text.len() > BYTES_MAX {
                break;
            }
            let mut place = 0..0;
            for (side, other) in [(&mut code.old, '+'), (&mut code.new, '-')] {
                if sign != other {
                    place = side.len()..side.len() + text.len();
                    side.push_str(text);
                    side.push('\n');
                }
            }
            code.places.push(place);
        }
        code
    }

    /// Returns the place of the `n`th line in its side: the old one for a removed line.
    pub fn place(&self, n: usize) -> Option<Range<usize>> {
        self.places.get(n).cloned()
    }

    /// Returns the code of both sides, new and old, for the diff at `at` among those of its card.
    pub fn blocks(self, path: &str, at: usize) -> [Block; 2] {
        let language = language_of(path);
        let block = |start, code| Block { language: language.clone(), start, code, width: 0 };
        [block(at * 2, self.new), block(at * 2 + 1, self.old)]
    }
}

/// Returns the name of the language of a file, as on a code fence; may be unknown.
fn language_of(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    match detect::detect(name, "") {
        Some(language) => language.name.to_string(),
        None => name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_diff_code_has_both_sides() {
        let line = |sign, text: &str| Some(DiffLine { sign, number: 1, text: text.to_string() });
        let lines = [line(' ', "fn a() {"), line('-', "old"), line('+', "new"), None, line(' ', "}")];
        let code = DiffCode::new(&lines);
        assert_eq!((code.new.as_str(), code.old.as_str()), ("fn a() {\nnew\n\n}\n", "fn a() {\nold\n\n}\n"));
        let text = |n: usize, side: &str| side[code.place(n).unwrap()].to_string();
        assert_eq!([text(1, &code.old), text(2, &code.new), text(4, &code.new)], ["old", "new", "}"]);
        assert_eq!(
            code.blocks("src/a.rs", 1).map(|block| (block.language, block.start)),
            [("rust".to_string(), 2), ("rust".to_string(), 3)]
        );
    }

    #[test]
    fn cards_diff_code_is_bounded() {
        let line = Some(DiffLine { sign: '+', number: 1, text: "x".repeat(100_000) });
        assert!(DiffCode::new(&vec![line; 10_000]).new.len() <= BYTES_MAX + 1);
    }
}
