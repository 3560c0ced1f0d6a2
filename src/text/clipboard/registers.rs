//! Named places for text: what Vim calls registers. They stand beside the kill ring, which is
//! the unnamed one and the numbered ones. Must not know keys or where a text is put.

use std::collections::BTreeMap;

use crate::text::clipboard::content::Content;
use crate::text::clipboard::kill_ring::{KillRing, Origin};

/// How a text came into a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It was copied.
    Copied,
    /// It was cut, lines or much of one.
    Cut,
    /// It was cut, and is less than a line.
    CutSmall,
    /// The same, but by a motion that goes far.
    CutFar,
}

/// The registers that have a text of their own: `a` to `z`, `0`, `-`, `+` and `*`.
#[derive(Debug, Clone, Default)]
pub struct Registers {
    named: BTreeMap<char, Content>,
}

/// Whether a text can be written to a register of that name.
pub fn is_writable(name: char) -> bool {
    name.is_ascii_alphanumeric() || "\"-_+*".contains(name)
}

impl Registers {
    /// Keeps a text where `name` says, `None` being the unnamed one. Whatever is kept is also
    /// the newest of the ring, save in the black hole `_`.
    pub fn write(&mut self, ring: &mut KillRing, name: Option<char>, content: Content, taken: Taken) {
        let text = content.clone();
        let cut = matches!(taken, Taken::Cut | Taken::CutFar);
        match name {
            Some('_') => return,
            None | Some('"') => {
                match taken {
                    Taken::Copied => self.put('0', content.clone()),
                    Taken::CutSmall | Taken::CutFar => self.put('-', content.clone()),
                    Taken::Cut => {}
                }
                let origin = if cut { Origin::Killed } else { Origin::Kept };
                return ring.keep(content, origin);
            }
            Some(name) if name.is_ascii_uppercase() => {
                self.named.entry(name.to_ascii_lowercase()).or_default().append(content);
            }
            Some('+' | '*') => {
                self.put('+', content.clone());
                self.put('*', content);
            }
            Some(name) => self.put(name, content),
        }
        let kept = name.and_then(|name| self.named.get(&name.to_ascii_lowercase())).cloned();
        let kept = kept.unwrap_or_default();
        // What is cut into a register is among the numbered ones as well.
        if cut {
            ring.keep(text.clone(), Origin::Killed);
        }
        if !cut || kept != text {
            ring.keep(kept, Origin::Kept);
        }
    }

    /// Sets one register and nothing else.
    pub fn put(&mut self, name: char, content: Content) {
        self.named.insert(name, content);
    }

    /// What a register holds. `1` to `9` are what was killed, newest first; `"` is the ring's
    /// newest.
    pub fn read(&self, ring: &KillRing, name: char) -> Option<Content> {
        match name {
            '"' => ring.newest(),
            '1'..='9' => {
                let own = self.named.get(&name);
                own.cloned().or_else(|| ring.killed(name as usize - '1' as usize))
            }
            name => self.named.get(&name.to_ascii_lowercase()).cloned(),
        }
    }

    /// Every register that holds something, the unnamed one first.
    pub fn all(&self, ring: &KillRing) -> Vec<(char, Content)> {
        let names = std::iter::once('"').chain('0'..='9').chain('a'..='z').chain("-*+".chars());
        names.filter_map(|name| Some((name, self.read(ring, name)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clipboard::content::Shape;

    fn lines(text: &str) -> Content {
        Content::new(vec![text.to_string()], Shape::Lines)
    }

    #[test]
    fn registers_write_is_also_newest_in_kill_ring() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        registers.write(&mut ring, Some('a'), Content::chars("é"), Taken::Copied);
        assert_eq!(registers.read(&ring, 'a'), Some(Content::chars("é")));
        assert_eq!(registers.read(&ring, '"'), Some(Content::chars("é")));
        assert_eq!(registers.read(&ring, '0'), None, "a named copy is not the last one");
        registers.write(&mut ring, None, Content::chars("b"), Taken::Copied);
        assert_eq!(registers.read(&ring, '0'), Some(Content::chars("b")));
        registers.write(&mut ring, Some('_'), Content::chars("c"), Taken::Cut);
        assert_eq!(registers.read(&ring, '"'), Some(Content::chars("b")));
        assert_eq!(registers.read(&ring, '_'), None);
    }

    #[test]
    fn registers_numbered_hold_deleted_lines() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        for text in ["1\n", "2\n", "3\n"] {
            registers.write(&mut ring, None, lines(text), Taken::Cut);
        }
        registers.write(&mut ring, None, Content::chars("x"), Taken::CutSmall);
        registers.write(&mut ring, None, lines("copy\n"), Taken::Copied);
        assert_eq!(registers.read(&ring, '1'), Some(lines("3\n")));
        assert_eq!(registers.read(&ring, '3'), Some(lines("1\n")));
        assert_eq!(registers.read(&ring, '-'), Some(Content::chars("x")));
        assert_eq!(registers.read(&ring, '4'), None);
    }

    #[test]
    fn registers_uppercase_names_append() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        registers.write(&mut ring, Some('A'), Content::chars("a"), Taken::Copied);
        registers.write(&mut ring, Some('A'), Content::chars("ö"), Taken::Copied);
        assert_eq!(registers.read(&ring, 'a'), Some(Content::chars("aö")));
        registers.write(&mut ring, Some('A'), lines("l\n"), Taken::Cut);
        assert_eq!(registers.read(&ring, 'a'), Some(lines("aö\nl\n")));
        registers.write(&mut ring, Some('A'), Content::chars("z"), Taken::Copied);
        assert_eq!(registers.read(&ring, '"'), Some(lines("aö\nl\nz\n")));
    }

    #[test]
    fn registers_clipboard_has_two_names() {
        let (mut registers, mut ring) = (Registers::default(), KillRing::default());
        registers.write(&mut ring, Some('*'), Content::chars("c"), Taken::Copied);
        assert_eq!(registers.read(&ring, '+'), Some(Content::chars("c")));
        assert_eq!(registers.all(&ring).iter().map(|(name, _)| *name).collect::<String>(), "\"*+");
    }
}
