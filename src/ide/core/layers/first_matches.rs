//! The first matches of a query in a very long list: the best of those rows that can be looked at within half a
//! frame, shown until all rows have been. Must not know where they are shown.

use std::cmp::Reverse;

use nucleo::pattern::Pattern;
use nucleo::{Injector, Matcher};

use crate::ide::core::layers::picker::PickRow;

/// Rows from which a list is searched for first matches: the matcher takes longer than a frame for more.
pub const LONG_LIST: u32 = 20_000;
/// Matches that are shown.
const SHOWN: usize = 1_000;
/// Rows looked at between two questions for the time.
const BATCH: u32 = 512;

/// A search for the first matches, which any thread can do.
pub struct FirstSearch {
    rows: Injector<PickRow>,
    pattern: Pattern,
}

/// The first matches that were found.
pub struct FirstMatches {
    rows: Injector<PickRow>,
    pattern: Pattern,
    /// Indices of rows, the best first.
    matches: Vec<u32>,
}

impl FirstSearch {
    /// Returns the search, if the list is a long one.
    pub fn new(rows: Injector<PickRow>, pattern: &Pattern) -> Option<Self> {
        (rows.injected_items() >= LONG_LIST).then(|| Self { rows, pattern: pattern.clone() })
    }

    /// Looks at rows, from the first one on, until the time is over or at all.
    pub fn run(self, is_time_over: impl Fn() -> bool) -> FirstMatches {
        let Self { rows, pattern } = self;
        let mut matcher = Matcher::new(nucleo::Config::DEFAULT.match_paths());
        let mut found = Vec::new();
        let count = rows.injected_items();
        for n in 0..count {
            if n % BATCH == 0 && is_time_over() {
                break;
            }
            // A row that is being added is left out.
            let Some(text) = rows.get(n).map(|row| row.matcher_columns[0].slice(..)) else { continue };
            let score = pattern.score(text, &mut matcher);
            // In the order in which the matcher sorts all.
            found.extend(score.map(|score| (Reverse(score), text.len(), n)));
        }
        if found.len() > SHOWN {
            found.select_nth_unstable(SHOWN);
            found.truncate(SHOWN);
        }
        found.sort_unstable();
        FirstMatches { rows, pattern, matches: found.into_iter().map(|(.., n)| n).collect() }
    }
}

impl FirstMatches {
    /// Whether they are the matches of that query.
    pub fn is_of(&self, pattern: &Pattern) -> bool {
        self.pattern.atoms == pattern.atoms
    }

    /// Returns how many there are.
    pub fn count(&self) -> u32 {
        self.matches.len() as u32
    }

    /// Returns the rows, the best first.
    pub fn rows(&self) -> impl Iterator<Item = &PickRow> {
        self.matches.iter().filter_map(|n| self.rows.get(*n)).map(|row| row.data)
    }
}
