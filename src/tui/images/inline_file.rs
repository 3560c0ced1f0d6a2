//! iTerm2's protocol: a file inside a sequence, for each row of cells its own, so that any row can be drawn alone.
//! Must not know cells.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{RgbaImage, imageops};

use super::kitty::png;

/// Returns the sequence of each row of cells.
pub(super) fn rows(image: &RgbaImage, (cols, rows): (u16, u16)) -> Result<Vec<Vec<u8>>, String> {
    let height = image.height() / u32::from(rows.max(1));
    let row = |row: u16| {
        let part = imageops::crop_imm(image, 0, u32::from(row) * height, image.width(), height).to_image();
        let file = png(&part)?;
        let head = format!(
            "\x1b]1337;File=inline=1;size={};width={cols};height=1;preserveAspectRatio=0;doNotMoveCursor=1:",
            file.len()
        );
        Ok([head.as_bytes(), STANDARD.encode(&file).as_bytes(), b"\x07"].concat())
    };
    (0..rows).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_inline_file_has_a_sequence_for_each_row() {
        let image = RgbaImage::from_pixel(16, 32, image::Rgba([1, 2, 3, 255]));
        let rows = rows(&image, (2, 2)).unwrap();
        assert_eq!(rows.len(), 2);
        let text = String::from_utf8(rows[1].clone()).unwrap();
        assert!(text.starts_with("\x1b]1337;File=inline=1;size=") && text.ends_with('\x07'), "{text:?}");
        let data = STANDARD.decode(text[text.find(':').unwrap() + 1..].trim_end_matches('\x07')).unwrap();
        assert_eq!(image::load_from_memory(&data).unwrap().to_rgba8().dimensions(), (16, 16));
    }
}
