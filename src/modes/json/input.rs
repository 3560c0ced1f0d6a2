//! Standard input of JSON mode: lines, or text for the first prompt. The first non-blank line decides.
//!
//! Must not know how it is used. A thread reads at most one line ahead.

use std::io::{self, BufRead, BufReader, Read};

use tokio::sync::mpsc::{self, Receiver};

use super::messages::is_mode_message;
use crate::modes::lines::{self, LINE_MAX, Line};

/// An item of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A line; all others are lines, too.
    Line(Line),
    /// Text: all of the input.
    Text(String),
    /// Invalid input, with the reason.
    Refused(String),
}

/// Reads until the end, or until the receiver is dropped.
pub fn read(from: impl Read + Send + 'static) -> Receiver<Input> {
    let (sender, inputs) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut give = |inputs| sender.blocking_send(inputs).is_ok();
        if let Err(error) = forward(from, &mut give) {
            give(Input::Refused(format!("standard input cannot be read: {error}")));
        }
    });
    inputs
}

fn forward(from: impl Read, give: &mut impl FnMut(Input) -> bool) -> io::Result<()> {
    let mut input = BufReader::new(from);
    let mut all = Vec::new();
    let room = |all: &Vec<u8>| (LINE_MAX + 1).saturating_sub(all.len()) as u64;
    loop {
        let begin = all.len();
        let length = input.by_ref().take(room(&all)).read_until(b'\n', &mut all)?;
        let line = &all[begin..];
        if length > 0 && line.trim_ascii().is_empty() && all.len() <= LINE_MAX {
            continue;
        }
        if all.len() <= LINE_MAX && is_mode_message(String::from_utf8_lossy(line).trim()) {
            let lines = io::Cursor::new(all.split_off(begin)).chain(input);
            lines::split(lines, |line| give(Input::Line(line)));
            return Ok(());
        }
        break;
    }
    input.take(room(&all)).read_to_end(&mut all)?;
    if all.len() > LINE_MAX {
        give(Input::Refused(format!("what is piped in is longer than {} MB", LINE_MAX >> 20)));
    } else if !all.trim_ascii().is_empty() {
        give(Input::Text(String::from_utf8_lossy(&all).into_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives bytes a few at a time, as a pipe may.
    struct Drops(io::Cursor<Vec<u8>>);

    impl Read for Drops {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let few = into.len().min(3);
            self.0.read(&mut into[..few])
        }
    }

    fn told(bytes: &[u8]) -> Vec<Input> {
        let mut all = Vec::new();
        forward(Drops(io::Cursor::new(bytes.to_vec())), &mut |told| {
            all.push(told);
            true
        })
        .unwrap();
        all
    }

    #[test]
    fn json_input_first_line_decides_format() {
        let line = |text: &str| Input::Line(Line::Text(text.to_string()));
        let words = |text: &str| Input::Text(text.to_string());
        let typed = r#"{"type":"mesage"}"#;
        for (input, wanted) in [
            (format!("\n \r\n{typed}\r\nwords\n\n{{\n"), vec![line(typed), line("words"), line("{")]),
            (typed.to_string(), vec![line(typed)]),
            (format!("\u{feff} {typed}"), vec![line(&format!("\u{feff} {typed}"))]),
            (format!("words\n{typed}\n"), vec![words(&format!("words\n{typed}\n"))]),
            ("\n{\"type\":3}\n".to_string(), vec![words("\n{\"type\":3}\n")]),
            ("[\"type\"]".to_string(), vec![words("[\"type\"]")]),
            ("{".to_string(), vec![words("{")]),
            ("\n \n".to_string(), vec![]),
            (String::new(), vec![]),
        ] {
            assert_eq!(told(input.as_bytes()), wanted, "{input:?}");
        }
        assert_eq!(told(b"a\xffb"), [words("a\u{fffd}b")]);
    }

    #[test]
    fn json_input_too_long_is_refused() {
        let refused = Input::Refused("what is piped in is longer than 64 MB".to_string());
        for (first, then) in [("", b'x'), ("words\n", b'x'), ("{\"type\":\"message", b' ')] {
            let mut all = Vec::new();
            let endless = io::Cursor::new(first).chain(io::repeat(then));
            forward(endless, &mut |told| {
                all.push(told);
                true
            })
            .unwrap();
            assert_eq!(all, std::slice::from_ref(&refused), "{first:?}");
        }
    }
}
