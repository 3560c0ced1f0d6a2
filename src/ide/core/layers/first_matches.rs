//! The first matches of a query in a very long list: the best of those rows that can be looked at within half a
//! frame, shown until all rows have been. Must not know where they are shown.

use std::cmp::Reverse;

use nucleo::pattern::Pattern;
use nucleo::{Injector, Matcher};

use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::raised::Bonuses;

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
    bonuses: Bonuses,
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
    pub fn new(rows: Injector<PickRow>, pattern: &Pattern, bonuses: &Bonuses) -> Option<Self> {
        let is_long = rows.injected_items() >= LONG_LIST;
        is_long.then(|| Self { rows, pattern: pattern.clone(), bonuses: bonuses.clone() })
    }

    /// Looks at rows, from the first one on, until the time is over or at all.
    pub fn run(self, is_time_over: impl Fn() -> bool) -> FirstMatches {
        let Self { rows, pattern, bonuses } = self;
        let mut matcher = Matcher::new(nucleo::Config::DEFAULT.match_paths());
        let mut found = Vec::new();
        let (count, with_bonus) = (rows.injected_items(), bonuses.len() as u32);
        for n in 0..count {
            if n % BATCH == 0 && is_time_over() {
                break;
            }
            // A row that is being added is left out.
            let Some(row) = rows.get(n) else { continue };
            let text = row.matcher_columns[0].slice(..);
            let Some(score) = pattern.score(text, &mut matcher) else { continue };
            // Only the first rows have one.
            let bonus = if n < with_bonus { bonuses.get(&row.data.text) } else { None };
            // In the order in which all are sorted then.
            found.push((
                Reverse(score + bonus.unwrap_or(&0)),
                bonus.is_none(),
                Reverse(score),
                text.len(),
                n,
            ));
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
