//! Bytes from outside, damaged in every way that a small generator knows: the decoders must survive
//! them, and an answer must end once, in order. Each target makes a few hundred inputs; with
//! `FUZZ_SECONDS=600` it goes on for that long. A finding names its seed, and `FUZZ_SEED` runs that
//! one again; `FUZZ_ONLY=frames` runs one target of several in a test. `BOWLINE_SEEDS=random` begins at seeds of
//! its own instead of the first.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowline::base::clock::ManualClock;
use bowline::llm::access::{Access, ApiKey, FixedAccess, Variables};
use bowline::llm::model::{Message, Model, Request, StreamEvent, UserMessage};
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::llm::stream::partial_json::PartialJson;
use bowline::net::cassette::{Cassette, Exchange, Piece};
use bowline::net::http::{Http, Limits};
use bowline::net::{frames, sse};
use bowline::tools::reading::pdf::extract::{self, PageRequest};
use bowline::tools::reading::pdf::pages;
use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::json;

use crate::conformance::{check_event_order, rich_answer};
use crate::support::frames as frames_of_tests;
use crate::support::pdf::{Document, PdfLayout};
use crate::support::seeds;
use crate::support::wires::{Feature, WIRES, Wire};

/// Inputs of a target where nobody asks for more.
const ROUNDS: u64 = 300;

/// A generator of damage: xorshift, so that a seed is all there is to know.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    /// One to eight wounds.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(8) {
            let at = self.below(bytes.len());
            let len = self.below(40).min(bytes.len() - at);
            match self.below(8) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                1 => drop(bytes.drain(at..at + len)),
                2 => {
                    let copy = bytes[at..at + len].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
                3 => {
                    let odd: [&[u8]; 8] =
                        [b"\r", b"\n\n", b"null", b"-1", b"\\u00", b"{}", b"[", b"99999999999999999999"];
                    bytes.splice(at..at, odd[self.below(8)].iter().copied());
                }
                4 => bytes.truncate(at),
                5 => bytes.insert(at, self.below(256) as u8),
                // A value of another kind: the first quote or digit from here on.
                6 => {
                    let found = bytes[at..].iter().position(|b| *b == b'"' || b.is_ascii_digit());
                    if let Some(found) = found {
                        bytes.splice(at + found..=at + found, *b"[0]");
                    }
                }
                _ => {
                    let to = self.below(bytes.len());
                    let len = len.min(bytes.len() - to);
                    for i in 0..len {
                        bytes.swap(at + i, to + i);
                    }
                }
            }
            if bytes.is_empty() {
                return;
            }
        }
    }

    pub fn split(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut pieces = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = (1 + self.below(60)).min(rest.len());
            pieces.push(rest[..at].to_vec());
            rest = &rest[at..];
        }
        pieces
    }
}

#[expect(clippy::print_stderr, reason = "what was found, and how much was tried, is for a person")]
fn log(text: &str) {
    eprintln!("{text}");
}

/// Runs a target on seed after seed.
pub fn run_target(name: &str, mut target: impl FnMut(&mut Rng)) {
    if std::env::var("FUZZ_ONLY").is_ok_and(|only| only != name) {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    if let Some(seed) = number("FUZZ_SEED") {
        return target(&mut Rng::new(seed));
    }
    let end = number("FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let first = if seeds::use_random_seeds() { u64::from(std::process::id()) << 32 } else { 1 };
    for seed in first.. {
        let more = end.map_or(seed - first < ROUNDS, |end| Instant::now() < end);
        if !more {
            return log(&format!("{name}: {} inputs", seed - first));
        }
        let run = std::panic::AssertUnwindSafe(|| target(&mut Rng::new(seed)));
        if let Err(panic) = std::panic::catch_unwind(run) {
            log(&format!("{name}: seed {seed}"));
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn fuzz_sse_decoder_ignores_chunk_boundaries() {
    let whole = WIRES[0].encode_events(&rich_answer()).concat();
    run_target("sse", |chance| {
        let mut bytes = whole.clone();
        chance.damage(&mut bytes);
        let read = |pieces: &[Vec<u8>]| {
            let (mut decoder, mut out) = (sse::Decoder::default(), Vec::new());
            for piece in pieces {
                decoder.push(piece, &mut out).unwrap();
            }
            decoder.end(&mut out);
            out
        };
        assert_eq!(read(&chance.split(&bytes)), read(&[bytes.clone()]), "however it is cut");
    });
}

/// Damages a frame inside and makes its lengths and checksums true again.
fn damage_frame(chance: &mut Rng, frame: &mut Vec<u8>) {
    let (headers, payload) = frames_of_tests::open(frame);
    let (mut headers, mut payload) = (headers.to_vec(), payload.to_vec());
    if chance.below(4) == 0 && !headers.is_empty() {
        chance.damage(&mut headers);
    }
    if !payload.is_empty() {
        chance.damage(&mut payload);
    }
    *frame = frames_of_tests::seal(&headers, &payload);
}

#[test]
fn fuzz_frame_decoder_ignores_chunk_boundaries() {
    let wire = WIRES.iter().find(|wire| wire.api().starts_with("bedrock")).unwrap();
    let whole = [wire.encode_events(&rich_answer()), vec![frames_of_tests::seal(b"", b"")]].concat();
    run_target("frames", |chance| {
        let mut some: Vec<_> =
            (0..=chance.below(6)).map(|_| whole[chance.below(whole.len())].clone()).collect();
        for frame in &mut some {
            if chance.below(2) == 0 {
                damage_frame(chance, frame);
            }
        }
        let mut bytes = some.concat();
        if chance.below(2) == 0 {
            chance.damage(&mut bytes);
        }
        let read = |pieces: &[Vec<u8>]| {
            let (mut decoder, mut out) = (frames::Decoder::default(), Vec::new());
            let result = pieces.iter().try_for_each(|piece| decoder.push(piece, &mut out));
            (result, out)
        };
        assert_eq!(read(&chance.split(&bytes)), read(&[bytes.clone()]), "however it is cut");
    });
}

#[test]
fn fuzz_partial_json_matches_strict_parser() {
    let value = json!({"path": "a\"é\\\n", "edits": [{"old": "x", "n": [1, -2.5e3, true, null]}, {}], "deep": [[[]]]});
    run_target("partial json", |chance| {
        let mut bytes = value.to_string().into_bytes();
        if chance.below(4) > 0 {
            chance.damage(&mut bytes);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (mut whole, mut pieces) = (PartialJson::default(), PartialJson::default());
        whole.push(&text);
        for c in text.chars() {
            pieces.push(c.encode_utf8(&mut [0; 4]));
        }
        assert_eq!((whole.value(), whole.is_complete()), (pieces.value(), pieces.is_complete()), "{text}");
        if whole.is_complete()
            && let Ok(strict) = serde_json::from_str::<serde_json::Value>(&text)
        {
            assert_eq!(*whole.value(), strict, "{text}");
        }
    });
}

/// What a dialect makes of a body, without a socket.
fn read(wire: &dyn Wire, pieces: &[Vec<u8>], runtime: &tokio::runtime::Runtime) -> Vec<StreamEvent> {
    let row = DIALECTS.iter().find(|row| row.id == wire.api()).unwrap();
    let mut model = Model::unknown("acme", "m", wire.api(), "");
    wire.model(&mut model);
    let account = wire.account().into_iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let key = Some(ApiKey("key".into()));
    let access = Access { base_url: "http://127.0.0.1:9".into(), key, account, ..Access::default() };
    let setup = Setup {
        provider: "acme".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables::default(),
        idle_timeout: None,
        http: Arc::new(Http::new(Limits::default(), true).with_cassette(Some(cassette(pieces)))),
        clock: ManualClock::new(0),
    };
    let messages = vec![Message::User(UserMessage::text("hi", 0))];
    let request = Request { model, messages, ..Request::default() };
    runtime.block_on((row.build)(setup).stream(request).collect())
}

/// A tape that answers whatever URL is asked.
fn cassette(pieces: &[Vec<u8>]) -> Cassette {
    let pieces = pieces.iter().map(|piece| Piece::from_bytes(piece)).collect();
    let (method, url) = ("POST".to_string(), "*".to_string());
    let exchange = Exchange { method, url, status: 200, pieces, ..Exchange::default() };
    Cassette::Replay(Arc::new(Mutex::new([exchange].into())))
}

#[test]
fn fuzz_dialect_streams_end_once_in_order() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for wire in WIRES {
        let events = wire.encode_events(&rich_answer());
        run_target(wire.api(), |chance| {
            let mut some = events.clone();
            // Whole events in another order, twice, or not at all.
            for _ in 0..chance.below(4) {
                let (a, b) = (chance.below(some.len()), chance.below(some.len()));
                match chance.below(3) {
                    0 => some.swap(a, b),
                    1 => some.insert(a, some[b].clone()),
                    _ => drop(some.remove(a)),
                }
                if some.is_empty() {
                    break;
                }
            }
            // A frame's checksum would keep all damage from whoever reads its payload.
            if !wire.supports(Feature::InvalidJsonEvents) && !some.is_empty() {
                let at = chance.below(some.len());
                damage_frame(chance, &mut some[at]);
            }
            let mut bytes = some.concat();
            if chance.below(3) > 0 {
                chance.damage(&mut bytes);
            }
            let got = read(*wire, &chance.split(&bytes), &runtime);
            let ends = got
                .iter()
                .filter(|event| matches!(event, StreamEvent::Done { .. } | StreamEvent::Error { .. }));
            assert_eq!(ends.count(), 1, "{got:?}");
            check_event_order(*wire, &got, true);
        });
    }
}

/// Small pictures of every format that is read.
fn sample_images() -> Vec<Vec<u8>> {
    use image::ImageFormat::{Bmp, Gif, Jpeg, Png, WebP};
    let picture = image::DynamicImage::ImageRgb8(image::RgbImage::from_fn(24, 18, |x, y| {
        image::Rgb([(x * 9) as u8, (y * 13) as u8, 77])
    }));
    let encode = |format| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    };
    [Png, Jpeg, Gif, WebP, Bmp].map(encode).to_vec()
}

#[test]
fn fuzz_broken_images_stay_within_limits() {
    use bowline::tools::reading::picture;
    let whole = sample_images();
    assert!(whole.iter().all(|bytes| picture::make(bytes.clone()).is_ok()));
    run_target("pictures", |chance| {
        let mut bytes = whole[chance.below(whole.len())].clone();
        chance.damage(&mut bytes);
        let start = Instant::now();
        match picture::make(bytes) {
            Ok(made) => assert!(made.size.0 <= 2000 && made.size.1 <= 2000 && made.bytes.len() <= 3_538_944),
            Err(why) => assert!(why.ends_with('.'), "{why}"),
        }
        assert!(start.elapsed() < Duration::from_mins(1), "a broken picture must not take for ever");
    });
}

#[test]
fn fuzz_broken_notebooks_edit_to_valid_json() {
    use bowline::tools::editing::notebook::{Change, change_cell};
    use bowline::tools::reading::{notebook, sniff};
    let book = json!({"cells": [
        {"cell_type": "code", "id": "a", "source": ["1\n", "2"], "outputs": [
            {"output_type": "stream", "text": ["x\n"]}, {"output_type": "error", "ename": "E", "traceback": ["t"]}]},
        {"cell_type": "markdown", "source": "text"}], "nbformat": 4, "nbformat_minor": 5});
    let whole = serde_json::to_vec_pretty(&book).unwrap();
    run_target("notebooks", |chance| {
        let mut bytes = whole.clone();
        chance.damage(&mut bytes);
        sniff::kind(&bytes);
        let shown = notebook::text(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let mode = ["replace", "insert", "delete"][chance.below(3)].to_string();
        let (cell, kind) = (Some("a".to_string()), Some("code".to_string()));
        let change = Change { cell, source: "new".into(), kind, mode };
        if let Ok((after, _)) = change_cell(&text, &change) {
            assert!(shown.is_some() || String::from_utf8(bytes).is_err());
            serde_json::from_str::<serde_json::Value>(&after).unwrap();
        }
    });
}

/// Documents of every kind that is read, small enough that damage finds its way into everything.
fn sample_documents() -> Vec<Vec<u8>> {
    let mut hand = Document::default();
    hand.lines(&["One line.", "Another."]);
    let program = hand.stream("", "/Encoding 256 array dup 65 /Omega put def eexec");
    let about = hand.add(format!("<< /Type /FontDescriptor /FontFile {program} 0 R /MissingWidth 9 >>"));
    let map = hand.stream(
        "",
        "1 beginbfrange <0001> <0009> <0041> endbfrange 1 beginbfchar <0011> <00660066> endbfchar",
    );
    let wide = "<< /Type /Font /Subtype /CIDFontType2 /DW 600 /W [1 [700 800] 16 18 500] >>";
    let fonts = format!(
        "/Font << /F << /Type /Font /Subtype /Type1 /FirstChar 65 /Widths [1 2 3] /FontDescriptor {about} 0 R /Encoding << \
         /Differences [66 /a /uni0041] >> >> /G << /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [{wide}] \
         /ToUnicode {map} 0 R >> /H << /Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] >> >>"
    );
    let form =
        hand.stream("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 9]", "BT /F 9 Tf (form) Tj ET /X Do");
    hand.turned_page(
        "q 2 0 0 2 9 9 cm BT /F 10 Tf 9 TL 9 90 Td (AB) Tj [(A) -300 (C)] TJ T* 1 2 (x) \" /G 9 Tf <00010011> Tj ET Q \
         /Span << /ActualText (t) >> BDC BT /H 9 Tf 0 1 -1 0 9 9 Tm (h) Tj ET EMC /X Do BI /W 1 /H 1 /BPC 8 /CS /G ID x EI",
        &format!("{fonts} /XObject << /X {form} 0 R >>"),
        90,
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pdf");
    let real = ["open.pdf", "rc4.pdf", "aes128.pdf", "cairo.pdf", "skia.pdf"];
    let mut all: Vec<Vec<u8>> = real.iter().map(|name| std::fs::read(folder.join(name)).unwrap()).collect();
    all.extend([PdfLayout::Table, PdfLayout::Streams].map(|form| hand.bytes(form)));
    all
}

#[test]
fn fuzz_broken_pdf_text_has_no_control_characters() {
    let whole = sample_documents();
    let wanted = PageRequest { first: 1, last: 9, unless: usize::MAX };
    for document in &whole {
        extract::read(document.clone(), wanted, &|| false).unwrap();
    }
    run_target("pdf", |chance| {
        let mut bytes = whole[chance.below(whole.len())].clone();
        chance.damage(&mut bytes);
        if let Ok(paper) = extract::read(bytes, wanted, &|| false) {
            let text = pages::text("x.pdf", &paper).unwrap_or_else(|why| why);
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        }
    });
}
