//! Reads image files within limits: their size from the header, their pixels scaled to cells. Must not know terminals.
//! Decoding is slow; never on the event loop.

use std::io::Cursor;

use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbaImage};

use super::placeholder::SIDE_MAX;

/// Maximum width and height of a file's image.
const DECODE_SIDE_MAX: u32 = 30_000;
/// Maximum memory of decoding, in bytes.
const DECODE_MEMORY_MAX: u64 = 256 << 20;

/// Format and size of an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageHeader {
    /// Name of the format, such as `PNG`.
    pub format: &'static str,
    /// Width in pixels, upright.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Reads the header of a file; its beginning is enough for most. `None` if it is no image that can be shown.
pub fn header(bytes: &[u8]) -> Option<ImageHeader> {
    let reader = reader(bytes)?;
    let format = name(reader.format()?)?;
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let is_turned = matches!(
        decoder.orientation().unwrap_or(Orientation::NoTransforms),
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    let (width, height) = if is_turned { (height, width) } else { (width, height) };
    (width > 0 && height > 0).then_some(ImageHeader { format, width, height })
}

fn name(format: ImageFormat) -> Option<&'static str> {
    Some(match format {
        ImageFormat::Png => "PNG",
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::Gif => "GIF",
        ImageFormat::WebP => "WebP",
        ImageFormat::Bmp => "BMP",
        _ => return None,
    })
}

/// Decodes a file, upright; of several frames the first.
pub fn pixels(bytes: &[u8]) -> Result<DynamicImage, String> {
    let broken = |error: image::ImageError| error.to_string();
    let mut decoder = reader(bytes).ok_or("the format is unknown")?.into_decoder().map_err(broken)?;
    let turned = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    // The limits of a decoder do not count what it decodes into.
    if decoder.total_bytes() > DECODE_MEMORY_MAX {
        return Err("it is too large".to_string());
    }
    let mut image = DynamicImage::from_decoder(decoder).map_err(broken)?;
    image.apply_orientation(turned);
    if image.width() == 0 || image.height() == 0 {
        return Err("it has no pixels".to_string());
    }
    Ok(image)
}

fn reader(bytes: &[u8]) -> Option<ImageReader<Cursor<&[u8]>>> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(DECODE_SIDE_MAX);
    limits.max_image_height = Some(DECODE_SIDE_MAX);
    limits.max_alloc = Some(DECODE_MEMORY_MAX);
    reader.limits(limits);
    Some(reader)
}

/// Returns whether a file that begins like this is an image that can be shown.
pub fn looks_like_image(start: &[u8]) -> bool {
    let format = image::guess_format(start);
    format.is_ok_and(|format| name(format).is_some())
}

/// A part of an image, and how large it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageCut {
    /// The first pixel of the part.
    pub from: (u32, u32),
    /// Its width and height in pixels of the image.
    pub size: (u32, u32),
    /// Its width and height in pixels of the terminal.
    pub shown: (u32, u32),
}

impl ImageCut {
    /// Returns the number of columns and rows.
    pub fn cells(&self, cell: (u16, u16)) -> (u16, u16) {
        let length =
            |pixels: u32, cell: u16| pixels.div_ceil(u32::from(cell.max(1))).clamp(1, SIDE_MAX.into());
        (length(self.shown.0, cell.0) as u16, length(self.shown.1, cell.1) as u16)
    }

    /// Returns the part as pixels of its cells, at the top left; what it does not cover is transparent.
    pub fn of(&self, image: &DynamicImage, cell: (u16, u16)) -> RgbaImage {
        let part = image.crop_imm(self.from.0, self.from.1, self.size.0.max(1), self.size.1.max(1));
        let cells = self.cells(cell);
        let room = (u32::from(cells.0) * u32::from(cell.0), u32::from(cells.1) * u32::from(cell.1));
        let (width, height) = (self.shown.0.clamp(1, room.0), self.shown.1.clamp(1, room.1));
        // Enlarged, the pixels of the image are to be seen.
        let filter = if width > part.width() { FilterType::Nearest } else { FilterType::Triangle };
        placed(part.resize_exact(width, height, filter).to_rgba8(), room)
    }
}

/// Returns an image at the top left of a larger one.
fn placed(image: RgbaImage, size: (u32, u32)) -> RgbaImage {
    if image.dimensions() == size {
        return image;
    }
    let mut out = RgbaImage::new(size.0, size.1);
    image::imageops::replace(&mut out, &image, 0, 0);
    out
}

/// Returns columns and rows of an image of this size in pixels, at most `max` and never larger than it is.
pub fn cells_of(size: (u32, u32), cell: (u16, u16), max: (u16, u16)) -> (u16, u16) {
    let (cell_w, cell_h) = (f64::from(cell.0.max(1)), f64::from(cell.1.max(1)));
    let scale = scale(size, cell, max);
    let length = |pixels: u32, cell: f64, max: u16| {
        ((f64::from(pixels) * scale / cell - 0.01).ceil().max(1.0) as u16).clamp(1, max.clamp(1, SIDE_MAX))
    };
    (length(size.0, cell_w, max.0), length(size.1, cell_h, max.1))
}

/// Returns the factor at which an image fits, at most 1.
fn scale(size: (u32, u32), cell: (u16, u16), max: (u16, u16)) -> f64 {
    let room = |cells: u16, cell: u16| f64::from(cells.clamp(1, SIDE_MAX)) * f64::from(cell.max(1));
    let by_width = room(max.0, cell.0) / f64::from(size.0.max(1));
    let by_height = room(max.1, cell.1) / f64::from(size.1.max(1));
    by_width.min(by_height).min(1.0)
}

/// Returns an image as pixels of that many cells, at the top left; what it does not cover is transparent.
pub fn fit(image: &DynamicImage, cell: (u16, u16), cells: (u16, u16)) -> RgbaImage {
    let size = (u32::from(cell.0) * u32::from(cells.0), u32::from(cell.1) * u32::from(cells.1));
    let scale = scale((image.width(), image.height()), cell, cells);
    let length = |pixels: u32, max: u32| ((f64::from(pixels) * scale).round() as u32).clamp(1, max.max(1));
    let (width, height) = (length(image.width(), size.0), length(image.height(), size.1));
    let scaled = if (width, height) == (image.width(), image.height()) {
        image.to_rgba8()
    } else {
        image.thumbnail_exact(width, height).to_rgba8()
    };
    placed(scaled, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let image =
            DynamicImage::ImageRgba8(RgbaImage::from_pixel(width, height, image::Rgba([200, 10, 10, 255])));
        image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        bytes
    }

    #[test]
    fn image_header_is_read_from_the_beginning() {
        let expected = ImageHeader { format: "PNG", width: 640, height: 480 };
        assert_eq!(header(&png(640, 480)[..64]), Some(expected));
        assert_eq!(header(b"\x89PNG\r\n\x1a\n"), None);
        assert_eq!(header(b"plain text"), None);
        assert_eq!(header(b""), None);
    }

    #[test]
    fn image_cells_keep_the_shape_within_the_limits() {
        assert_eq!(cells_of((640, 480), (8, 16), (40, 20)), (40, 15));
        assert_eq!(cells_of((640, 480), (8, 16), (200, 20)), (54, 20));
        assert_eq!(cells_of((16, 16), (8, 16), (40, 20)), (2, 1), "never larger than it is");
        assert_eq!(cells_of((1, 1), (8, 16), (40, 20)), (1, 1));
        assert_eq!(cells_of((30_000, 1), (8, 16), (40, 20)), (40, 1));
        assert_eq!(cells_of((1, 30_000), (8, 16), (0, 0)), (1, 1));
    }

    #[test]
    fn image_fit_fills_whole_cells() {
        let image = pixels(&png(20, 10)).unwrap();
        let out = fit(&image, (8, 16), (3, 1));
        assert_eq!(out.dimensions(), (24, 16));
        assert_eq!(
            (out.get_pixel(19, 9).0[3], out.get_pixel(20, 9).0[3], out.get_pixel(19, 10).0[3]),
            (255, 0, 0)
        );
    }

    #[test]
    fn image_broken_files_are_refused() {
        let good = png(64, 64);
        let mut lying = good.clone();
        // The width in the header is not that of the data, and the checksum does not fit either.
        lying[16..20].copy_from_slice(&9u32.to_be_bytes());
        let mut huge = good.clone();
        huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        for bytes in [&good[..good.len() / 2], &lying, &huge, &good[..8], b"GIF89a", b"text", b""] {
            assert!(pixels(bytes).is_err(), "{:?}", &bytes[..bytes.len().min(12)]);
        }
        assert_eq!(header(&huge), None);
    }

    #[test]
    fn image_of_zero_size_is_refused() {
        // A GIF whose screen has no pixels.
        let gif = b"GIF89a\0\0\0\0\0\0\0,\0\0\0\0\0\0\0\0\0\x02\x02L\x01\0;";
        assert_eq!(header(gif), None);
        assert!(pixels(gif).is_err());
    }

    #[test]
    fn image_animation_shows_its_first_frame() {
        let mut bytes = Vec::new();
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
        for color in [[255, 0, 0, 255], [0, 0, 255, 255]] {
            encoder.encode_frame(image::Frame::new(RgbaImage::from_pixel(6, 4, image::Rgba(color)))).unwrap();
        }
        drop(encoder);
        let image = pixels(&bytes).unwrap().to_rgba8();
        assert_eq!((image.dimensions(), image.get_pixel(0, 0).0), ((6, 4), [255, 0, 0, 255]));
    }
}
