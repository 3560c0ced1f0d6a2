//! Kitty's graphics protocol: sending an image that placeholders show, and deleting it. Must not know cells.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, RgbaImage};

use super::placeholder::ImageId;

/// Bytes of base64 in one sequence.
const CHUNK: usize = 4096;

/// Returns an image as PNG.
pub(super) fn png(image: &RgbaImage) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Returns the sequences that send an image to be shown in that many columns and rows.
pub(super) fn transmit(id: ImageId, png: &[u8], (cols, rows): (u16, u16), in_tmux: bool) -> Vec<u8> {
    let data = STANDARD.encode(png);
    let count = data.len().div_ceil(CHUNK);
    let mut out = Vec::with_capacity(data.len() + count * 24 + 64);
    for (n, chunk) in data.as_bytes().chunks(CHUNK).enumerate() {
        let more = u8::from(n + 1 < count);
        let head = match n {
            0 => format!("q=2,a=T,U=1,f=100,i={},c={cols},r={rows},m={more};", id.number()),
            _ => format!("q=2,m={more};"),
        };
        sequence(&[head.as_bytes(), chunk].concat(), in_tmux, &mut out);
    }
    out
}

/// Returns the sequence that deletes an image.
pub(super) fn delete(id: ImageId, in_tmux: bool) -> Vec<u8> {
    let mut out = Vec::new();
    sequence(format!("q=2,a=d,d=I,i={}", id.number()).as_bytes(), in_tmux, &mut out);
    out
}

fn sequence(body: &[u8], in_tmux: bool, out: &mut Vec<u8>) {
    let (start, end): (&[u8], &[u8]) =
        if in_tmux { (b"\x1bPtmux;\x1b\x1b_G", b"\x1b\x1b\\\x1b\\") } else { (b"\x1b_G", b"\x1b\\") };
    for part in [start, body, end] {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_kitty_data_is_sent_in_chunks() {
        let sent = String::from_utf8(transmit(ImageId::new(5), &[7; 6_000], (4, 2), false)).unwrap();
        let parts: Vec<&str> = sent.split_inclusive("\x1b\\").collect();
        let number = (1 << 24) + 21;
        assert!(parts[0].starts_with(&format!("\x1b_Gq=2,a=T,U=1,f=100,i={number},c=4,r=2,m=1;BwcH")));
        assert!(parts.len() == 2 && parts[1].starts_with("\x1b_Gq=2,m=0;"));
        let passed = String::from_utf8(transmit(ImageId::new(5), &[7; 60], (4, 2), true)).unwrap();
        assert!(passed.starts_with("\x1bPtmux;\x1b\x1b_Gq=2") && passed.ends_with("\x1b\x1b\\\x1b\\"));
        assert_eq!(delete(ImageId::new(5), false), format!("\x1b_Gq=2,a=d,d=I,i={number}\x1b\\").as_bytes());
    }
}
