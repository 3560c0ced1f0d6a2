//! What was typed into a row of the bar before, newest last; it lasts as long as the program runs. Must not know the
//! bar.

/// Maximum number of entries.
const MAX: usize = 100;

/// The entries of one row.
#[derive(Debug, Default)]
pub struct History {
    entries: Vec<String>,
    /// The entry that the row shows, and what was typed before.
    shown: Option<(usize, String)>,
}

impl History {
    /// Adds an entry; an equal one moves to the end. Empty texts are no entries.
    pub fn add(&mut self, text: &str) {
        self.shown = None;
        if text.is_empty() {
            return;
        }
        self.entries.retain(|entry| entry != text);
        self.entries.push(text.to_string());
        if self.entries.len() > MAX {
            self.entries.remove(0);
        }
    }

    /// Forgets which entry is shown: something else was typed.
    pub fn leave(&mut self) {
        self.shown = None;
    }

    /// Returns the text of the entry `by` steps newer than what is shown, or older if negative. After the newest comes
    /// what was typed. `None` at an end.
    pub fn step(&mut self, by: isize, typed: &str) -> Option<String> {
        let (at, typed) = match &self.shown {
            Some((at, typed)) => (*at, typed.clone()),
            None => (self.entries.len(), typed.to_string()),
        };
        let mut next = at.checked_add_signed(by)?;
        // The text in the row is often the newest entry itself.
        if self.shown.is_none() && by < 0 && self.entries.get(next) == Some(&typed) {
            next = next.checked_add_signed(-1)?;
        }
        let text =
            if next == self.entries.len() { Some(typed.clone()) } else { self.entries.get(next).cloned() }?;
        self.shown = Some((next, typed));
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_history_goes_to_older_entries_and_back_to_the_typed_text() {
        let mut history = History::default();
        for text in ["one", "two", "", "one"] {
            history.add(text);
        }
        assert_eq!(history.step(-1, "dra"), Some("one".to_string()));
        assert_eq!(history.step(-1, "one"), Some("two".to_string()));
        assert_eq!(history.step(-1, "two"), None);
        assert_eq!(history.step(1, "two"), Some("one".to_string()));
        assert_eq!(history.step(1, "one"), Some("dra".to_string()));
        assert_eq!(history.step(1, "dra"), None);
    }

    #[test]
    fn find_history_skips_the_entry_that_is_already_typed() {
        let mut history = History::default();
        history.add("one");
        history.add("two");
        assert_eq!(history.step(-1, "two"), Some("one".to_string()));
        for n in 0..200 {
            history.add(&n.to_string());
        }
        assert_eq!(history.entries.len(), MAX);
    }
}
