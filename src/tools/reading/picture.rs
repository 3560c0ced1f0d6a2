//! Prepares images for providers: upright, within size limits, in few bytes.
//!
//! Must not know files. Decoding is slow and uses memory: it is done on a blocking thread, one image at a
//! time, and within limits.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::llm::model::Part;
use crate::llm::model::message::KnownPart;

/// Maximum width and height: the largest that major providers accept without downscaling.
const SIDE_MAX: u32 = 2000;
/// Largest picture as base64: 4.5 MiB.
const BASE64_MAX: usize = 4_718_592;
/// Qualities of JPEG that are tried, the best first.
const QUALITIES: [u8; 5] = [80, 85, 70, 55, 40];
/// Maximum side length of a decoded image.
const DECODE_SIDE_MAX: u32 = 30_000;
/// Maximum memory of decoding, in bytes.
const DECODE_MEMORY_MAX: u64 = 512 << 20;
/// Scale factor of each step when no quality is low enough.
const STEP: f64 = 0.75;

/// One image at a time.
static TURN: Semaphore = Semaphore::const_new(1);

/// A picture that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its MIME type.
    pub mime: &'static str,
    /// Width and height as sent.
    pub size: (u32, u32),
    /// Width and height of the original, upright.
    pub original: (u32, u32),
}

impl Picture {
    /// Returns a note for the model: the image, and how to convert coordinates to the original.
    pub fn note(&self, name: &str) -> String {
        let ((w, h), (from_w, from_h)) = (self.size, self.original);
        if self.size == self.original {
            return format!("Image {name} ({}, {w}x{h}).", self.mime);
        }
        let factor = f64::from(from_w) / f64::from(w.max(1));
        format!(
            "Image {name} ({}, shown as {w}x{h}; the original has {from_w}x{from_h}: multiply coordinates by \
             {factor:.2}).",
            self.mime
        )
    }

    /// Returns it as a message part.
    pub fn part(&self) -> Part {
        let data = STANDARD.encode(&self.bytes);
        Part::Known(KnownPart::Image { data, mime_type: self.mime.to_string() })
    }
}

/// Prepares an image; the error is for the model, without the file's name.
pub async fn prepare(bytes: Vec<u8>, cancel: &CancellationToken) -> Result<Picture, String> {
    let turn = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err("interrupted.".to_string()),
        turn = TURN.acquire() => turn.map_err(|error| error.to_string())?,
    };
    let made = tokio::task::spawn_blocking(move || make(bytes)).await;
    drop(turn);
    made.unwrap_or_else(|_| Err("the picture cannot be decoded.".to_string()))
}

/// The same, blocking.
pub fn make(bytes: Vec<u8>) -> Result<Picture, String> {
    let broken = |error: image::ImageError| format!("the picture cannot be decoded: {error}.");
    let mut reader = ImageReader::new(Cursor::new(&bytes))
        .with_guessed_format()
        .map_err(|error| format!("the picture cannot be read: {error}."))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(DECODE_SIDE_MAX);
    limits.max_image_height = Some(DECODE_SIDE_MAX);
    limits.max_alloc = Some(DECODE_MEMORY_MAX);
    reader.limits(limits);
    let format = reader.format();
    let mut decoder = reader.into_decoder().map_err(broken)?;
    let turned = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let upright = turned == image::metadata::Orientation::NoTransforms;
    let (width, height) = decoder.dimensions();
    let fits = width <= SIDE_MAX && height <= SIDE_MAX && bytes.len().div_ceil(3) * 4 <= BASE64_MAX;
    // The limits of a decoder do not count what it decodes into.
    if decoder.total_bytes() > DECODE_MEMORY_MAX {
        return Err(format!("the picture is too large: {width}x{height} pixels."));
    }
    let mut picture = DynamicImage::from_decoder(decoder).map_err(broken)?;
    let mime = match format {
        Some(ImageFormat::Png) => Some("image/png"),
        Some(ImageFormat::Jpeg) => Some("image/jpeg"),
        Some(ImageFormat::Gif) => Some("image/gif"),
        Some(ImageFormat::WebP) => Some("image/webp"),
        _ => None,
    };
    if let Some(mime) = mime.filter(|_| fits && upright) {
        let size = (width, height);
        return Ok(Picture { bytes, mime, size, original: size });
    }
    picture.apply_orientation(turned);
    let original = (picture.width(), picture.height());
    smaller(picture, original)
}

/// Returns the smaller of PNG and JPEG, downscaled until it fits.
fn smaller(mut picture: DynamicImage, original: (u32, u32)) -> Result<Picture, String> {
    if picture.width() > SIDE_MAX || picture.height() > SIDE_MAX {
        picture = picture.resize(SIDE_MAX, SIDE_MAX, FilterType::Lanczos3);
    }
    loop {
        let size = (picture.width(), picture.height());
        let png = png(&picture)?;
        let fits = |bytes: &Vec<u8>| bytes.len().div_ceil(3) * 4 <= BASE64_MAX;
        let first = jpeg(&picture, QUALITIES[0])?;
        let best = if png.len() <= first.len() { (png, "image/png") } else { (first, "image/jpeg") };
        if fits(&best.0) {
            return Ok(Picture { bytes: best.0, mime: best.1, size, original });
        }
        for quality in &QUALITIES[1..] {
            let bytes = jpeg(&picture, *quality)?;
            if fits(&bytes) {
                return Ok(Picture { bytes, mime: "image/jpeg", size, original });
            }
        }
        let less = |side: u32| ((f64::from(side) * STEP) as u32).max(1);
        picture = picture.resize_exact(less(size.0), less(size.1), FilterType::Lanczos3);
    }
}

fn png(picture: &DynamicImage) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let written = picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png);
    written.map_err(|error| format!("the picture cannot be made smaller: {error}."))?;
    Ok(bytes)
}

fn jpeg(picture: &DynamicImage, quality: u8) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let flat = DynamicImage::ImageRgb8(picture.to_rgb8());
    let written = flat.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, quality));
    written.map_err(|error| format!("the picture cannot be made smaller: {error}."))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;

    fn picture(width: u32, height: u32) -> DynamicImage {
        let pixel = |x: u32, y: u32| image::Rgb([(x % 256) as u8, (y % 256) as u8, 7]);
        DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, pixel))
    }

    fn bytes(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    #[test]
    fn image_small_is_sent_unchanged() {
        let png = bytes(&picture(30, 20), ImageFormat::Png);
        let made = make(png.clone()).unwrap();
        assert_eq!((made.bytes, made.mime, made.size), (png, "image/png", (30, 20)));
    }

    #[test]
    fn image_bmp_becomes_png_and_large_is_scaled() {
        let made = make(bytes(&picture(30, 20), ImageFormat::Bmp)).unwrap();
        assert_eq!((made.mime, made.size), ("image/png", (30, 20)));
        let made = make(bytes(&picture(2400, 30), ImageFormat::Png)).unwrap();
        assert_eq!((made.size, made.original), ((2000, 25), (2400, 30)));
        let note = "multiply coordinates by 1.20";
        assert!(made.note("x.png").contains(note), "{}", made.note("x.png"));
    }

    #[test]
    fn image_exif_orientation_is_applied() {
        let jpeg = jpeg(&picture(40, 10), 90).unwrap();
        // Another segment of that kind stands before the one that counts.
        let other = b"\xff\xe1\x00\x0chttp://x\0\0";
        let exif = b"\xff\xe1\x00\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        let turned = [&jpeg[..2], other, exif, &jpeg[2..]].concat();
        let made = make(turned).unwrap();
        assert_eq!((made.size, made.original), ((10, 40), (10, 40)));
    }

    #[tokio::test]
    async fn image_broken_or_huge_is_refused() {
        let cancel = CancellationToken::new();
        let error = prepare(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), &cancel).await.unwrap_err();
        assert!(error.starts_with("the picture cannot be decoded"), "{error}");
        // A header that promises 60000x60000 pixels.
        let mut bomb = bytes(&picture(2, 2), ImageFormat::Bmp);
        bomb[18..22].copy_from_slice(&60_000u32.to_le_bytes());
        bomb[22..26].copy_from_slice(&60_000u32.to_le_bytes());
        assert!(prepare(bomb, &cancel).await.is_err());
        cancel.cancel();
        assert_eq!(prepare(Vec::new(), &cancel).await.unwrap_err(), "interrupted.");
    }
}
