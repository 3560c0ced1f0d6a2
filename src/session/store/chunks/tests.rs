//! Tests of where pieces are cut, whatever stands there.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;

/// The pieces of a file from a byte on, with lines as they are.
fn pieces(bytes: &[u8], from: u64, end: u64) -> Vec<Chunk> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let part = FilePart { file: &file, from, end, entries: false, hasher: IdHasher::default() };
    let mut all = Vec::new();
    let done: io::Result<()> = part.each(|piece| {
        all.push(std::mem::take(piece));
        Ok(())
    });
    done.unwrap();
    all
}

fn texts(line: &Line) -> Vec<String> {
    match &line.kind {
        LineKind::Text(text) => vec![text.clone()],
        LineKind::Nothing => vec![String::new(); line.lines as usize],
        LineKind::Entry(..) | LineKind::Invalid(_) => unreachable!("nobody asked"),
    }
}

/// Checks that what comes of some bytes are their lines, each in the piece in which it begins.
fn check(bytes: &[u8], from: usize, end: usize) {
    let (mut at, mut found) = (from, Vec::new());
    let all = pieces(bytes, from as u64, end as u64);
    let (whole, count) = (&bytes[from..end.min(bytes.len())], all.len());
    for (n, piece) in all.iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
        assert_eq!(piece.from, at as u64, "one behind the other");
        assert_eq!((at - from) / CHUNK, n, "where it begins");
        for line in &piece.lines {
            assert!((at - from) / CHUNK == n && whole[at - from + line.bytes - 1] == b'\n');
            found.extend(texts(line));
            at += line.bytes;
        }
        if let Some((line, tail)) = &piece.tail {
            assert!(tail == &whole[at - from..] && line.bytes == tail.len(), "the rest");
            found.extend(texts(line));
            at += line.bytes;
        }
    }
    assert_eq!(at - from, whole.len(), "all of it in {count} pieces");
    let lines = String::from_utf8(whole.to_vec()).unwrap();
    assert_eq!(found, lines.lines().map(|line| line.trim_end_matches('\r').to_string()).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(24))]

    #[test]
    fn session_pieces_every_line_is_in_one_piece(
        // Mostly so that lines end around the ends of pieces.
        lengths in prop::collection::vec(
            prop_oneof![4 => 0usize..40, 2 => CHUNK - 20..CHUNK + 20, 1 => 2 * CHUNK..4 * CHUNK], 1..12),
        first in 0usize..3, ends in any::<bool>(), cut in 0usize..3,
    ) {
        let mut bytes = Vec::new();
        for (n, length) in lengths.iter().enumerate() {
            bytes.extend(std::iter::repeat_n(b'a' + n as u8, *length));
            bytes.extend(if n % 5 == 4 { &b"\r\n"[..] } else { &b"\n"[..] });
        }
        if !ends {
            bytes.pop();
        }
        let from = lengths.iter().take(first).enumerate().map(|(n, length)| length + 1 + usize::from(n % 5 == 4)).sum();
        let from = std::cmp::min(from, bytes.len());
        let end = if cut == 0 { from.midpoint(bytes.len()) } else { bytes.len() };
        check(&bytes, from, end);
    }
}

#[test]
fn session_pieces_lines_ending_at_piece_boundary() {
    for length in [CHUNK - 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 3 * CHUNK] {
        let line = "x".repeat(length) + "\n";
        for more in ["", "y", "y\n", "\n\n"] {
            let bytes = line.clone() + more;
            check(bytes.as_bytes(), 0, bytes.len());
        }
        // Twice, so that the second begins in another piece.
        check(line.repeat(2).as_bytes(), 0, 2 * line.len());
    }
}

#[test]
fn session_pieces_empty_lines_take_no_space() {
    let bytes = ["\n".repeat(CHUNK).as_bytes(), b"x\n", " \r\n".repeat(CHUNK).as_bytes()].concat();
    let all = pieces(&bytes, 0, bytes.len() as u64);
    assert!(all.iter().all(|piece| piece.lines.len() <= 3));
    let lines = all.iter().flat_map(|piece| &piece.lines);
    let (count, bytes_of) = lines.fold((0, 0), |(count, sum), line| (count + line.lines, sum + line.bytes));
    assert_eq!((count, bytes_of), (2 * CHUNK as u64 + 1, bytes.len()));
}

#[test]
fn session_pieces_truncated_file_is_safe() {
    let bytes = "x\n".repeat(CHUNK);
    let all = pieces(&bytes.as_bytes()[..CHUNK], 0, 4 * CHUNK as u64);
    assert_eq!(all.iter().map(|piece| piece.lines.len()).sum::<usize>(), CHUNK / 2);
}
