//! Inlays: displayed text that is not in the document, such as fold markers and hints. They are mapped
//! through changes. Must not know who makes or draws them.

use crate::base::width::text_width;
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;

/// A text displayed between the characters around an offset. A cursor at the offset is before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inlay {
    /// The offset.
    pub at: Byte,
    /// The text, one line. Control characters are replaced when it is drawn.
    pub text: String,
    /// The scope for its color.
    pub scope: &'static str,
}

impl Inlay {
    /// Returns its width in cells.
    pub fn width(&self) -> usize {
        text_width(&self.text)
    }
}

/// The inlays of one text, in order; each group is replaced as a whole by its owner.
#[derive(Debug, Clone, Default)]
pub struct Inlays {
    all: Vec<(&'static str, Inlay)>,
    sorted: Vec<Inlay>,
}

impl Inlays {
    /// Replaces all inlays of one owner.
    pub fn set(&mut self, owner: &'static str, inlays: impl IntoIterator<Item = Inlay>) {
        self.all.retain(|(other, _)| *other != owner);
        self.all.extend(inlays.into_iter().map(|inlay| (owner, inlay)));
        self.sort();
    }

    /// Returns all inlays, by position.
    pub fn all(&self) -> &[Inlay] {
        &self.sorted
    }

    /// Maps them through a change; those in deleted text are removed.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.all.is_empty() {
            return;
        }
        self.all.retain(|(_, inlay)| !changes.is_inside(inlay.at));
        for (_, inlay) in &mut self.all {
            inlay.at = changes.map(inlay.at, Side::After);
        }
        self.sort();
    }

    fn sort(&mut self) {
        // Stable: at one position the earlier owner stays first.
        self.all.sort_by_key(|(_, inlay)| inlay.at);
        self.sorted = self.all.iter().map(|(_, inlay)| inlay.clone()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inlay(at: usize, text: &str) -> Inlay {
        Inlay { at: Byte(at), text: text.to_string(), scope: "ui.inlay" }
    }

    #[test]
    fn inlays_move_with_edits() {
        let mut inlays = Inlays::default();
        inlays.set("types", [inlay(6, ": u8"), inlay(2, ": é")]);
        inlays.set("names", [inlay(2, "x:")]);
        let shown =
            |inlays: &Inlays| inlays.all().iter().map(|i| (i.at.0, i.text.clone())).collect::<Vec<_>>();
        assert_eq!(shown(&inlays), [(2, ": é".into()), (2, "x:".into()), (6, ": u8".into())]);
        inlays.map(&ChangeSet::replace(8, [(Byte(0)..Byte(0), "ab".to_string())]));
        assert_eq!(shown(&inlays)[2], (8, ": u8".to_string()));
        inlays.map(&ChangeSet::replace(10, [(Byte(7)..Byte(9), String::new())]));
        inlays.set("names", []);
        assert_eq!(shown(&inlays), [(4, ": é".to_string())]);
        assert_eq!(inlays.all()[0].width(), 3);
    }
}
