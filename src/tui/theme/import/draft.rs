//! What a theme of another program says, in our terms: colors for roles and scopes.
//!
//! Must not know formats. A role is a name in the palette of the built-in themes, on which their scopes stand.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::style::{Color, Style};

/// Colors by role.
pub type Roles = BTreeMap<&'static str, Color>;

/// The counterpart of a color of another theme.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// A name in the palette.
    Role(&'static str),
    /// The text of a scope.
    Fg(&'static str),
    /// The ground of a scope.
    Bg(&'static str),
}

/// A key of the other theme, and its counterpart. Of several rows with the same counterpart the first counts whose key
/// the theme has.
pub type Row = (&'static str, Target);

/// What a theme says.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The name that it gives itself.
    pub name: Option<String>,
    /// Whether it says that it is dark; the ground counts more.
    pub dark: Option<bool>,
    /// Its palette, in its order.
    pub palette: Vec<(String, Color)>,
    /// Colors for roles.
    pub roles: Roles,
    /// Scopes of code, complete, and the parts of other scopes that differ.
    pub styles: BTreeMap<String, Style>,
    /// Parts that are wrong and were not used.
    pub problems: Vec<String>,
    /// Keys without a counterpart.
    pub unmapped: Vec<String>,
}

impl Draft {
    /// Takes the colors that a table names; returns the keys of the table.
    pub fn map(
        &mut self,
        table: &[Row],
        find: impl Fn(&'static str) -> Option<Color>,
    ) -> BTreeSet<&'static str> {
        for (key, target) in table {
            let Some(color) = find(key) else { continue };
            match target {
                Target::Role(role) => drop(self.roles.entry(role).or_insert(color)),
                Target::Fg(scope) => {
                    let style = self.styles.entry((*scope).to_string()).or_default();
                    style.fg = style.fg.or(Some(color));
                }
                Target::Bg(scope) => {
                    let style = self.styles.entry((*scope).to_string()).or_default();
                    style.bg = style.bg.or(Some(color));
                }
            }
        }
        table.iter().map(|(key, _)| *key).collect()
    }
}

/// Whether a name can be a key of a theme: the names of scopes and palettes in use are such words.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_draft_takes_the_first_row_whose_key_exists() {
        let rows: [Row; 4] = [
            ("none", Target::Role("bg")),
            ("a", Target::Role("bg")),
            ("b", Target::Role("bg")),
            ("b", Target::Fg("ui.hint")),
        ];
        let mut draft = Draft::default();
        let find = |key: &str| ["a", "b"].iter().position(|known| *known == key);
        let keys = draft.map(&rows, |key| find(key).map(|at| Color::Indexed(at as u8)));
        assert_eq!((draft.roles["bg"], keys.len()), (Color::Indexed(0), 3));
        assert_eq!(draft.styles["ui.hint"], Style::new().fg(Color::Indexed(1)));
        assert!(is_plain("markup.heading.1") && !is_plain("") && !is_plain("a\n") && !is_plain("é"));
    }
}
