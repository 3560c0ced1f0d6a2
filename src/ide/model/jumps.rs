//! Jump list over all files, and marks that name a file. Must not open files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::ide::model::buffers::{Buffer, BufferId, Buffers};
use crate::text::anchors::named_positions::PositionName;
use crate::text::position::Byte;

/// Maximum number of remembered jumps.
const JUMPS_MAX: usize = 100;

/// A position in a file, which may have been closed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JumpLocation {
    /// Name of the position in the file's text while it is open.
    pub name: PositionName,
    /// Which file.
    pub buffer: BufferId,
    /// Path of the file.
    pub path: Option<PathBuf>,
    /// One-based line and column when the file was last open.
    pub at: (usize, usize),
}

/// Jumps and global marks.
#[derive(Debug, Default)]
pub struct Jumps {
    list: Vec<JumpLocation>,
    /// Index of the current jump; the length of the list if there is none.
    index: usize,
    last_number: u64,
    marks: BTreeMap<char, JumpLocation>,
}

fn jump_location(buffer: &mut Buffer, name: PositionName, at: Byte, tab_width: usize) -> JumpLocation {
    buffer.area.document.positions_mut().set(name, at);
    JumpLocation {
        name,
        buffer: buffer.id,
        path: buffer.path.clone(),
        at: line_column(buffer, at, tab_width),
    }
}

fn line_column(buffer: &Buffer, at: Byte, tab_width: usize) -> (usize, usize) {
    let text = buffer.area.text();
    let at = text.grapheme_floor(at);
    (text.line_of(at).0 + 1, crate::text::display::columns::column_of(text, at, tab_width).0 + 1)
}

impl Jumps {
    /// Returns the jumps, oldest first, and the index of the current one.
    pub fn list(&self) -> (&[JumpLocation], usize) {
        (&self.list, self.index)
    }

    /// The marks that name a file too.
    pub fn marks(&self) -> impl Iterator<Item = (char, &JumpLocation)> {
        self.marks.iter().map(|(letter, spot)| (*letter, spot))
    }

    /// Returns a mark.
    pub fn mark(&self, letter: char) -> Option<&JumpLocation> {
        self.marks.get(&letter)
    }

    /// Sets a mark that names its file.
    pub fn set_mark(&mut self, buffers: &mut Buffers, letter: char, at: Byte, tab_width: usize) {
        if let Some(old) = self.marks.remove(&letter)
            && let Some(buffer) = buffers.get_mut(old.buffer)
        {
            buffer.area.document.positions_mut().remove(old.name);
        }
        if let Some(buffer) = buffers.current_mut() {
            self.marks.insert(letter, jump_location(buffer, PositionName::Mark(letter), at, tab_width));
        }
    }

    /// Removes a mark that names its file.
    pub fn remove_mark(&mut self, buffers: &mut Buffers, letter: char) {
        if let Some(old) = self.marks.remove(&letter)
            && let Some(buffer) = buffers.get_mut(old.buffer)
        {
            buffer.area.document.positions_mut().remove(old.name);
        }
    }

    /// Records a position of the shown file before a long jump. A line occurs in the list only once, at its
    /// latest position.
    pub fn push(&mut self, buffers: &mut Buffers, at: Byte, tab_width: usize) {
        let Some(buffer) = buffers.current_mut() else { return };
        buffer.area.document.positions_mut().set_mark('\'', at);
        self.last_number += 1;
        let spot = jump_location(buffer, PositionName::Jump(self.last_number), at, tab_width);
        let line = |buffers: &mut Buffers, spot: &JumpLocation| current_position(buffers, spot, tab_width).0;
        let new_line = line(buffers, &spot);
        let mut gone = Vec::new();
        self.list.retain(|old| {
            let same = old.buffer == spot.buffer && line(buffers, old) == new_line;
            if same {
                gone.push(old.name);
            }
            !same
        });
        self.list.push(spot);
        if self.list.len() > JUMPS_MAX {
            let oldest = self.list.remove(0);
            forget(buffers, &oldest);
        }
        if let Some(buffer) = buffers.current_mut() {
            for name in gone {
                buffer.area.document.positions_mut().remove(name);
            }
        }
        self.index = self.list.len();
    }

    /// Goes back by a number of steps, forward if negative; `None` if there are not that many. The starting
    /// position is recorded at the newest end.
    pub fn step(
        &mut self,
        buffers: &mut Buffers,
        here: Byte,
        back: isize,
        tab_width: usize,
    ) -> Option<JumpLocation> {
        let target = self.index.checked_add_signed(-back)?;
        if target >= self.list.len() || back > 0 && self.list.is_empty() {
            return None;
        }
        let from_end = self.list.len() - target;
        if self.index == self.list.len() && back > 0 {
            let before = self.list.len();
            self.push(buffers, here, tab_width);
            // The current line may have been in the list already.
            if self.list.len() == before {
                self.index = before.checked_sub(from_end + usize::from(from_end == 1 && before > 1))?;
                return self.list.get(self.index).cloned();
            }
        }
        self.index = target;
        self.list.get(target).cloned()
    }

    /// Makes a jump the current one and returns it.
    pub fn go(&mut self, at: usize) -> Option<JumpLocation> {
        let spot = self.list.get(at).cloned()?;
        self.index = at;
        Some(spot)
    }

    /// Records that a file is closed: its positions are kept as lines and columns.
    pub fn on_close(&mut self, buffers: &mut Buffers, id: BufferId, tab_width: usize) {
        let spots = self.list.iter_mut().chain(self.marks.values_mut());
        for spot in spots.filter(|spot| spot.buffer == id) {
            spot.at = current_position(buffers, spot, tab_width);
            spot.path = buffers.get_mut(id).and_then(|buffer| buffer.path.clone());
        }
        // Positions in a text without a file are lost with it.
        let kept = |spot: &JumpLocation| spot.buffer != id || spot.path.is_some();
        self.list.retain(kept);
        self.marks.retain(|_, spot| kept(spot));
        self.index = self.index.min(self.list.len());
    }
}

fn forget(buffers: &mut Buffers, spot: &JumpLocation) {
    if let Some(buffer) = buffers.get_mut(spot.buffer) {
        buffer.area.document.positions_mut().remove(spot.name);
    }
}

/// Returns one-based line and column of a position in the current text.
pub fn current_position(buffers: &mut Buffers, spot: &JumpLocation, tab_width: usize) -> (usize, usize) {
    let known = buffers.get_mut(spot.buffer).and_then(|buffer| {
        let at = buffer.area.document.positions().get(spot.name)?;
        Some(line_column(buffer, at, tab_width))
    });
    known.unwrap_or(spot.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::document::Document;
    use crate::text::file_format::format::Format;

    fn desk() -> (Jumps, Buffers) {
        let mut buffers = Buffers::default();
        buffers.open(Some("/a".into()), Document::new("one\ntwo\nthree\nfour\n", Format::default()), None);
        (Jumps::default(), buffers)
    }

    fn lines(jumps: &Jumps) -> Vec<usize> {
        jumps.list().0.iter().map(|spot| spot.at.0).collect()
    }

    #[test]
    fn jumps_line_is_listed_once() {
        let (mut jumps, mut buffers) = desk();
        for at in [0, 4, 8, 5] {
            jumps.push(&mut buffers, Byte(at), 4);
        }
        assert_eq!(lines(&jumps), [1, 3, 2]);
        assert_eq!(jumps.list().1, 3);
    }

    #[test]
    fn jumps_back_and_forward() {
        let (mut jumps, mut buffers) = desk();
        jumps.push(&mut buffers, Byte(0), 4);
        jumps.push(&mut buffers, Byte(4), 4);
        let back = jumps.step(&mut buffers, Byte(8), 1, 4).unwrap();
        assert_eq!((back.at, lines(&jumps)), ((2, 1), vec![1, 2, 3]));
        assert_eq!(jumps.step(&mut buffers, Byte(4), 1, 4).unwrap().at, (1, 1));
        assert!(jumps.step(&mut buffers, Byte(0), 1, 4).is_none());
        assert_eq!(jumps.step(&mut buffers, Byte(0), -2, 4).unwrap().at, (3, 1));
        assert!(jumps.step(&mut buffers, Byte(8), -1, 4).is_none());
    }

    #[test]
    fn jumps_back_from_listed_line_skips_it() {
        let (mut jumps, mut buffers) = desk();
        jumps.push(&mut buffers, Byte(0), 4);
        jumps.push(&mut buffers, Byte(8), 4);
        assert_eq!(jumps.step(&mut buffers, Byte(9), 1, 4).unwrap().at, (1, 1));
        assert_eq!(lines(&jumps), [1, 3]);
    }

    #[test]
    fn jumps_in_closed_file_become_line_numbers() {
        let (mut jumps, mut buffers) = desk();
        jumps.push(&mut buffers, Byte(4), 4);
        jumps.set_mark(&mut buffers, 'A', Byte(9), 4);
        let id = buffers.current().unwrap().id;
        buffers.current_mut().unwrap().area.set("\n\ntwo\nthree", 0);
        jumps.on_close(&mut buffers, id, 4);
        buffers.close(id);
        assert_eq!(jumps.mark('A').unwrap().path, Some("/a".into()));
        let scratch = buffers.open(None, Document::new("x", Format::default()), None);
        jumps.set_mark(&mut buffers, 'B', Byte(0), 4);
        jumps.on_close(&mut buffers, scratch, 4);
        assert!(jumps.mark('B').is_none(), "there is no file to open again");
    }
}
