//! Named registers, as in Vim. The kill ring holds the unnamed and the numbered ones. Must not know keys or
//! where a text is pasted.

use std::collections::BTreeMap;

use crate::text::clipboard::content::Content;
use crate::text::clipboard::kill_ring::{KillRing, Origin};

/// How a text was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyKind {
    /// Copied.
    Copied,
    /// Cut: lines or a large text.
    Cut,
    /// Cut: less than a line.
    CutSmall,
    /// The same, but by a long motion.
    CutFar,
}

/// The registers with their own text: `a` to `z`, `0`, `-`, `+` and `*`.
#[derive(Debug, Clone, Default)]
pub struct Registers {
    named: BTreeMap<char, Content>,
}

/// Whether a text can be written to a register of that name.
pub fn is_writable(name: char) -> bool {
    name.is_ascii_alphanumeric() || "\"-_+*".contains(name)
}

impl Registers {
    /// Writes a text to the register `name`, `None` being the unnamed one. It also becomes the ring's newest
    /// entry, except for the black hole `_`.
    pub fn write(&mut self, ring: &mut KillRing, name: Option<char>, content: Content, taken: CopyKind) {
        let text = content.clone();
        let cut = matches!(taken, CopyKind::Cut | CopyKind::CutFar);
        match name {
            Some('_') => return,
            None | Some('"') => {
                match taken {
                    CopyKind::Copied => self.set('0', content.clone()),
                    CopyKind::CutSmall | CopyKind::CutFar => self.set('-', content.clone()),
                    CopyKind::Cut => {}
                }
                let origin = if cut { Origin::Killed } else { Origin::Copied };
                return ring.push_entry(content, origin);
            }
            Some(name) if name.is_ascii_uppercase() => {
                self.named.entry(name.to_ascii_lowercase()).or_default().append(content);
            }
            Some('+' | '*') => {
                self.set('+', content.clone());
                self.set('*', content);
            }
            Some(name) => self.set(name, content),
        }
        let kept = name.and_then(|name| self.named.get(&name.to_ascii_lowercase())).cloned();
        let kept = kept.unwrap_or_default();
        // A text cut into a register is also a numbered entry.
        if cut {
            ring.push_entry(text.clone(), Origin::Killed);
        }
        if !cut || kept != text {
            ring.push_entry(kept, Origin::Copied);
        }
    }

    /// Sets one register only.
    pub fn set(&mut self, name: char, content: Content) {
        self.named.insert(name, content);
    }

    /// Returns the content of a register. `1` to `9` are killed texts, newest first; `"` is the ring's
    /// newest.
    pub fn read(&self, ring: &KillRing, name: char) -> Option<Content> {
        match name {
            '"' => ring.newest(),
            '1'..='9' => {
                let own = self.named.get(&name);
                own.cloned().or_else(|| ring.nth_kill(name as usize - '1' as usize))
            }
            name => self.named.get(&name.to_ascii_lowercase()).cloned(),
        }
    }

    /// Returns all registers with content, the unnamed one first.
    pub fn all(&self, ring: &KillRing) -> Vec<(char, Content)> {
        let names = std::iter::once('"').chain('0'..='9').chain('a'..='z').chain("-*+".chars());
        names.filter_map(|name| Some((name, self.read(ring, name)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clipboard::content::ContentShape;

    fn lines(text: &str) -> Content {
        Content::new(vec![text.to_string()], ContentShape::Lines)
    }

    #[test]
    fn registers_write_is_also_newest_in_kill_ring() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        registers.write(&mut ring, Some('a'), Content::chars("é"), CopyKind::Copied);
        assert_eq!(registers.read(&ring, 'a'), Some(Content::chars("é")));
        assert_eq!(registers.read(&ring, '"'), Some(Content::chars("é")));
        assert_eq!(registers.read(&ring, '0'), None, "a named copy is not the last one");
        registers.write(&mut ring, None, Content::chars("b"), CopyKind::Copied);
        assert_eq!(registers.read(&ring, '0'), Some(Content::chars("b")));
        registers.write(&mut ring, Some('_'), Content::chars("c"), CopyKind::Cut);
        assert_eq!(registers.read(&ring, '"'), Some(Content::chars("b")));
        assert_eq!(registers.read(&ring, '_'), None);
    }

    #[test]
    fn registers_numbered_hold_deleted_lines() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        for text in ["1\n", "2\n", "3\n"] {
            registers.write(&mut ring, None, lines(text), CopyKind::Cut);
        }
        registers.write(&mut ring, None, Content::chars("x"), CopyKind::CutSmall);
        registers.write(&mut ring, None, lines("copy\n"), CopyKind::Copied);
        assert_eq!(registers.read(&ring, '1'), Some(lines("3\n")));
        assert_eq!(registers.read(&ring, '3'), Some(lines("1\n")));
        assert_eq!(registers.read(&ring, '-'), Some(Content::chars("x")));
        assert_eq!(registers.read(&ring, '4'), None);
    }

    #[test]
    fn registers_uppercase_names_append() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        registers.write(&mut ring, Some('A'), Content::chars("a"), CopyKind::Copied);
        registers.write(&mut ring, Some('A'), Content::chars("ö"), CopyKind::Copied);
        assert_eq!(registers.read(&ring, 'a'), Some(Content::chars("aö")));
        registers.write(&mut ring, Some('A'), lines("l\n"), CopyKind::Cut);
        assert_eq!(registers.read(&ring, 'a'), Some(lines("aö\nl\n")));
        registers.write(&mut ring, Some('A'), Content::chars("z"), CopyKind::Copied);
        assert_eq!(registers.read(&ring, '"'), Some(lines("aö\nl\nz\n")));
    }

    #[test]
    fn registers_clipboard_has_two_names() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        registers.write(&mut ring, Some('*'), Content::chars("c"), CopyKind::Copied);
        assert_eq!(registers.read(&ring, '+'), Some(Content::chars("c")));
        assert_eq!(registers.all(&ring).iter().map(|(name, _)| *name).collect::<String>(), "\"*+");
    }
}
