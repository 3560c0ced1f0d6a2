//! Which rows of a picker match its query, the best first. Must not know how they are shown.

use std::cell::RefCell;
use std::sync::Arc;

use nucleo::pattern::{CaseMatching, Normalization};
use nucleo::{Injector, Matcher, Nucleo, Status, Utf32Str};

use crate::ide::core::layers::first_matches::{FirstMatches, FirstSearch};
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::raised::{Bonuses, Raised};

/// Rows that can be added from any thread, and those of them that match a query.
pub struct Matching {
    matcher: Nucleo<PickRow>,
    /// Those shown until the matcher has compared all rows.
    first: Option<FirstMatches>,
    /// What some rows are worth beside how well they match, and where they are therefore.
    bonuses: Bonuses,
    raised: Raised,
    /// Finds the letters that match.
    letters: RefCell<Matcher>,
}

impl Matching {
    /// Without rows. `wake` is called, from any thread, when there is something new.
    pub fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let config = nucleo::Config::DEFAULT.match_paths();
        Self {
            // One thread: with two cores, one is left to draw and to walk the file system.
            matcher: Nucleo::new(config.clone(), wake, Some(1), 1),
            first: None,
            bonuses: Bonuses::default(),
            raised: Raised::default(),
            letters: RefCell::new(Matcher::new(config)),
        }
    }

    /// Returns an injector that adds rows from any thread.
    pub fn injector(&self) -> Injector<PickRow> {
        self.matcher.injector()
    }

    /// Adds to the scores of some rows, which must be the first that are added.
    pub fn set_bonuses(&mut self, bonuses: Bonuses) {
        self.bonuses = bonuses;
    }

    /// Removes all rows.
    pub fn restart(&mut self) {
        (self.first, self.raised) = (None, Raised::default());
        self.matcher.restart(true);
    }

    /// Sets the query, which the matcher begins with at the next [`Matching::tick`]. `is_longer` says that it
    /// begins with the one before.
    pub fn set_query(&mut self, query: &str, is_longer: bool) {
        self.first = None;
        self.matcher.pattern.reparse(0, query, CaseMatching::Smart, Normalization::Smart, is_longer);
    }

    /// Lets the matcher publish its results; waits at most `wait_ms`.
    pub fn tick(&mut self, wait_ms: u64) -> Status {
        let status = self.matcher.tick(wait_ms);
        if status.changed {
            self.raised = Raised::find(self.matcher.snapshot(), &self.bonuses, &self.letters);
        }
        if !status.running || self.has_query() {
            self.first = None;
        }
        status
    }

    /// Whether the matcher has published the matches of the query, and not only those of the one before.
    fn has_query(&self) -> bool {
        let published = self.matcher.snapshot().pattern().column_pattern(0);
        published.atoms == self.matcher.pattern.column_pattern(0).atoms
    }

    /// Whether the matches are those of the query, be it only the first ones.
    pub fn shows_query(&self) -> bool {
        self.first.is_some() || self.has_query()
    }

    /// Whether the matches are the first ones only.
    pub fn has_first(&self) -> bool {
        self.first.is_some()
    }

    /// Returns the search for the first matches, if the list is so long that the matcher takes longer.
    pub fn first_search(&self) -> Option<FirstSearch> {
        let pattern = self.matcher.pattern.column_pattern(0);
        let is_needed = !self.has_query() && !pattern.atoms.is_empty();
        FirstSearch::new(self.injector(), pattern, &self.bonuses).filter(|_| is_needed)
    }

    /// Shows the first matches until the matcher publishes all; returns whether they are still of use.
    pub fn show_first(&mut self, first: FirstMatches) -> bool {
        let is_needed = !self.has_query() && first.is_of(self.matcher.pattern.column_pattern(0));
        if is_needed {
            self.first = Some(first);
        }
        is_needed
    }

    /// Returns the number of matching rows.
    pub fn count(&self) -> u32 {
        let all = || self.matcher.snapshot().matched_item_count();
        self.first.as_ref().map_or_else(all, FirstMatches::count)
    }

    /// Returns the number of rows.
    pub fn total(&self) -> u32 {
        self.matcher.snapshot().item_count()
    }

    /// Returns the matching rows from an index on, best first.
    pub fn rows(&self, from: u32, count: u32) -> Box<dyn Iterator<Item = &PickRow> + '_> {
        if let Some(first) = &self.first {
            return Box::new(first.rows().skip(from as usize).take(count as usize));
        }
        let snapshot = self.matcher.snapshot();
        let end = from.saturating_add(count).min(snapshot.matched_item_count());
        let sources = (from.min(end)..end).map(|n| self.raised.source(n));
        Box::new(sources.filter_map(|n| snapshot.get_matched_item(n)).map(|item| item.data))
    }

    /// Returns which letters of a text the query matches, as indices of graphemes, sorted.
    pub fn letters(&self, text: &str) -> Vec<u32> {
        let (mut indices, mut buffer) = (Vec::new(), Vec::new());
        let text = Utf32Str::new(text, &mut buffer);
        let pattern = self.matcher.pattern.column_pattern(0);
        pattern.indices(text, &mut self.letters.borrow_mut(), &mut indices);
        indices.sort_unstable();
        indices.dedup();
        indices
    }
}

/// Returns the query that finds the rows in which the words of another one are.
pub fn as_words(query: &str) -> String {
    query.split_whitespace().map(|word| format!("'{word}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::core::layers::first_matches::LONG_LIST;
    use crate::ide::core::layers::picker::{Pick, push};

    fn texts(rows: impl IntoIterator<Item = String>) -> Matching {
        let matching = Matching::new(Arc::new(|| {}));
        for text in rows {
            let pick = Pick::new(text.clone());
            let row = PickRow { text, aliases: Vec::new(), group: None, detail: String::new(), pick };
            push(&matching.injector(), row);
        }
        matching
    }

    /// So many paths, of which each is shorter than the one before.
    fn long_list() -> Matching {
        texts((0..LONG_LIST).map(|n| format!("src/{}m.rs", "x".repeat(500 - n as usize / 41))))
    }

    fn settle(matching: &mut Matching) {
        while matching.tick(10).running {}
    }

    fn best(matching: &Matching, count: u32) -> Vec<&str> {
        matching.rows(0, count).map(|row| row.text.as_str()).collect()
    }

    #[test]
    fn matching_long_list_shows_first_matches_until_all_are_found() {
        let mut matching = long_list();
        settle(&mut matching);
        matching.set_query("m", true);
        assert!(!matching.shows_query());
        let first = matching.first_search().expect("the list is long").run(|| false);
        assert!(matching.show_first(first));
        assert!(matching.shows_query() && matching.has_first());
        let shown: Vec<String> = best(&matching, 50).into_iter().map(String::from).collect();
        settle(&mut matching);
        assert!(!matching.has_first());
        assert_eq!(best(&matching, 50), shown, "the best of all rows are the best of those looked at: all");
        assert_eq!(matching.count(), LONG_LIST);
    }

    #[test]
    fn matching_first_matches_are_those_of_rows_seen_in_time() {
        let mut matching = long_list();
        settle(&mut matching);
        matching.set_query("m", true);
        let asked = std::cell::Cell::new(0);
        let is_over = || asked.replace(asked.get() + 1) == 2;
        let first = matching.first_search().unwrap().run(is_over);
        assert_eq!(first.count(), 1_000, "of two times 512 rows");
        assert_eq!(first.rows().next().unwrap().text.len(), 500 - 1023 / 41 + 8);
    }

    #[test]
    fn matching_first_matches_of_another_query_are_not_shown() {
        let mut matching = long_list();
        settle(&mut matching);
        matching.set_query("m", true);
        let late = matching.first_search().unwrap().run(|| false);
        matching.set_query("mr", true);
        assert!(!matching.show_first(late), "the query is another one");
        let late = matching.first_search().unwrap().run(|| false);
        settle(&mut matching);
        assert!(!matching.show_first(late), "all are known");
    }

    fn with_bonuses(mut matching: Matching, bonuses: &[(&str, u32)]) -> Matching {
        matching
            .set_bonuses(Arc::new(bonuses.iter().map(|(text, bonus)| ((*text).into(), *bonus)).collect()));
        settle(&mut matching);
        matching
    }

    fn search(matching: &mut Matching, query: &str) {
        matching.set_query(query, false);
        settle(matching);
    }

    #[test]
    fn matching_rows_with_bonus_come_before_equal_ones_only() {
        let rows =
            ["lib/b/mod.rs", "lib/c/mod.rs", "lib/a/mod.rs", "mod.rs", "m-o-d-r-s", "x/mod.rs", "other"];
        let bonuses = [("lib/b/mod.rs", 3), ("lib/c/mod.rs", 6), ("gone", 9)];
        let mut matching = with_bonuses(texts(rows.map(String::from)), &bonuses);
        assert_eq!(best(&matching, 9), rows, "without a query as they were added");
        search(&mut matching, "modrs");
        let found = best(&matching, 9);
        let at = |row: &str| found.iter().position(|text| *text == row).unwrap();
        assert!(at("lib/c/mod.rs") < at("lib/b/mod.rs") && at("lib/b/mod.rs") < at("x/mod.rs"), "{found:?}");
        assert!(at("x/mod.rs") < at("lib/a/mod.rs") && at("lib/a/mod.rs") < at("m-o-d-r-s"), "{found:?}");
        let mut sorted = found.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((sorted.len(), matching.count()), (6, 6), "each once: {found:?}");
        search(&mut matching, "lib/a");
        assert_eq!(best(&matching, 9).first(), Some(&"lib/a/mod.rs"), "what is typed counts more");
    }

    #[test]
    fn matching_rows_with_bonus_are_the_same_among_first_matches() {
        let used = ["src/zzzzzz/m.rs", "src/zzzzzzzzzzz/m.rs", "src/zz/n.rs"].map(String::from);
        let rows = (0..LONG_LIST).map(|n| format!("src/{}m.rs", "x".repeat(500 - n as usize / 41)));
        let bonuses = [("src/zzzzzz/m.rs", 4), ("src/zzzzzzzzzzz/m.rs", 8), ("src/zz/n.rs", 12)];
        let mut matching = with_bonuses(texts(used.into_iter().chain(rows)), &bonuses);
        matching.set_query("m", true);
        let first = matching.first_search().expect("the list is long").run(|| false);
        assert!(matching.show_first(first));
        let shown: Vec<String> = best(&matching, 900).into_iter().map(String::from).collect();
        settle(&mut matching);
        assert!(!matching.has_first());
        assert_eq!(best(&matching, 900), shown);
        assert_eq!(shown[..2], ["src/zzzzzzzzzzz/m.rs", "src/zzzzzz/m.rs"]);
    }

    #[test]
    fn matching_words_of_query_are_not_scattered() {
        let mut matching = texts(["Toggle word wrap", "src/wrap.rs", "two random apples"].map(String::from));
        settle(&mut matching);
        search(&mut matching, "wrap");
        assert_eq!(matching.count(), 3);
        search(&mut matching, &as_words("wrap"));
        assert_eq!(matching.count(), 2);
        search(&mut matching, &as_words(" wrap  tog"));
        assert_eq!(best(&matching, 9), ["Toggle word wrap"]);
        assert_eq!(as_words(" "), "");
    }

    #[test]
    fn matching_short_list_needs_no_first_matches() {
        let mut matching = texts(["a.rs", "b.rs"].map(String::from));
        settle(&mut matching);
        matching.set_query("a", true);
        assert!(matching.first_search().is_none());
        settle(&mut matching);
        assert_eq!(best(&matching, 5), ["a.rs"]);
    }
}
