//! Text that is shown at a place but is not in the text: what a fold hides, hints of later
//! features. It travels with the text. Must not know who makes or draws it.

use crate::base::width::text_width;
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;

/// One text that is shown between the characters around an offset. A cursor at the offset
/// stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inlay {
    /// Where.
    pub at: Byte,
    /// What; one line. What could command a terminal is made visible when it is drawn.
    pub text: String,
    /// The scope in which it is drawn.
    pub scope: &'static str,
}

impl Inlay {
    /// Cells that it takes.
    pub fn width(&self) -> usize {
        text_width(&self.text)
    }
}

/// The inlays of one text, in order; each group is replaced as a whole by whoever owns it.
#[derive(Debug, Clone, Default)]
pub struct Inlays {
    all: Vec<(&'static str, Inlay)>,
    sorted: Vec<Inlay>,
}

impl Inlays {
    /// Replaces everything that one owner shows.
    pub fn set(&mut self, owner: &'static str, inlays: impl IntoIterator<Item = Inlay>) {
        self.all.retain(|(other, _)| *other != owner);
        self.all.extend(inlays.into_iter().map(|inlay| (owner, inlay)));
        self.sort();
    }

    /// All of them, by their places.
    pub fn all(&self) -> &[Inlay] {
        &self.sorted
    }

    /// Carries them through a change; those in a deleted text go with it.
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
        // Stable: of two at one place the owner that came first stays first.
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
