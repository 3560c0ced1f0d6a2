//! Inlays: displayed text that is not in the document, such as fold markers and hints. They are mapped
//! through changes. Must not know who makes or draws them.

use crate::base::width::text_width;
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum bytes of a line that shows hints: a line with inlays is walked from its start whenever it is drawn.
const HINTED_LINE_MAX: usize = 16 << 10;
/// Bytes that a change adds at most for the inlays to stay.
const ADDED_MAX: usize = 64 << 10;

/// Whether the line of an offset is short enough for hints.
pub fn has_room_for_hints(text: &Text, at: Byte) -> bool {
    let (start, end) = text.line_bounds(text.line_of(at.min(text.end())));
    end - start <= HINTED_LINE_MAX
}

/// A text displayed between the characters around an offset. A cursor at the offset is before it, or after it if it
/// belongs to what follows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inlay {
    /// The offset.
    pub at: Byte,
    /// The text, one line. Control characters are replaced when it is drawn.
    pub text: String,
    /// The scope for its color.
    pub scope: &'static str,
    /// Red, green and blue in place of the color of the scope.
    pub color: Option<[u8; 3]>,
    /// Whether it belongs to what follows: what is typed at its offset goes behind it.
    pub is_leading: bool,
}

impl Inlay {
    /// Returns its width in cells.
    pub fn width(&self) -> usize {
        text_width(&self.text)
    }

    /// Whether it is displayed before a cursor at an offset.
    pub fn is_before(&self, at: Byte) -> bool {
        self.at < at || self.at == at && self.is_leading
    }
}

/// The inlays of one text, in order; each group is replaced as a whole by its owner.
#[derive(Debug, Clone, Default)]
pub struct Inlays {
    /// The owner of each.
    owners: Vec<&'static str>,
    sorted: Vec<Inlay>,
}

impl Inlays {
    /// Replaces all inlays of one owner.
    pub fn set(&mut self, owner: &'static str, inlays: impl IntoIterator<Item = Inlay>) {
        let known = self.owners.drain(..).zip(self.sorted.drain(..)).filter(|(other, _)| *other != owner);
        let mut all: Vec<_> = known.chain(inlays.into_iter().map(|inlay| (owner, inlay))).collect();
        // Stable: at one position the earlier owner stays first.
        all.sort_by_key(|(_, inlay)| (inlay.at, inlay.is_leading));
        (self.owners, self.sorted) = all.into_iter().unzip();
    }

    /// Returns all inlays, by position.
    pub fn all(&self) -> &[Inlay] {
        &self.sorted
    }

    /// Maps them through a change; those in deleted text are removed.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.sorted.is_empty() {
            return;
        }
        // The line of one may have become a very long one.
        if changes.len_after() > changes.len_before() + ADDED_MAX {
            return *self = Self::default();
        }
        let moved = self.owners.drain(..).zip(self.sorted.drain(..));
        let moved = moved.filter(|(_, inlay)| !changes.is_inside(inlay.at)).map(|(owner, inlay)| {
            let side = if inlay.is_leading { Side::Before } else { Side::After };
            (owner, Inlay { at: changes.map(inlay.at, side), ..inlay })
        });
        let mut all: Vec<_> = moved.collect();
        // Text at one offset goes between those that end there and those that begin there.
        all.sort_by_key(|(_, inlay)| (inlay.at, inlay.is_leading));
        (self.owners, self.sorted) = all.into_iter().unzip();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inlay(at: usize, text: &str) -> Inlay {
        Inlay { at: Byte(at), text: text.to_string(), scope: "ui.inlay", ..Inlay::default() }
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

    #[test]
    fn inlays_that_belong_to_what_follows_stay_before_what_is_typed() {
        let mut inlays = Inlays::default();
        let name = Inlay { is_leading: true, ..inlay(2, "name: ") };
        inlays.set("hints", [name, inlay(2, ": u8")]);
        let shown =
            |inlays: &Inlays| inlays.all().iter().map(|i| (i.at.0, i.text.clone())).collect::<Vec<_>>();
        assert_eq!(shown(&inlays), [(2, ": u8".to_string()), (2, "name: ".to_string())]);
        assert_eq!([2, 3].map(|at| inlays.all()[0].is_before(Byte(at))), [false, true]);
        assert!(inlays.all()[1].is_before(Byte(2)));
        inlays.map(&ChangeSet::replace(4, [(Byte(2)..Byte(2), "xy".to_string())]));
        assert_eq!(shown(&inlays), [(2, "name: ".to_string()), (4, ": u8".to_string())]);
    }

    #[test]
    fn inlays_are_not_shown_in_very_long_lines() {
        let text = Text::from(format!("short\n{}\n", "x".repeat(HINTED_LINE_MAX + 1)).as_str());
        assert!(has_room_for_hints(&text, Byte(5)) && !has_room_for_hints(&text, Byte(6)));
        assert!(has_room_for_hints(&text, Byte(usize::MAX)));
        let mut inlays = Inlays::default();
        inlays.set("types", [inlay(2, "x")]);
        inlays.map(&ChangeSet::replace(4, [(Byte(3)..Byte(3), "x".repeat(ADDED_MAX + 1))]));
        assert_eq!(inlays.all(), []);
    }
}
