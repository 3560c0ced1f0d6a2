//! Where the user was before going far: jumps through all files, and marks that name a file
//! too. Must not open files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::ide::model::buffers::{Buffer, BufferId, Buffers};
use crate::text::anchors::places::Name;
use crate::text::position::Byte;

/// How many jumps are remembered.
const JUMPS_MAX: usize = 100;

/// A place in a file, which may have been closed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Under which name the file's text knows it while it is open.
    pub name: Name,
    /// Which file.
    pub buffer: BufferId,
    /// Where that is.
    pub path: Option<PathBuf>,
    /// Line and column, from 1, when the file was seen last.
    pub at: (usize, usize),
}

/// Jumps and global marks.
#[derive(Debug, Default)]
pub struct Jumps {
    list: Vec<Spot>,
    /// Which of them one stands at; their number when at none of them.
    at: usize,
    numbered: u64,
    marks: BTreeMap<char, Spot>,
}

fn spot(buffer: &mut Buffer, name: Name, at: Byte, tab_width: usize) -> Spot {
    buffer.area.document.places_mut().set(name, at);
    Spot { name, buffer: buffer.id, path: buffer.path.clone(), at: line_column(buffer, at, tab_width) }
}

fn line_column(buffer: &Buffer, at: Byte, tab_width: usize) -> (usize, usize) {
    let text = buffer.area.text();
    let at = text.grapheme_floor(at);
    (text.line_of(at).0 + 1, crate::text::display::columns::column_of(text, at, tab_width).0 + 1)
}

impl Jumps {
    /// The jumps, oldest first, and which of them one stands at.
    pub fn list(&self) -> (&[Spot], usize) {
        (&self.list, self.at)
    }

    /// The marks that name a file too.
    pub fn marks(&self) -> impl Iterator<Item = (char, &Spot)> {
        self.marks.iter().map(|(letter, spot)| (*letter, spot))
    }

    /// One of them.
    pub fn mark(&self, letter: char) -> Option<&Spot> {
        self.marks.get(&letter)
    }

    /// Sets a mark that names its file.
    pub fn set_mark(&mut self, buffers: &mut Buffers, letter: char, at: Byte, tab_width: usize) {
        if let Some(old) = self.marks.remove(&letter)
            && let Some(buffer) = buffers.get_mut(old.buffer)
        {
            buffer.area.document.places_mut().remove(old.name);
        }
        if let Some(buffer) = buffers.current_mut() {
            self.marks.insert(letter, spot(buffer, Name::Mark(letter), at, tab_width));
        }
    }

    /// Forgets a mark that names its file.
    pub fn remove_mark(&mut self, buffers: &mut Buffers, letter: char) {
        if let Some(old) = self.marks.remove(&letter)
            && let Some(buffer) = buffers.get_mut(old.buffer)
        {
            buffer.area.document.places_mut().remove(old.name);
        }
    }

    /// The user leaves this place of the file that is shown for one far away. A line is in
    /// the list once, at its newest place.
    pub fn note(&mut self, buffers: &mut Buffers, at: Byte, tab_width: usize) {
        let Some(buffer) = buffers.current_mut() else { return };
        buffer.area.document.places_mut().set_mark('\'', at);
        self.numbered += 1;
        let spot = spot(buffer, Name::Jump(self.numbered), at, tab_width);
        let line = |buffers: &mut Buffers, spot: &Spot| place(buffers, spot, tab_width).0;
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
                buffer.area.document.places_mut().remove(name);
            }
        }
        self.at = self.list.len();
    }

    /// Goes that many steps back, or forward when negative; `None` when there are not so many.
    /// The place one comes from is noted at the newest end.
    pub fn step(&mut self, buffers: &mut Buffers, here: Byte, back: isize, tab_width: usize) -> Option<Spot> {
        let target = self.at.checked_add_signed(-back)?;
        if target >= self.list.len() || back > 0 && self.list.is_empty() {
            return None;
        }
        let from_end = self.list.len() - target;
        if self.at == self.list.len() && back > 0 {
            let before = self.list.len();
            self.note(buffers, here, tab_width);
            // The line that one stands on may have been in the list already.
            if self.list.len() == before {
                self.at = before.checked_sub(from_end + usize::from(from_end == 1 && before > 1))?;
                return self.list.get(self.at).cloned();
            }
        }
        self.at = target;
        self.list.get(target).cloned()
    }

    /// One of them is gone to.
    pub fn go(&mut self, at: usize) -> Option<Spot> {
        let spot = self.list.get(at).cloned()?;
        self.at = at;
        Some(spot)
    }

    /// A file is closed: its places stay known by their lines.
    pub fn closing(&mut self, buffers: &mut Buffers, id: BufferId, tab_width: usize) {
        let spots = self.list.iter_mut().chain(self.marks.values_mut());
        for spot in spots.filter(|spot| spot.buffer == id) {
            spot.at = place(buffers, spot, tab_width);
            spot.path = buffers.get_mut(id).and_then(|buffer| buffer.path.clone());
        }
        // A text without a file is gone with it.
        let kept = |spot: &Spot| spot.buffer != id || spot.path.is_some();
        self.list.retain(kept);
        self.marks.retain(|_, spot| kept(spot));
        self.at = self.at.min(self.list.len());
    }
}

fn forget(buffers: &mut Buffers, spot: &Spot) {
    if let Some(buffer) = buffers.get_mut(spot.buffer) {
        buffer.area.document.places_mut().remove(spot.name);
    }
}

/// Line and column of a place, from 1, as the text is now.
pub fn place(buffers: &mut Buffers, spot: &Spot, tab_width: usize) -> (usize, usize) {
    let known = buffers.get_mut(spot.buffer).and_then(|buffer| {
        let at = buffer.area.document.places().get(spot.name)?;
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
            jumps.note(&mut buffers, Byte(at), 4);
        }
        assert_eq!(lines(&jumps), [1, 3, 2]);
        assert_eq!(jumps.list().1, 3);
    }

    #[test]
    fn jumps_back_and_forward() {
        let (mut jumps, mut buffers) = desk();
        jumps.note(&mut buffers, Byte(0), 4);
        jumps.note(&mut buffers, Byte(4), 4);
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
        jumps.note(&mut buffers, Byte(0), 4);
        jumps.note(&mut buffers, Byte(8), 4);
        assert_eq!(jumps.step(&mut buffers, Byte(9), 1, 4).unwrap().at, (1, 1));
        assert_eq!(lines(&jumps), [1, 3]);
    }

    #[test]
    fn jumps_in_closed_file_become_line_numbers() {
        let (mut jumps, mut buffers) = desk();
        jumps.note(&mut buffers, Byte(4), 4);
        jumps.set_mark(&mut buffers, 'A', Byte(9), 4);
        let id = buffers.current().unwrap().id;
        buffers.current_mut().unwrap().area.set("\n\ntwo\nthree", 0);
        jumps.closing(&mut buffers, id, 4);
        buffers.close(id);
        assert_eq!(jumps.mark('A').unwrap().path, Some("/a".into()));
        let scratch = buffers.open(None, Document::new("x", Format::default()), None);
        jumps.set_mark(&mut buffers, 'B', Byte(0), 4);
        jumps.closing(&mut buffers, scratch, 4);
        assert!(jumps.mark('B').is_none(), "there is no file to open again");
    }
}
