//! Finds the marks of shell integration (OSC 133) in the output of programs, however it is divided into reads. Keeps a
//! few bytes of state only. Must not know what the marks are for, nor change what the parser reads.

/// A mark of the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptMark {
    /// The prompt begins (`A`).
    Prompt,
    /// The prompt ends, and the command line begins (`B`).
    Input,
    /// The command line ends, and the output begins (`C`).
    Output,
    /// The command has ended (`D`).
    Done,
}

/// What a sequence begins with, after its escape.
const HEAD: &[u8] = b"]133;";

/// Parser state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Not in a sequence.
    #[default]
    Outside,
    /// After an escape and this many bytes of the head.
    Head(usize),
    /// After the letter of a mark, before the end of its string.
    Mark(PromptMark, bool),
    /// In the string of a mark, after an escape: a backslash ends it.
    Ending(PromptMark),
}

/// Follows the output from one read to the next.
#[derive(Debug, Default)]
pub struct PromptMarks(State);

impl PromptMarks {
    /// Returns the first mark that is complete in these bytes, and the number of bytes up to its end.
    pub fn next(&mut self, bytes: &[u8]) -> Option<(usize, PromptMark)> {
        let mut at = 0;
        while at < bytes.len() {
            if self.0 == State::Outside {
                at += memchr::memchr(ESCAPE, &bytes[at..])?;
            }
            let mark = self.step(bytes[at]);
            at += 1;
            if let Some(mark) = mark {
                return Some((at, mark));
            }
        }
        None
    }

    /// Processes one byte; returns the mark that it ends.
    fn step(&mut self, byte: u8) -> Option<PromptMark> {
        let (next, found) = match (self.0, byte) {
            (State::Ending(mark), b'\\') | (State::Mark(mark, _), BELL) => (State::Outside, Some(mark)),
            (State::Mark(mark, _), ESCAPE) => (State::Ending(mark), None),
            // What comes after an escape within a string begins a new sequence.
            (State::Ending(_), _) => (after_escape(byte), None),
            (_, ESCAPE) => (State::Head(0), None),
            (State::Outside, _) | (_, CANCEL | SUBSTITUTE) => (State::Outside, None),
            (State::Head(seen), _) if seen < HEAD.len() => {
                (if byte == HEAD[seen] { State::Head(seen + 1) } else { State::Outside }, None)
            }
            (State::Head(_), _) => {
                let mark = match byte {
                    b'A' => Some(PromptMark::Prompt),
                    b'B' => Some(PromptMark::Input),
                    b'C' => Some(PromptMark::Output),
                    b'D' => Some(PromptMark::Done),
                    _ => None,
                };
                (mark.map_or(State::Outside, |mark| State::Mark(mark, false)), None)
            }
            // Only options, after a semicolon, may follow the letter.
            (State::Mark(mark, has_options), _) => {
                let goes_on = has_options || byte == b';';
                (if goes_on { State::Mark(mark, true) } else { State::Outside }, None)
            }
        };
        self.0 = next;
        found
    }
}

/// Returns the state after an escape and a byte.
fn after_escape(byte: u8) -> State {
    match byte {
        ESCAPE => State::Head(0),
        _ if byte == HEAD[0] => State::Head(1),
        _ => State::Outside,
    }
}

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All marks with the positions of their ends, in reads of a few bytes.
    fn found(bytes: &[u8], read: usize) -> Vec<(usize, PromptMark)> {
        let mut marks = PromptMarks::default();
        let mut found = Vec::new();
        for (n, piece) in bytes.chunks(read).enumerate() {
            let mut from = 0;
            while let Some((end, mark)) = marks.next(&piece[from..]) {
                from += end;
                found.push((n * read + from, mark));
            }
        }
        found
    }

    #[test]
    fn terminal_prompt_marks_are_found_with_options_and_both_ends() {
        let bytes = b"x\x1b]133;A;k=s\x07$ \x1b]133;B\x1b\\ls\x1b]133;C\x07out\x1b]133;D;1\x07";
        let marks: Vec<PromptMark> = found(bytes, bytes.len()).into_iter().map(|(_, mark)| mark).collect();
        assert_eq!(marks, [PromptMark::Prompt, PromptMark::Input, PromptMark::Output, PromptMark::Done]);
        for read in 1..8 {
            assert_eq!(found(bytes, read), found(bytes, bytes.len()), "{read}");
        }
    }

    #[test]
    fn terminal_prompt_marks_ignore_what_is_none() {
        for bytes in [
            &b"]133;A\x07"[..],
            b"\x1b]133;E\x07",
            b"\x1b]133;AB\x07",
            b"\x1b]1337;A\x07",
            b"\x1b]133;A\x18\x07",
            b"\x1b]133;A;x\x1b[m\x07",
        ] {
            assert_eq!(found(bytes, 4), [], "{bytes:?}");
        }
        assert_eq!(found(b"\x1b]133;A\x1b]133;B\x07", 3), [(15, PromptMark::Input)], "cut off by another");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn terminal_prompt_marks_do_not_depend_on_reads(
            bytes in prop::collection::vec(prop::sample::select(b"\x1b]133;ABCD\\\x07x".to_vec()), 0..200),
            read in 1..9usize,
        ) {
            prop_assert_eq!(found(&bytes, read), found(&bytes, bytes.len().max(1)));
        }
    }
}
