//! An image as a terminal shows it. Must not know where it is shown. Making one is slow; never on the event loop.

use image::{DynamicImage, RgbaImage, imageops};
use ratatui::style::Color;

use super::decode::ImageCut;
use super::placeholder::ImageId;
use super::protocol::{ImageProtocol, ImageSupport};
use super::{decode, half_blocks, inline_file, kitty, sixel};

/// An image in the form of a protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedImage {
    /// Its id.
    pub id: ImageId,
    /// Columns and rows.
    pub cells: (u16, u16),
    pub(super) form: Form,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// Sent once; placeholders show it.
    Sent { data: Vec<u8>, in_tmux: bool },
    /// A sequence for each row of cells.
    Rows(Vec<Vec<u8>>),
    /// Cells of text.
    Blocks(Vec<half_blocks::Block>),
}

impl EncodedImage {
    /// Decodes a file and encodes it for a terminal, in at most `max` columns and rows.
    pub fn new(bytes: &[u8], id: ImageId, support: ImageSupport, max: (u16, u16)) -> Result<Self, String> {
        let image = decode::pixels(bytes)?;
        let cells = decode::cells_of((image.width(), image.height()), support.cell, max);
        // A cell is about twice as high as wide, and its halves are the pixels.
        if support.protocol == ImageProtocol::HalfBlocks {
            let scaled = image.thumbnail_exact(u32::from(cells.0), u32::from(cells.1) * 2);
            return Ok(Self { id, cells, form: Form::Blocks(half_blocks::cells(&scaled.to_rgba8())) });
        }
        Self::of_pixels(&decode::fit(&image, support.cell, cells), id, support, cells)
    }

    /// Encodes a part of an image for a terminal.
    pub fn of_cut(
        image: &DynamicImage,
        id: ImageId,
        support: ImageSupport,
        cut: &ImageCut,
    ) -> Result<Self, String> {
        Self::of_pixels(&cut.of(image, support.cell), id, support, cut.cells(support.cell))
    }

    /// Encodes the pixels of that many cells.
    fn of_pixels(
        pixels: &RgbaImage,
        id: ImageId,
        support: ImageSupport,
        cells: (u16, u16),
    ) -> Result<Self, String> {
        let in_tmux = support.in_tmux;
        let form = match support.protocol {
            ImageProtocol::Kitty => {
                let data = kitty::transmit(id, &kitty::png(pixels)?, cells, in_tmux);
                Form::Sent { data, in_tmux }
            }
            ImageProtocol::Iterm2 => Form::Rows(inline_file::rows(pixels, cells)?),
            ImageProtocol::Sixel(colors) => Form::Rows(sixel::rows(pixels, cells.1, colors)),
            ImageProtocol::HalfBlocks => {
                let halves = imageops::thumbnail(pixels, u32::from(cells.0), u32::from(cells.1) * 2);
                Form::Blocks(half_blocks::cells(&halves))
            }
        };
        Ok(Self { id, cells, form })
    }

    /// Returns its size in memory.
    pub fn bytes(&self) -> usize {
        match &self.form {
            Form::Sent { data, .. } => data.capacity(),
            Form::Rows(rows) => rows.iter().map(Vec::capacity).sum(),
            Form::Blocks(blocks) => blocks.capacity() * size_of::<half_blocks::Block>(),
        }
    }

    /// Returns the text of a cell, if the image consists of text.
    pub(in crate::tui) fn block(
        &self,
        col: u16,
        row: u16,
    ) -> Option<(&'static str, Option<Color>, Option<Color>)> {
        let Form::Blocks(blocks) = &self.form else { return None };
        blocks.get(usize::from(row) * usize::from(self.cells.0) + usize::from(col)).copied()
    }

    /// Returns an image whose rows are sent as these bytes.
    #[cfg(test)]
    pub(in crate::tui) fn of_rows(id: ImageId, cols: u16, rows: &[&str]) -> Self {
        let bytes = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
        Self { id, cells: (cols, rows.len() as u16), form: Form::Rows(bytes) }
    }

    /// Returns an image that is sent as these bytes.
    #[cfg(test)]
    pub(in crate::tui) fn of_data(id: ImageId, cells: (u16, u16), data: &str) -> Self {
        Self { id, cells, form: Form::Sent { data: data.as_bytes().to_vec(), in_tmux: false } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png() -> Vec<u8> {
        kitty::png(&image::RgbaImage::from_pixel(64, 48, image::Rgba([10, 200, 30, 255]))).unwrap()
    }

    #[test]
    fn image_is_encoded_for_every_protocol() {
        for protocol in
            [ImageProtocol::Kitty, ImageProtocol::Iterm2, ImageProtocol::Sixel(16), ImageProtocol::HalfBlocks]
        {
            let support = ImageSupport { protocol, cell: (8, 16), in_tmux: false };
            let image = EncodedImage::new(&png(), ImageId::new(1), support, (40, 20)).unwrap();
            assert_eq!(image.cells, (8, 3), "{protocol:?}");
            assert!(image.bytes() > 20, "{protocol:?}");
            let is_text = image.block(7, 2)
                == Some(("▀", Some(Color::Rgb(10, 200, 30)), Some(Color::Rgb(10, 200, 30))));
            assert_eq!(is_text, protocol == ImageProtocol::HalfBlocks);
            assert!(EncodedImage::new(b"no image", ImageId::new(1), support, (40, 20)).is_err());
        }
    }
}
