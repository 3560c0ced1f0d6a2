//! Whatever a call contains, its card is harmless and bounded.

use proptest::prelude::*;

use crate::base::width::is_unsafe;
use crate::ide::features::transcript::cards::card::{card, lay_out};
use crate::ide::features::transcript::cards::form::{CardForm, CardKeys};
use crate::ide::features::transcript::cards::rows::WHOLE_ROWS;
use crate::ide::features::transcript::items::{Call, CallStatus};
use crate::tools::contract::view::{
    CallKind, CallView, DiffLine, FileDiff, Hit, PlanStep, ResultView, StepProgress,
};
use crate::tui::widgets::line;

/// More rows than any folded card may have: a diff, its files' titles, and the head.
const FOLDED_MAX: usize = 64;
/// Maximum bytes of a folded card.
const FOLDED_BYTES: usize = 3 << 20;

const KINDS: [CallKind; 10] = [
    CallKind::Command,
    CallKind::Read,
    CallKind::Search,
    CallKind::Write,
    CallKind::Edit,
    CallKind::Plan,
    CallKind::Question,
    CallKind::Agent,
    CallKind::Web,
    CallKind::Other,
];

/// Text of other programs: controls, bidi overrides, floods of marks, many lines, long lines.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z ]{0,12}",
        Just("\u{1b}[31m\u{1b}]0;x\u{7}".to_string()),
        Just("\u{202e}\u{2066}\u{200f}".to_string()),
        Just("\u{9b}\r\t\u{0}\u{7f}".to_string()),
        Just("漢字👩\u{200d}👩".to_string()),
        Just("\u{200b}\u{301}".repeat(2_000)),
        Just("\n".to_string()),
        Just("line\n".repeat(300)),
        Just("x".repeat(50_000)),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn result(kind: usize, text: &str) -> Option<ResultView> {
    let text = text.to_string();
    let line = |sign, number| Some(DiffLine { sign, number, text: text.clone() });
    let lines = vec![line('-', 1), line('+', usize::MAX), None, line(' ', 0), line('?', 7)];
    Some(match kind {
        0 => ResultView::Text(text),
        1 => ResultView::Output(text),
        2 => ResultView::Diff { added: usize::MAX, removed: 0, lines: vec![lines; 10].concat() },
        3 => {
            let file = FileDiff { title: text, added: 1, removed: 1, lines };
            ResultView::Diffs(vec![file; 50])
        }
        4 => ResultView::Plan(vec![PlanStep { text, progress: StepProgress::Blocked }; 200]),
        5 => {
            let hit = Hit { path: text.clone(), line: Some(0), text: text.clone() };
            ResultView::Hits { hits: vec![hit; 300], text }
        }
        6 => ResultView::Excerpt { text, first: 0, last: usize::MAX, total: 3 },
        _ => return None,
    })
}

/// The 1 MB line of a program that prints no line feed.
#[test]
fn cards_of_huge_line_are_bounded() {
    for text in ["y".repeat(1 << 20), "\u{301}".repeat(1 << 19)] {
        for kind in [CallKind::Command, CallKind::Search, CallKind::Edit, CallKind::Other] {
            for shown in [0, 1, 2, 5] {
                check(&call(kind, shown, CallStatus::Running, &text), 80);
            }
        }
    }
}

fn call(kind: CallKind, shown: usize, status: CallStatus, text: &str) -> Call {
    let view = CallView { kind, title: text.to_string(), body: Some(text.to_string()) };
    let mut call = Call::new(String::new(), text.to_string(), view, status);
    call.live_output = text.to_string();
    (call.result, call.exit_code, call.seconds) = (result(shown, text), Some(i64::MIN), Some(u64::MAX));
    call
}

/// Checks the card of a call at a width, folded and unfolded.
fn check(call: &Call, width: u16) {
    let keys = CardKeys { expand: "Ctrl-o".to_string() };
    let colors: Vec<_> = (card(call.view.kind).code)(call)
        .iter()
        .map(|block| vec![(0..block.code.len() / 2, "keyword"), (block.code.len() / 2..usize::MAX, "string")])
        .collect();
    for (is_full, is_closed) in [(false, false), (true, false), (false, true)] {
        let rows = lay_out(
            call,
            &CardForm {
                width,
                is_full,
                is_closed,
                is_accessible: false,
                image_cell: None,
                keys: &keys,
                colors: &colors,
            },
        );
        let most = match (is_full, is_closed) {
            (_, true) => 1,
            (false, _) => FOLDED_MAX,
            (true, _) => WHOLE_ROWS * 3 + 60,
        };
        assert!(rows.len() <= most, "{} rows of {:?}", rows.len(), call.view.kind);
        assert!(is_full || line::bytes(&rows) <= FOLDED_BYTES, "{} bytes", line::bytes(&rows));
        for row in &rows {
            let is_safe = row.iter().all(|span| !span.text.chars().any(|c| is_unsafe(c) || c == '\n'));
            assert!(is_safe, "{row:?}");
            assert!(line::width(row) <= usize::from(width), "{} columns: {row:?}", line::width(row));
        }
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(48))]
    #[test]
    fn cards_of_hostile_calls_are_harmless_and_bounded(
        text in hostile(),
        kind in 0usize..10,
        shown in 0usize..8,
        status in 0usize..4,
        width in prop_oneof![1u16..30, Just(80), Just(140)],
    ) {
        let status = [CallStatus::Streaming, CallStatus::Running, CallStatus::Done(None), CallStatus::Failed(None)][status];
        check(&call(KINDS[kind], shown, status, &text), width);
    }
}
