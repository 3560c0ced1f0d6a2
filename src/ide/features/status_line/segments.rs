//! Segments of the status line: which texts each can have, which ones fit, and where they are. Must not know what a
//! segment says.

use crate::base::width::{text_width, truncate};
use crate::ide::core::state::State;
use crate::ide::features::status_line::{left, right};

/// The side of the line at which a segment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The text and what is about it.
    Left,
    /// The agent and what is about it.
    Right,
}

/// A text that a segment may have. Where the line is too narrow, the one with the lowest rank of all segments goes first:
/// its segment has its next text then, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// How long it stays.
    pub rank: u8,
    /// The text.
    pub text: String,
}

/// Returns the texts of a segment with their ranks, the longest first.
pub fn variants(texts: impl IntoIterator<Item = (u8, String)>) -> Vec<Variant> {
    texts.into_iter().map(|(rank, text)| Variant { rank, text }).collect()
}

/// A segment: a row of the table.
#[derive(Debug)]
pub struct Segment {
    /// Its name.
    pub id: &'static str,
    /// Its side.
    pub side: Side,
    /// Whether it belongs to the one before: a single blank is between them.
    pub is_joined: bool,
    /// The style's scope.
    pub scope: &'static str,
    /// The command that a click on it runs.
    pub command: Option<&'static str>,
    /// Returns its texts, the longest first; none if it has nothing to say.
    pub variants: fn(&State) -> Vec<Variant>,
}

impl Segment {
    /// A segment that rows of the table complete.
    pub const EMPTY: Self = Self {
        id: "",
        side: Side::Left,
        is_joined: false,
        scope: "ui.status",
        command: None,
        variants: |_| Vec::new(),
    };
}

/// A segment on the line.
#[derive(Debug)]
pub struct Placed {
    /// The segment.
    pub segment: &'static Segment,
    /// Its first column.
    pub x: u16,
    /// Its text.
    pub text: String,
}

impl Placed {
    /// Returns the column behind it.
    pub fn end(&self) -> u16 {
        self.x.saturating_add(text_width(&self.text) as u16)
    }
}

/// Cells at both edges of the line.
const MARGIN: usize = 1;
/// Cells between the two sides.
const SIDES_GAP: usize = 3;
/// Cells between segments.
const GAP: usize = 2;

/// Returns the segments of a line of `cols` cells, in their order.
pub fn place(state: &State, cols: u16) -> Vec<Placed> {
    let rows = left::SEGMENTS.iter().chain(right::SEGMENTS);
    let shown = rows.map(|segment| (segment, (segment.variants)(state))).collect();
    fit(shown, usize::from(cols))
}

type Shown = Vec<(&'static Segment, Vec<Variant>)>;

/// Drops texts until the rest fits, and places it.
fn fit(mut shown: Shown, cols: usize) -> Vec<Placed> {
    for (_, variants) in &mut shown {
        variants.retain(|variant| !variant.text.is_empty());
    }
    shown.retain(|(_, variants)| !variants.is_empty());
    let room = cols.saturating_sub(2 * MARGIN);
    while shown.len() > 1 && width(&shown) > room {
        let rank = |(_, variants): &(&Segment, Vec<Variant>)| variants.first().map_or(0, |first| first.rank);
        let Some(at) = (0..shown.len()).min_by_key(|at| rank(&shown[*at])) else { break };
        drop(shown[at].1.remove(0));
        if shown[at].1.is_empty() {
            drop(shown.remove(at));
        }
    }
    let right_width = side_width(&shown, Side::Right);
    let mut x = [MARGIN, cols.saturating_sub(MARGIN + right_width).max(MARGIN)];
    let mut placed: Vec<Placed> = Vec::with_capacity(shown.len());
    let mut is_first = [true, true];
    for (segment, mut variants) in shown {
        let side = segment.side as usize;
        if !std::mem::take(&mut is_first[side]) {
            x[side] += gap(segment);
        }
        let text = truncate(&variants.remove(0).text, cols.saturating_sub(x[side] + MARGIN)).into_owned();
        let begins = x[side];
        x[side] += text_width(&text);
        placed.push(Placed { segment, x: begins as u16, text });
    }
    placed
}

fn gap(segment: &Segment) -> usize {
    if segment.is_joined { 1 } else { GAP }
}

fn side_width(shown: &Shown, side: Side) -> usize {
    let of_side = shown.iter().filter(|(segment, _)| segment.side == side);
    let widths = of_side.enumerate().map(|(n, (segment, variants))| {
        let text = variants.first().map_or(0, |variant| text_width(&variant.text));
        text + if n == 0 { 0 } else { gap(segment) }
    });
    widths.sum()
}

fn width(shown: &Shown) -> usize {
    match (side_width(shown, Side::Left), side_width(shown, Side::Right)) {
        (left, 0) => left,
        (0, right) => right,
        (left, right) => left + SIDES_GAP + right,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    static FILE: Segment = Segment { id: "file", ..Segment::EMPTY };
    static PLACE: Segment = Segment { id: "place", is_joined: true, ..Segment::EMPTY };
    static MODEL: Segment = Segment { id: "model", side: Side::Right, ..Segment::EMPTY };

    fn line(cols: usize) -> String {
        let variant = |rank, text: &str| Variant { rank, text: text.to_string() };
        let shown: Shown = vec![
            (&FILE, vec![variant(10, "src/long.rs"), variant(90, "long.rs")]),
            (&PLACE, vec![variant(50, "3:14")]),
            (&MODEL, vec![variant(20, "a model"), variant(60, "a")]),
        ];
        drawn(&fit(shown, cols), cols)
    }

    fn drawn(placed: &[Placed], cols: usize) -> String {
        let mut line = vec![' '; cols];
        for segment in placed {
            for (n, c) in segment.text.chars().enumerate() {
                line[usize::from(segment.x) + n] = c;
            }
        }
        line.into_iter().collect()
    }

    #[test]
    fn status_segments_shrink_and_leave_by_rank() {
        assert_eq!(line(34), " src/long.rs 3:14         a model ");
        assert_eq!(line(28), " src/long.rs 3:14   a model ");
        assert_eq!(line(26), " long.rs 3:14     a model ");
        assert_eq!(line(20), " long.rs 3:14     a ");
        assert_eq!(line(16), " long.rs      a ");
        assert_eq!(line(10), " long.rs  ");
        assert_eq!(line(6), " lon… ");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(300))]

        #[test]
        fn status_segments_never_overlap_or_leave_the_line(
            texts in prop::collection::vec((0u8..100, "[a-z漢]{0,12}"), 0..9), cols in 0usize..60,
        ) {
            let rows = [&FILE, &PLACE, &MODEL];
            let shown = texts.iter().enumerate().map(|(n, (rank, text))| {
                (rows[n % 3], vec![Variant { rank: *rank, text: text.clone() }])
            });
            let placed = fit(shown.collect(), cols);
            for side in [Side::Left, Side::Right] {
                let mut end = 0;
                for segment in placed.iter().filter(|placed| placed.segment.side == side) {
                    prop_assert!(segment.x >= end && usize::from(segment.end()) <= cols.max(1));
                    end = segment.end();
                }
            }
            let left = placed.iter().filter(|placed| placed.segment.side == Side::Left).map(Placed::end).max();
            let right = placed.iter().filter(|placed| placed.segment.side == Side::Right).map(|placed| placed.x).min();
            if let (Some(left), Some(right)) = (left, right) {
                prop_assert!(left < right);
            }
        }
    }
}
