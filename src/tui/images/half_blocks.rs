//! Images as half blocks: two pixels in a cell, as its text and background. Must not know protocols.

use image::{Rgba, RgbaImage};
use ratatui::style::Color;

/// A cell: its symbol, text color and background; `None` where the image is transparent.
pub(super) type Block = (&'static str, Option<Color>, Option<Color>);

/// The symbols of a cell whose upper or lower half has the color of text.
const UPPER_HALF: &str = "▀";
const LOWER_HALF: &str = "▄";

/// Returns whether a symbol is half of a cell.
pub(in crate::tui) fn is_half(symbol: &str) -> bool {
    matches!(symbol, UPPER_HALF | LOWER_HALF)
}

/// Transparency from which on a pixel is shown.
const OPAQUE: u8 = 128;

/// Returns the cells of an image that has one pixel a column and two a row.
pub(super) fn cells(image: &RgbaImage) -> Vec<Block> {
    let color = |pixel: &Rgba<u8>| {
        let [r, g, b, a] = pixel.0;
        (a >= OPAQUE).then_some(Color::Rgb(r, g, b))
    };
    let rows = image.height() / 2;
    let places = (0..rows).flat_map(|y| (0..image.width()).map(move |x| (x, y * 2)));
    let cell = |(x, y)| match (color(image.get_pixel(x, y)), color(image.get_pixel(x, y + 1))) {
        (None, None) => (" ", None, None),
        (None, low) => (LOWER_HALF, low, None),
        (high, low) => (UPPER_HALF, high, low),
    };
    places.map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_half_blocks_show_two_pixels_in_a_cell() {
        let mut image = RgbaImage::from_pixel(3, 2, Rgba([9, 9, 9, 255]));
        image.put_pixel(1, 0, Rgba([0, 0, 0, 0]));
        image.put_pixel(2, 0, Rgba([0, 0, 0, 0]));
        image.put_pixel(2, 1, Rgba([0, 0, 0, 0]));
        let grey = Some(Color::Rgb(9, 9, 9));
        assert_eq!(cells(&image), [("▀", grey, grey), ("▄", grey, None), (" ", None, None)]);
    }
}
