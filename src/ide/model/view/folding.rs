//! Computes folds in the background: syntax nodes, or blocks of indented lines. Must not run anything: a job
//! is data, and a task runs it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::syntax::tree::SIZE_MAX;
use crate::syntax::{Language, Syntax};
use crate::text::display::fold_ranges;
use crate::text::display::folds::hidden_range;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Time limit of a parse where there is no tree yet.
const BUDGET: Duration = Duration::from_secs(5);

/// What to fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldTarget {
    /// The smallest foldable part around or below each of these lines.
    Around(Vec<Line>),
    /// Everything.
    All,
    /// Parts at this nesting depth, counting themselves.
    Level(usize),
}

/// A text in which folds are computed.
#[derive(Debug)]
pub struct FoldJob {
    /// The text.
    pub text: Text,
    /// Its version.
    pub version: u64,
    /// Its language.
    pub language: Option<&'static Language>,
    /// Its tree, if there is one already.
    pub tree: Option<Arc<Syntax>>,
    /// What language servers know, from a position in the first line to one in the last one. It counts if there is no tree.
    pub known: Vec<Range<Byte>>,
    /// Tab width in cells.
    pub tab_width: usize,
    /// What to fold.
    pub target: FoldTarget,
}

/// The computed folds.
#[derive(Debug)]
pub struct FoldResult {
    /// The version of the text.
    pub version: u64,
    /// What was to be folded.
    pub target: FoldTarget,
    /// The ranges to hide, see [`hidden`].
    pub hide: Vec<Range<Byte>>,
}

impl FoldJob {
    /// Computes the folds. Expensive.
    pub fn run(self) -> FoldResult {
        let (ranges, is_exact) = self.foldable();
        let hidden = |lines: &Range<Line>| {
            let whole = || self.text.line_end(lines.start)..self.text.line_end(lines.end);
            if is_exact { Some(whole()) } else { hidden_range(&self.text, lines) }
        };
        let hide = match &self.target {
            FoldTarget::All => ranges.iter().filter_map(hidden).collect(),
            FoldTarget::Level(level) => {
                let depths = fold_ranges::depths(&ranges);
                let wanted = ranges.iter().zip(depths).filter(|(_, depth)| depth == level);
                wanted.filter_map(|(range, _)| hidden(range)).collect()
            }
            FoldTarget::Around(lines) => {
                let around = |line: &Line| {
                    let holds = |range: &&Range<Line>| range.start <= *line && *line <= range.end;
                    let own = ranges.iter().filter(holds).filter_map(|range| Some((range, hidden(range)?)));
                    own.min_by_key(|(range, _)| range.end.0 - range.start.0).map(|(_, hide)| hide)
                };
                lines.iter().filter_map(around).collect()
            }
        };
        FoldResult { version: self.version, target: self.target, hide }
    }

    /// Returns first and last lines of the foldable parts, and whether all but the first lines are hidden for sure.
    fn foldable(&self) -> (Vec<Range<Line>>, bool) {
        let parse = || {
            let language = self.language.filter(|_| self.text.end().0 <= SIZE_MAX)?;
            Syntax::parse(language, &self.text, None, BUDGET).ok().map(Arc::new)
        };
        let tree = self.tree.clone().or_else(parse);
        let folds = tree.map(|tree| tree.folds(&self.text, &(Byte(0)..self.text.end()))).unwrap_or_default();
        if !folds.is_empty() {
            return (folds, false);
        }
        let lines = |range: &Range<Byte>| self.text.line_of(range.start)..self.text.line_of(range.end);
        let mut known: Vec<Range<Line>> =
            self.known.iter().map(lines).filter(|lines| lines.start < lines.end).collect();
        known.sort_unstable_by_key(|lines| (lines.start, std::cmp::Reverse(lines.end)));
        if known.is_empty() {
            return (fold_ranges::by_indent(&self.text, self.tab_width), false);
        }
        (known, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::languages::detect::by_name;

    const CODE: &str = "fn a() {\n    if b {\n        c();\n    }\n    é\n}\n\nfn d() {\n    e();\n}\n";

    fn hidden_lines(code: &str, language: Option<&str>, wish: FoldTarget) -> Vec<(usize, usize)> {
        let text = Text::from(code);
        let language = language.map(|name| by_name(name).unwrap());
        let job = FoldJob {
            text: text.clone(),
            version: 1,
            language,
            tree: None,
            known: Vec::new(),
            tab_width: 4,
            target: wish,
        };
        let lines = |hide: &Range<Byte>| (text.line_of(hide.start).0 + 1, text.line_of(hide.end).0);
        job.run().hide.iter().map(lines).collect()
    }

    #[test]
    fn folding_by_syntax_and_by_indentation_agree() {
        for language in [Some("rust"), None] {
            assert_eq!(
                hidden_lines(CODE, language, FoldTarget::All),
                [(1, 4), (2, 2), (8, 8)],
                "{language:?}"
            );
            assert_eq!(hidden_lines(CODE, language, FoldTarget::Level(2)), [(2, 2)]);
            assert_eq!(hidden_lines(CODE, language, FoldTarget::Around(vec![Line(2)])), [(2, 2)]);
            assert_eq!(
                hidden_lines(CODE, language, FoldTarget::Around(vec![Line(4), Line(7)])),
                [(1, 4), (8, 8)]
            );
            assert_eq!(hidden_lines(CODE, language, FoldTarget::Around(vec![Line(6)])), []);
        }
    }

    #[test]
    fn folding_by_what_servers_know_goes_before_indentation_but_not_before_syntax() {
        let text = Text::from(CODE);
        let at = |line: usize| text.line_end(Line(line));
        for (language, expected) in [(None, vec![(5, 9)]), (Some("rust"), vec![(1, 4), (2, 2), (8, 8)])] {
            let job = FoldJob {
                text: text.clone(),
                version: 1,
                language: language.map(|name| by_name(name).unwrap()),
                tree: None,
                known: vec![at(4)..at(9), at(7)..at(7)],
                tab_width: 4,
                target: FoldTarget::All,
            };
            let lines = |hide: &Range<Byte>| (text.line_of(hide.start).0 + 1, text.line_of(hide.end).0);
            assert_eq!(job.run().hide.iter().map(lines).collect::<Vec<_>>(), expected, "{language:?}");
        }
    }
}
