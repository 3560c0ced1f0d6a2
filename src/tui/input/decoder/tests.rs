//! Tests of the decoder: what bytes mean, and that no split of them matters.

use proptest::prelude::*;

use super::*;
use crate::tui::input::event::{Button, Mouse, MouseKind, Reply};
use crate::tui::input::key::KeyKind;

const MS: Duration = Duration::from_millis(1);

/// What bytes mean that come at once, when nothing follows for two seconds.
fn decode(bytes: &[u8]) -> Vec<Input> {
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    decoder.feed(bytes, Duration::ZERO, &mut out);
    decoder.expire(MS * 2000, &mut out);
    out
}

/// Keys in key-map notation; anything else in debug form.
fn show(inputs: &[Input]) -> String {
    let one = |input: &Input| match input {
        Input::Key(key) if key.kind == KeyKind::Press => key.to_string(),
        Input::Key(key) => format!("{key}:{:?}", key.kind),
        other => format!("{other:?}"),
    };
    inputs.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(bytes: &str, meaning: &str) {
    assert_eq!(show(&decode(bytes.as_bytes())), meaning, "{bytes:?}");
}

#[test]
fn decoder_single_bytes_are_keys() {
    check("aZ é漢", "a Z Space é 漢");
    check("\0\x01\x08\t\n\r\x1a", "Ctrl-Space Ctrl-a Ctrl-h Tab Ctrl-j Enter Ctrl-z");
    check("\x1c\x1d\x1e\x1f\x7f", "Ctrl-\\ Ctrl-] Ctrl-^ Ctrl-_ Backspace");
    assert_eq!(show(&decode(b"\xffa\xc3b\xe6\xbc")), "\u{fffd} a \u{fffd} b \u{fffd}");
}

#[test]
fn decoder_escape_prefix_is_alt() {
    check("\x1bx\x1bX\x1b\r\x1b\x7f\x1b\x01", "Alt-x Alt-Shift-x Alt-Enter Alt-Backspace Ctrl-Alt-a");
    check("\x1bé\x1b-\x1b1", "Alt-é Alt-- Alt-1");
    check("\x1b\x1b[A\x1b\x1bOP", "Alt-Up Alt-F1");
}

#[test]
fn decoder_lone_escapes_are_keys() {
    check("\x1b", "Escape");
    check("\x1b\x1b", "Escape Escape");
    check("\x1b\x1bx", "Escape Alt-x");
    check("\x1b\x1b\x1b[A", "Escape Alt-Up");
    check("\x1b\x1b[I", "Escape Focus(true)");
}

#[test]
fn decoder_lone_introducers_are_alt_keys() {
    check("\x1b[", "Alt-[");
    check("\x1bO", "Alt-Shift-o");
    check("\x1b]", "Alt-]");
    check("\x1bP", "Alt-Shift-p");
    check("\x1b_", "Alt-_");
    check("\x1b[\r", "Alt-[ Enter");
    check("\x1bOz", "Alt-Shift-o z");
}

#[test]
fn decoder_alt_bracket_swallows_nothing() {
    check("\x1b]hello", "Alt-] h e l l o");
    check("\x1b]1", "Alt-] 1");
    check("\x1b]12x", "Alt-] 1 2 x");
    check("\x1b]12345;x", "Alt-] 1 2 3 4 5 ; x");
    check("\x1b]\x1b[A", "Alt-] Up");
    check("\x1bPq", "Alt-Shift-p q");
    check("\x1bP>x", "Alt-Shift-p > x");
    check("\x1b_é", "Alt-_ é");
}

#[test]
fn decoder_lone_escape_waits_for_timeout() {
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    decoder.feed(b"\x1b", MS * 100, &mut out);
    assert_eq!(decoder.deadline(), Some(MS * 125));
    decoder.expire(MS * 124, &mut out);
    assert_eq!(out, []);
    decoder.feed(b"[", MS * 124, &mut out);
    decoder.feed(b"A", MS * 150, &mut out);
    assert_eq!((show(&out).as_str(), decoder.deadline()), ("Up", None));
    decoder.feed(b"\x1b", MS * 200, &mut out);
    decoder.expire(MS * 225, &mut out);
    decoder.feed(b"[A", MS * 226, &mut out);
    assert_eq!((show(&out).as_str(), decoder.deadline()), ("Up Escape [ A", None));
}

#[test]
fn decoder_function_keys_of_all_dialects() {
    check("\x1b[A\x1bOB\x1b[H\x1b[1~\x1b[7~\x1b[4~\x1b[F", "Up Down Home Home Home End End");
    check("\x1b[2~\x1b[3~\x1b[5~\x1b[6~\x1b[Z", "Insert Delete PageUp PageDown Shift-Tab");
    check("\x1bOP\x1b[11~\x1b[[A\x1b[15~\x1b[17~\x1b[24~\x1b[34~", "F1 F1 F1 F5 F6 F12 F20");
    check("\x1b[1;5C\x1b[1;2P\x1b[3;3~\x1b[5;6~", "Ctrl-Right Shift-F1 Alt-Delete Ctrl-Shift-PageUp");
    check("\x1b[a\x1bOb\x1b[3^\x1b[3@", "Shift-Up Ctrl-Down Ctrl-Delete Ctrl-Shift-Delete");
    check("\x1bOM\x1bOk\x1bOp", "Enter + 0");
}

#[test]
fn decoder_kitty_keys() {
    check("\x1b[97;5u\x1b[97:65;6u", "Ctrl-a Ctrl-Shift-a");
    check("\x1b[13;2u\x1b[27u\x1b[9;2u\x1b[127;5u", "Shift-Enter Escape Shift-Tab Ctrl-Backspace");
    check("\x1b[47:63;4u\x1b[45:95;6u", "Alt-? Ctrl-_");
    check("\x1b[97;5:2u\x1b[97;5:3u\x1b[1;1:3A", "Ctrl-a:Repeat Ctrl-a:Release Up:Release");
    check("\x1b[57376u\x1b[57414u\x1b[57399u\x1b[57417;5u", "F13 Enter 0 Ctrl-Left");
    check("\x1b[1089::99;5u", "Ctrl-c");
    check("\x1b[97:65;2u\x1b[97;2u\x1b[32;2u\x1b[97;65u", "A A Space a");
    check("\x1b[57441;2u\x1b[57358u", "");
}

#[test]
fn decoder_modify_other_keys() {
    check("\x1b[27;2;13~\x1b[27;5;105~\x1b[27;6;65~", "Shift-Enter Ctrl-i Ctrl-Shift-a");
}

#[test]
fn decoder_mouse_events() {
    let mouse = |kind, col, row, mods| Input::Mouse(Mouse { kind, col, row, mods });
    let left = Button::Left;
    for (bytes, event) in [
        ("\x1b[<0;1;1M", mouse(MouseKind::Down(left), 0, 0, Mods::NONE)),
        ("\x1b[<0;300;20m", mouse(MouseKind::Up(left), 299, 19, Mods::NONE)),
        ("\x1b[<32;5;6M", mouse(MouseKind::Drag(left), 4, 5, Mods::NONE)),
        ("\x1b[<35;5;6M", mouse(MouseKind::Moved, 4, 5, Mods::NONE)),
        ("\x1b[<64;5;6M", mouse(MouseKind::ScrollUp, 4, 5, Mods::NONE)),
        ("\x1b[<85;5;6M", mouse(MouseKind::ScrollDown, 4, 5, Mods::CTRL | Mods::SHIFT)),
        ("\x1b[<67;5;6M", mouse(MouseKind::ScrollRight, 4, 5, Mods::NONE)),
        ("\x1b[<10;5;6M", mouse(MouseKind::Down(Button::Right), 4, 5, Mods::ALT)),
        ("\x1b[M !!", mouse(MouseKind::Down(left), 0, 0, Mods::NONE)),
    ] {
        assert_eq!(decode(bytes.as_bytes()), [event], "{bytes:?}");
    }
}

#[test]
fn decoder_replies_are_never_text() {
    let reply = |bytes: &str, reply: Reply| assert_eq!(decode(bytes.as_bytes()), [Input::Reply(reply)]);
    reply("\x1b[?62;4c", Reply::Attributes(vec![62, 4]));
    reply("\x1b[?5u", Reply::KittyFlags(5));
    reply("\x1b[?2026;2$y", Reply::Mode { mode: 2026, state: 2 });
    reply("\x1b]11;rgb:1616/1818/1d1d\x1b\\", Reply::Background(0x16, 0x18, 0x1d));
    reply("\x1b]10;rgba:f/f/f/f\x07", Reply::Foreground(255, 255, 255));
    reply("\x1b[6;18;9t", Reply::CellPixels(9, 18));
    reply("\x1b[4;600;800t", Reply::WindowPixels(800, 600));
    reply("\x1b[?997;1n", Reply::ColorScheme(true));
    reply("\x1bP>|term 1.2\x1b\\", Reply::Version("term 1.2".into()));
    reply("\x1b[?1;0;256S", Reply::SixelColors(256));
    reply("\x1b_Gi=31;OK\x1b\\", Reply::KittyGraphics(true));
    reply("\x1b_Gi=31;EINVAL:no\x1b\\", Reply::KittyGraphics(false));
}

#[test]
fn decoder_unknown_sequences_are_dropped() {
    check("\x1b[1;2;3xa\x1b[?1;2qb\x1b[>1;10;0cc\x1b[12 qd\x1b[=1ue", "a b c d e");
    check("\x1b]52;c;aGk=\x07a\x1b]11;nonsense\x1b\\b\x1bP1+r544e\x1b\\c\x1b_Gi=1;OK\x1b\\d", "a b c d");
    check("\x1b[201~x\x1b[OyE", "x Focus(false) y E");
    check("\x1b[[Zx\x1bOEy", "x y");
    let long = format!("\x1b[{}ax\x1b]11;{}\x07y", "1;".repeat(9000), "r".repeat(9000));
    check(&long, "x y");
}

#[test]
fn decoder_truncated_reply_is_dropped_and_keys_count() {
    check("\x1b]11;rgb:16", "");
    check("\x1b]11;rgb:16\rx", "Enter x");
    check("\x1b]11;rgb\x1b[A", "Up");
    check("\x1b[1;", "");
    check("\x1b[1;é", "é");
}

#[test]
fn decoder_paste_is_one_event() {
    check("a\x1b[200~x\r\ny\x1b[A\rz\x1b[201~b", "a Paste(\"x\\ny\\u{1b}[A\\nz\") b");
    check("\x1b[200~\x1b[201~", "Paste(\"\")");
    assert_eq!(decode(b"\x1b[200~\xffa\x1b[201~"), [Input::Paste("\u{fffd}a".into())]);
}

#[test]
fn decoder_unfinished_paste_is_delivered_after_timeout() {
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    decoder.feed(b"\x1b[200~half", MS, &mut out);
    decoder.feed(b" more", MS * 900, &mut out);
    decoder.expire(MS * 1899, &mut out);
    assert_eq!(out, []);
    decoder.expire(MS * 1900, &mut out);
    assert_eq!((out.as_slice(), decoder.deadline()), (&[Input::Paste("half more".into())][..], None));
    decoder.feed(b"x", MS * 1901, &mut out);
    assert_eq!(show(&out[1..]), "x");
}

#[test]
fn decoder_large_paste_is_one_event() {
    let mut bytes = b"\x1b[200~".to_vec();
    bytes.extend(b"0123456789abcde\r".iter().cycle().take(10 << 20));
    bytes.extend_from_slice(b"\x1b[201~");
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    for chunk in bytes.chunks(1000) {
        decoder.feed(chunk, MS, &mut out);
    }
    let [Input::Paste(text)] = out.as_slice() else { panic!("{} events", out.len()) };
    assert_eq!((text.len(), text.matches('\n').count()), (10 << 20, (10 << 20) / 16));
}

#[test]
fn decoder_paste_over_limit_reports_cut() {
    let mut decoder = Decoder { paste_max: 4, ..Decoder::new() };
    let mut out = Vec::new();
    decoder.feed(b"\x1b[200~0123456\x1b[201~", MS, &mut out);
    assert_eq!(out, [Input::Paste("0123".into()), Input::PasteCut(3)]);
}

/// Pieces that stand for every state of the decoder, whole and broken.
const PIECES: [&[u8]; 34] = [
    b"a",
    "é".as_bytes(),
    "👩\u{200d}👧".as_bytes(),
    b"\xff",
    b"\xe6\xbc",
    b"\r",
    b"\x7f",
    b"\x1f",
    b"\x1b",
    b"\x1b\x1b",
    b"\x1bx",
    b"\x1b[A",
    b"\x1bOP",
    b"\x1b\x1b[A",
    b"\x1b[1;5C",
    b"\x1b[97;5:3u",
    b"\x1b[27;5;105~",
    b"\x1b[<0;10;20M",
    b"\x1b[M !!",
    b"\x1b[I",
    b"\x1b[?62;4c",
    b"\x1b[?2026;2$y",
    b"\x1b]11;rgb:00/11/22\x1b\\",
    b"\x1b]11;rgb:00/11/22\x07",
    b"\x1bP>|x 1\x1b\\",
    b"\x1b_Gi=1;OK\x1b\\",
    b"\x1b]hi",
    b"\x1b]1",
    b"\x1b[[C",
    b"\x1b[200~pa\r\nste\x1b[20\x1b[201~",
    b"\x1b[200~cut",
    b"\x1b[1;",
    b"\x1b]11;rgb",
    b"\x1bO",
];

proptest! {
    #![proptest_config(crate::base::seeds::cases(512))]

    #[test]
    fn decoder_any_split_gives_same_events(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes = pieces.concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let mut decoder = Decoder::new();
        let mut out = Vec::new();
        for pair in cuts.windows(2) {
            decoder.feed(&bytes[pair[0]..pair[1]], MS, &mut out);
        }
        decoder.expire(MS * 3000, &mut out);
        prop_assert_eq!(out, decode(&bytes));
    }

    #[test]
    fn decoder_any_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..400), at in any::<prop::sample::Index>()) {
        let whole = decode(&bytes);
        let (head, tail) = bytes.split_at(at.index(bytes.len() + 1));
        let mut decoder = Decoder::new();
        let mut out = Vec::new();
        decoder.feed(head, MS, &mut out);
        decoder.feed(tail, MS, &mut out);
        decoder.expire(MS * 3000, &mut out);
        prop_assert_eq!(&out, &whole);
        prop_assert!(decoder.deadline().is_none());
    }
}
