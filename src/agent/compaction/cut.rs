//! Cut point of a compaction: entries before it are summarized, entries after it are kept. Pure.
//!
//! A result is never separated from its call. A cut within a turn is reported as such.

/// One entry of a path, with the properties that matter for a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Its tokens.
    pub tokens: u64,
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Starts a turn: a user message or an equivalent.
    TurnStart,
    /// An answer of the model, whose results follow.
    Answer,
    /// A result of the call in the piece at this index, if there is one.
    Result(Option<usize>),
    /// Not part of the context.
    OutOfContext,
    /// An earlier compaction.
    Boundary,
}

/// A cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The first piece that is kept.
    pub kept: usize,
    /// The start of the turn that is cut; `None` when the kept part starts with a turn.
    pub turn: Option<usize>,
}

/// Returns the cut that keeps about `keep` tokens; `None` when there are no more than that, or no valid cut
/// exists. Linear.
pub fn find_cut(pieces: &[Piece], keep: u64) -> Option<Cut> {
    let at = start_of_kept(pieces, keep)?;
    let cuts = cut_points(pieces);
    let following = cuts.partition_point(|cut| *cut < at);
    // Results at the end that alone exceed `keep` stay with their call.
    let cut = *cuts.get(following).or_else(|| cuts.last())?;
    let opens = pieces[cut].kind == Kind::TurnStart;
    let turn = if opens { None } else { (0..cut).rev().find(|n| pieces[*n].kind == Kind::TurnStart) };
    // Notes directly before the cut are kept, too: model changes, names.
    let notes = pieces[..cut].iter().rev().take_while(|piece| piece.kind == Kind::OutOfContext).count();
    Some(Cut { kept: cut - notes, turn })
}

/// Returns all indices before which a cut is allowed.
pub fn cut_points(pieces: &[Piece]) -> Vec<usize> {
    let is_complete = separates_no_result(pieces);
    let may =
        |index: &usize| is_complete[*index] && matches!(pieces[*index].kind, Kind::TurnStart | Kind::Answer);
    (0..pieces.len()).filter(may).collect()
}

/// Returns the last piece from which on there are at least this many tokens.
fn start_of_kept(pieces: &[Piece], keep: u64) -> Option<usize> {
    let mut tokens = 0u64;
    pieces.iter().enumerate().rev().find_map(|(index, piece)| {
        tokens = tokens.saturating_add(piece.tokens);
        (piece.tokens > 0 && tokens >= keep).then_some(index)
    })
}

/// Returns for each index whether a cut before it separates no result from its call.
fn separates_no_result(pieces: &[Piece]) -> Vec<bool> {
    // The change in open calls after each piece.
    let mut changes = vec![0i64; pieces.len() + 1];
    for (index, piece) in pieces.iter().enumerate() {
        if let Kind::Result(Some(call)) = piece.kind
            && call < index
        {
            changes[call + 1] += 1;
            changes[index + 1] -= 1;
        }
    }
    let waiting = changes.iter().scan(0, |sum, change| {
        *sum += change;
        Some(*sum)
    });
    waiting.take(pieces.len()).map(|waiting| waiting == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `u10 a5 r90` and so on; a result belongs to the last answer.
    fn pieces(script: &str) -> Vec<Piece> {
        let mut call = None;
        let piece = |(place, word): (usize, &str)| {
            let tokens = word[1..].parse().unwrap_or(0);
            let kind = match &word[..1] {
                "u" => Kind::TurnStart,
                "a" => {
                    call = Some(place);
                    Kind::Answer
                }
                "r" => Kind::Result(call),
                "n" => Kind::OutOfContext,
                _ => Kind::Boundary,
            };
            Piece { kind, tokens }
        };
        script.split(' ').enumerate().map(piece).collect()
    }

    fn cut(script: &str, keep: u64) -> Option<(usize, Option<usize>)> {
        find_cut(&pieces(script), keep).map(|cut| (cut.kept, cut.turn))
    }

    #[test]
    fn compaction_cut_keeps_about_requested_tokens() {
        assert_eq!(cut("u10 a10 u10 a10 u10 a10", 25), Some((3, Some(2))));
        assert_eq!(cut("u10 a10 n u10 a10 u10 a10", 40), Some((2, None)));
        assert_eq!(cut("u10 a10 u10 a10 u10 a10", 20), Some((4, None)));
        assert_eq!(cut("u10 a10", 21), None, "all of it is less");
        assert_eq!(cut("n n", 0), None);
        assert_eq!(cut("r10 r10", 5), None, "nowhere to cut");
    }

    #[test]
    fn compaction_cut_keeps_result_with_call() {
        assert_eq!(cut("u10 a10 r50 u10 a10", 60), Some((3, None)));
        // Nothing stands behind the results: their call stays, too.
        assert_eq!(cut("u10 a10 u10 a10 r500", 100), Some((3, Some(2))));
        // Words between a call and its result are no place.
        assert_eq!(cut("u10 a10 u10 r10 u10 a10", 35), Some((4, None)));
    }

    #[test]
    fn compaction_cut_splits_long_turn_at_answer() {
        assert_eq!(cut("u10 a10 u10 a10 r10 a10 r10 a10 r10", 40), Some((5, Some(2))));
        assert_eq!(cut("a10 r10 a10 r10", 20), Some((2, None)), "nothing opened it");
    }

    #[test]
    fn compaction_cut_keeps_notes_before_kept_part() {
        assert_eq!(cut("u10 a10 n n u10 a10", 20), Some((2, None)));
        assert_eq!(cut("u10 a10 c n u10 a10", 20), Some((3, None)), "not those before a compaction");
    }

    /// The same, without a thought for how long it takes.
    fn plain(pieces: &[Piece], keep: u64) -> Option<Cut> {
        let sum = |from: usize| pieces[from..].iter().map(|piece| piece.tokens).sum::<u64>();
        let parted = |cut: usize| {
            (cut..pieces.len())
                .any(|n| matches!(pieces[n].kind, Kind::Result(Some(call)) if call < cut && cut <= n))
        };
        let places: Vec<usize> = (0..pieces.len())
            .filter(|n| matches!(pieces[*n].kind, Kind::TurnStart | Kind::Answer) && !parted(*n))
            .collect();
        let at = (0..pieces.len()).filter(|n| pieces[*n].tokens > 0 && sum(*n) >= keep).max()?;
        let place = places.iter().copied().filter(|n| *n >= at).min();
        let place = place.or_else(|| places.iter().copied().filter(|n| *n < at).max())?;
        let mut kept = place;
        while kept > 0 && pieces[kept - 1].kind == Kind::OutOfContext {
            kept -= 1;
        }
        let turn = (0..place).filter(|n| pieces[*n].kind == Kind::TurnStart).max();
        Some(Cut { kept, turn: turn.filter(|_| pieces[place].kind != Kind::TurnStart) })
    }

    fn any_pieces() -> impl Strategy<Value = Vec<Piece>> {
        let one = (0..6u8, 0..200u64, 0..4usize);
        prop::collection::vec(one, 0..40).prop_map(|rows| {
            let piece = |(place, (kind, tokens, back)): (usize, (u8, u64, usize))| match kind {
                0 => Piece { kind: Kind::TurnStart, tokens },
                1 | 2 => Piece { kind: Kind::Answer, tokens },
                // Its call may be anywhere before, or nowhere.
                3 => Piece { kind: Kind::Result(place.checked_sub(back + 1)), tokens },
                4 => Piece { kind: Kind::OutOfContext, tokens: 0 },
                _ => Piece { kind: Kind::Boundary, tokens: 0 },
            };
            rows.into_iter().enumerate().map(piece).collect()
        })
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn compaction_cut_matches_plain_search(pieces in any_pieces(), keep in 0..3000u64) {
            prop_assert_eq!(find_cut(&pieces, keep), plain(&pieces, keep));
        }

        #[test]
        fn compaction_cut_leaves_no_result_without_call(pieces in any_pieces(), keep in 0..3000u64) {
            if let Some(cut) = find_cut(&pieces, keep) {
                for piece in &pieces[cut.kept..] {
                    prop_assert!(!matches!(piece.kind, Kind::Result(Some(call)) if call < cut.kept));
                }
                prop_assert!(cut.turn.is_none_or(|turn| turn < cut.kept && pieces[turn].kind == Kind::TurnStart));
            }
        }

        /// Of a conversation as models have it no more stays than was wanted and one answer with its results.
        #[test]
        fn compaction_cut_keeps_at_most_one_step_more(
            turns in prop::collection::vec((1..100u64, prop::collection::vec((1..100u64, 0..300u64), 1..5)), 1..8),
            keep in 1..1500u64,
        ) {
            let (mut pieces, mut longest) = (Vec::new(), 0);
            for (words, steps) in turns {
                pieces.push(Piece { kind: Kind::TurnStart, tokens: words });
                for (answer, result) in steps {
                    pieces.push(Piece { kind: Kind::Answer, tokens: answer });
                    pieces.push(Piece { kind: Kind::Result(Some(pieces.len() - 1)), tokens: result });
                    longest = longest.max(answer + result).max(words);
                }
            }
            if let Some(cut) = find_cut(&pieces, keep) {
                let stays: u64 = pieces[cut.kept..].iter().map(|piece| piece.tokens).sum();
                prop_assert!(stays <= keep + longest, "{stays} of {keep} and {longest}");
            }
        }
    }
}
