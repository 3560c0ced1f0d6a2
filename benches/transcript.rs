//! The conversation on the screen, with a long session open: keys while an answer streams in, folds, jumps, searches,
//! other sizes, and images that scroll. What is measured is the time on the event loop.

use std::fs::File;
use std::io::{BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bowline::ide::core::event::Event;
use bowline::llm::model::StreamEvent;
use bowline::tui::input::MouseKind;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use crate::conversation::write_session;
use crate::open_session::{OpenSession, SIZE, streamed};
use crate::{Effort, percentile, report};

/// Tokens of a second, and how many of them come within a frame.
const TOKENS_A_FRAME: usize = 5_000 / 60;

/// A session of a hundred thousand messages.
fn long_session(effort: Effort) -> OpenSession {
    let messages = if effort.quick { 400 } else { 100_000 };
    OpenSession::new(|folder| write_session(folder, messages))
}

/// Keys, folds, jumps, searches and sizes.
pub fn long_conversation(effort: Effort) {
    let mut session = long_session(effort);
    streamed_keys(&mut session, effort);
    for key in ["Alt-3", "Tab"] {
        session.longest_of(key);
    }
    let repeat = |session: &mut OpenSession, keys: &[&str]| {
        let mut figures = Vec::new();
        for _ in 0..effort.times(20) {
            figures.extend(keys.iter().map(|key| session.longest_of(key)));
        }
        percentile(&mut figures, 1.0)
    };
    // Each jump to the start loads what was before it.
    let jump = repeat(&mut session, &["Home", "End"]);
    report("100 k messages: jump to start and end, max", jump, "ms", None, "<= 16 ms");
    let fold = repeat(&mut session, &["Up", "Enter"]);
    report("100 k messages: fold a card, max", fold, "ms", None, "<= 16 ms");
    session.longest_of("/");
    for letter in ["r", "e", "t", "r", "y", "Enter"] {
        session.longest_of(letter);
    }
    let search = repeat(&mut session, &["N", "n"]);
    report("100 k messages: next hit of a search, max", search, "ms", None, "<= 16 ms");
    let mut sizes = Vec::new();
    for _ in 0..effort.times(20) {
        for size in [(80, 24), (200, 60), SIZE] {
            let resized = session.handle(Event::Resize(size.0, size.1));
            sizes.push(session.longest_step().max(resized));
        }
    }
    report("100 k messages: resize, max", percentile(&mut sizes, 1.0), "ms", None, "<= 50 ms");
}

/// A key between frames with as many tokens as come meanwhile, and one that has to wait for such a frame.
fn streamed_keys(session: &mut OpenSession, effort: Effort) {
    session.press("Alt-3");
    let start = streamed(StreamEvent::TextStart { index: 0 });
    session.handle(start);
    let (mut keys, mut behind) = (Vec::new(), Vec::new());
    for n in 0..effort.times(600) {
        let begun = Instant::now();
        for token in 0..TOKENS_A_FRAME {
            let delta = if token % 40 == 39 { "word.\n\n".to_string() } else { "word ".to_string() };
            let event = streamed(StreamEvent::TextDelta { index: 0, delta });
            session.source.app.handle(event);
        }
        session.source.app.frame();
        let frame = begun.elapsed().as_secs_f64() * 1e3;
        let key = session.press(["a", "b", "c", "Backspace"][n % 4]);
        keys.push(key);
        behind.push(frame + key);
    }
    report("5 000 tokens/s: key to first byte, p50", percentile(&mut keys, 0.5), "ms", None, "<= 1 ms");
    report("5 000 tokens/s: key behind a frame, p99", percentile(&mut behind, 0.99), "ms", None, "");
    for _ in 0..4 {
        session.press("Backspace");
    }
}

/// A PNG with as many pixels, of a size that screenshots have.
pub fn png(side: u32, number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let image = RgbImage::from_fn(side, side, |x, y| {
        let noise = if (x / 40 + y / 20).is_multiple_of(3) { (x * y + number * 7919) % 251 } else { 40 };
        Rgb([noise as u8, (x / 8 + number) as u8, (y / 4) as u8])
    });
    DynamicImage::ImageRgb8(image).write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

/// A session in which so many images were read, each an own one.
fn write_images(folder: &Path, images: u32, side: u32) -> PathBuf {
    let path = folder.join("images.jsonl");
    let mut file = BufWriter::new(File::create(&path).unwrap());
    writeln!(
        file,
        r#"{{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000000","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/w"}}"#
    )
    .unwrap();
    let mut parent = "null".to_string();
    for n in 0..images {
        let data = STANDARD.encode(png(side, n));
        let call = format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c{n}","name":"read","arguments":{{"path":"shot{n}.png"}}}}],"api":"anthropic-messages","provider":"anthropic","model":"m","usage":{{"input":900,"output":80,"cacheRead":0,"cacheWrite":0,"totalTokens":980,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"stopReason":"toolUse","timestamp":1763632800000}}"#
        );
        let result = format!(
            r#"{{"role":"toolResult","toolCallId":"c{n}","toolName":"read","content":[{{"type":"text","text":"Read image file"}},{{"type":"image","data":"{data}","mimeType":"image/png"}}],"isError":false,"timestamp":1763632800000}}"#
        );
        for (part, message) in [(0, call), (1, result)] {
            let id = format!("{:08x}", n * 2 + part);
            writeln!(
                file,
                r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2025-11-20T10:00:00.000Z","message":{message}}}"#
            )
            .unwrap();
            parent = format!("\"{id}\"");
        }
    }
    file.flush().unwrap();
    path
}

/// Fifty images of a megapixel, scrolled by the wheel from the end to the start and back, by Kitty's protocol.
pub fn images(effort: Effort) {
    let (images, side) = if effort.quick { (3, 64) } else { (50, 1_000) };
    let mut session = OpenSession::new(|folder| write_images(folder, images, side));
    let mut steps = Vec::new();
    let turns = if effort.quick { 10 } else { 500 };
    for kind in [MouseKind::ScrollUp, MouseKind::ScrollDown] {
        for _ in 0..turns {
            steps.extend(session.wheel(kind));
        }
    }
    let shown = session.source.app.screen.buffer().content.iter();
    let cells = shown.filter(|cell| bowline::tui::images::placeholder::is_image(cell)).count();
    assert!(cells > 0, "no image is on the screen");
    report(
        "50 images scrolled: a step on the loop, p99",
        percentile(&mut steps, 0.99),
        "ms",
        None,
        "<= 16 ms",
    );
    report(
        "50 images scrolled: a step on the loop, max",
        percentile(&mut steps, 1.0),
        "ms",
        None,
        "<= 16 ms",
    );
}
