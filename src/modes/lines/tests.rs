//! Lines in and out, in any pieces, with readers of any speed.

use std::io::Seek;
use std::sync::{Arc, mpsc as channel};

use parking_lot::Mutex;
use proptest::prelude::*;

use super::*;

fn split(pieces: &[&[u8]]) -> Vec<Line> {
    let mut splitter = LineSplitter::default();
    let mut out = Vec::new();
    for piece in pieces {
        splitter.push(piece, |line| out.push(line));
    }
    splitter.finish(|line| out.push(line));
    out
}

fn texts(lines: &[&str]) -> Vec<Line> {
    lines.iter().map(|text| Line::Text((*text).to_string())).collect()
}

#[test]
fn lines_end_only_at_line_feed() {
    let text = "{\"a\":\"x\u{2028}y\u{2029}z\u{85}\"}\r\n\n  \nb\rc\nlast";
    assert_eq!(split(&[text.as_bytes()]), texts(&["{\"a\":\"x\u{2028}y\u{2029}z\u{85}\"}", "b\rc", "last"]));
}

#[test]
fn lines_invalid_or_too_long_are_reported() {
    let lines = split(&[b"\xff\xfe\nok\n"]);
    assert!(matches!(&lines[0], Line::Invalid(why) if why.contains("UTF-8")), "{lines:?}");
    assert_eq!(lines[1..], texts(&["ok"]));
    let mut splitter = LineSplitter::default();
    let mut out = Vec::new();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..=(LINE_MAX >> 20) {
        splitter.push(&piece, |line| out.push(line));
    }
    assert!(splitter.partial.capacity() <= LINE_MAX, "nothing is kept of it");
    splitter.push(b"\nok\n", |line| out.push(line));
    assert!(matches!(&out[0], Line::Invalid(why) if why.contains("64 MB")), "{:?}", out.len());
    assert_eq!(out[1..], texts(&["ok"]));
}

/// A pipe whose reader takes a piece only when it is asked to.
struct Slow {
    wanted: channel::Receiver<()>,
    got: Arc<Mutex<Vec<u8>>>,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wanted.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
        let n = bytes.len().min(100);
        self.got.lock().extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn lines_slow_reader_gets_every_line() {
    let (ask, wanted) = channel::channel();
    let got = Arc::new(Mutex::new(Vec::new()));
    let (out, written) = LineWriter::start(Slow { wanted, got: Arc::clone(&got) });
    let lines: usize = 3 * OUT_QUEUE_MAX;
    let sending = tokio::spawn(async move {
        for n in 0..lines {
            assert!(out.send(&n).await);
        }
    });
    // Nobody reads: the sender waits, and so does what it was told.
    while !sending.is_finished() && ask.send(()).is_ok() {
        tokio::task::yield_now().await;
    }
    sending.await.unwrap();
    for _ in 0..lines {
        ask.send(()).ok();
    }
    written.finish(Duration::from_secs(20)).await.unwrap();
    let got = String::from_utf8(got.lock().clone()).unwrap();
    assert!(got.ends_with('\n') && got.lines().map(String::from).eq((0..lines).map(|n| n.to_string())));
}

#[tokio::test]
async fn lines_closed_reader_is_noticed() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (out, written) = LineWriter::start(Closed);
    out.send(&"a").await;
    out.wait_closed().await;
    while out.send(&"b").await {}
    drop(out);
    let error = written.finish(Duration::from_secs(20)).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn lines_are_read_to_end() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"a\r\nb\n\nc").unwrap();
    file.rewind().unwrap();
    let (mut lines, _) = read_to_end(file).unwrap();
    let mut all = Vec::new();
    while let Some(line) = lines.recv().await {
        all.push(line);
    }
    assert_eq!(all, texts(&["a", "b", "c"]));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]

    #[test]
    fn lines_piece_size_does_not_matter(bytes in prop::collection::vec(prop::sample::select(&b"ab \n\r{}\"\xe2\x80\xa8\xff"[..]), 0..60), size in 1..9usize) {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        let lines = split(&pieces);
        prop_assert_eq!(&lines, &split(&[&bytes]));
        prop_assert!(lines.len() <= memchr::memchr_iter(b'\n', &bytes).count() + 1);
    }
}
