//! Sixel: for each row of cells a sequence of its own, so that any row can be drawn alone; all of an image share a
//! palette, reduced by median cut, with the error spread to the neighbors. Must not know cells.

use std::collections::HashMap;
use std::fmt::Write as _;

use image::RgbaImage;

/// Transparency from which on a pixel is shown.
const OPAQUE: u8 = 128;
/// No color: the pixel is transparent.
const NONE: u16 = u16::MAX;
/// Rows of pixels in a band.
const BAND: u32 = 6;
/// Bits of a channel by which colors are counted.
const BITS: u32 = 5;

type Rgb = [u8; 3];

/// Returns the sequence of each row of cells, with at most `colors` colors.
pub(super) fn rows(image: &RgbaImage, rows: u16, colors: u16) -> Vec<Vec<u8>> {
    let palette = palette(image, usize::from(colors.max(2)));
    let indexed = index(image, &palette);
    let height = image.height() / u32::from(rows.max(1));
    let width = image.width() as usize;
    let row = |row: u32| {
        let start = (row * height) as usize * width;
        encode(&indexed[start..start + height as usize * width], width, &palette)
    };
    (0..u32::from(rows)).map(row).collect()
}

fn opaque(image: &RgbaImage) -> impl Iterator<Item = Rgb> {
    image.pixels().filter(|pixel| pixel.0[3] >= OPAQUE).map(|pixel| [pixel.0[0], pixel.0[1], pixel.0[2]])
}

/// Returns the colors of an image if they are few, otherwise the best that many.
fn palette(image: &RgbaImage, max: usize) -> Vec<Rgb> {
    let mut exact: HashMap<Rgb, u32> = HashMap::new();
    let mut coarse: HashMap<Rgb, (u32, [u64; 3])> = HashMap::new();
    for color in opaque(image) {
        if exact.len() <= max {
            *exact.entry(color).or_default() += 1;
        }
        let (count, sum) = coarse.entry(color.map(|c| c >> (8 - BITS))).or_default();
        *count += 1;
        for (sum, c) in sum.iter_mut().zip(color) {
            *sum += u64::from(c);
        }
    }
    if exact.len() <= max {
        let mut colors: Vec<Rgb> = exact.into_keys().collect();
        colors.sort_unstable();
        return colors;
    }
    let mean = |(count, sum): (u32, [u64; 3])| (sum.map(|s| (s / u64::from(count.max(1))) as u8), count);
    let mut counted: Vec<(Rgb, u32)> = coarse.into_values().map(mean).collect();
    counted.sort_unstable();
    median_cut(counted, max)
}

/// Splits colors where it matters most until there are that many groups; returns their means.
fn median_cut(colors: Vec<(Rgb, u32)>, max: usize) -> Vec<Rgb> {
    let mut groups = vec![colors];
    while groups.len() < max {
        let worst =
            groups.iter().enumerate().filter(|(_, group)| group.len() > 1).max_by_key(|(_, group)| {
                let count: u64 = group.iter().map(|(_, count)| u64::from(*count)).sum();
                let (_, range) = widest(group);
                u64::from(range) * u64::from(range) * count.isqrt().max(1)
            });
        let Some((at, _)) = worst else { break };
        let mut group = groups.swap_remove(at);
        let (channel, _) = widest(&group);
        group.sort_unstable_by_key(|(color, _)| color[channel]);
        let half = group.iter().map(|(_, count)| u64::from(*count)).sum::<u64>() / 2;
        let mut seen = 0;
        let middle = group.iter().position(|(_, count)| {
            seen += u64::from(*count);
            seen >= half
        });
        let rest = group.split_off((middle.unwrap_or(0) + 1).min(group.len() - 1));
        groups.extend([group, rest]);
    }
    groups.iter().map(|group| mean(group)).collect()
}

/// Returns the channel in which colors differ most, and by how much.
fn widest(group: &[(Rgb, u32)]) -> (usize, u8) {
    let range = |channel: usize| {
        let values = || group.iter().map(|(color, _)| color[channel]);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    (0..3).map(|channel| (channel, range(channel))).max_by_key(|(_, range)| *range).unwrap_or((0, 0))
}

fn mean(group: &[(Rgb, u32)]) -> Rgb {
    let total: u64 = group.iter().map(|(_, count)| u64::from(*count)).sum();
    let channel = |n: usize| {
        let sum: u64 = group.iter().map(|(color, count)| u64::from(color[n]) * u64::from(*count)).sum();
        (sum / total.max(1)) as u8
    };
    [channel(0), channel(1), channel(2)]
}

/// Returns the color of each pixel as a number in the palette.
fn index(image: &RgbaImage, palette: &[Rgb]) -> Vec<u16> {
    let width = image.width() as usize;
    let mut known: HashMap<Rgb, u16> = HashMap::new();
    let mut out = Vec::with_capacity(width * image.height() as usize);
    // Errors of this row and the next, with a column more on both sides.
    let (mut here, mut below) = (vec![[0i16; 3]; width + 2], vec![[0i16; 3]; width + 2]);
    for row in image.rows() {
        for (x, pixel) in row.enumerate() {
            let [r, g, b, a] = pixel.0;
            if a < OPAQUE {
                out.push(NONE);
                continue;
            }
            let mut wanted = [r, g, b];
            for (channel, error) in wanted.iter_mut().zip(here[x + 1]) {
                *channel = (i16::from(*channel) + error / 16).clamp(0, 255) as u8;
            }
            let number = *known.entry(wanted).or_insert_with(|| nearest(wanted, palette));
            out.push(number);
            let shown = palette.get(usize::from(number)).copied().unwrap_or(wanted);
            for channel in 0..3 {
                let error = i16::from(wanted[channel]) - i16::from(shown[channel]);
                here[x + 2][channel] += error * 7;
                below[x][channel] += error * 3;
                below[x + 1][channel] += error * 5;
                below[x + 2][channel] += error;
            }
        }
        std::mem::swap(&mut here, &mut below);
        below.fill([0; 3]);
    }
    out
}

fn nearest(color: Rgb, palette: &[Rgb]) -> u16 {
    let distance =
        |other: &Rgb| -> u32 { color.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum() };
    palette.iter().zip(0..).min_by_key(|(other, _)| distance(other)).map_or(NONE, |(_, number)| number)
}

/// Returns the sequence of pixels.
fn encode(pixels: &[u16], width: usize, palette: &[Rgb]) -> Vec<u8> {
    let height = pixels.len() / width.max(1);
    let mut out = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    let mut used: Vec<u16> = pixels.iter().copied().filter(|color| *color != NONE).collect();
    used.sort_unstable();
    used.dedup();
    for number in &used {
        let [r, g, b] = palette[usize::from(*number)].map(|c| (u16::from(c) * 100 + 127) / 255);
        // Writing into a String cannot fail.
        write!(out, "#{number};2;{r};{g};{b}").unwrap_or_default();
    }
    for band in pixels.chunks(width.max(1) * BAND as usize) {
        write_band(band, width, &mut out);
        out.push('-');
    }
    // After the last band the cursor stays.
    out.pop();
    out.push_str("\x1b\\");
    out.into_bytes()
}

/// Writes a band: for each color that it has, the pixels in it.
fn write_band(band: &[u16], width: usize, out: &mut String) {
    let mut colors: Vec<u16> = band.iter().copied().filter(|color| *color != NONE).collect();
    colors.sort_unstable();
    colors.dedup();
    let mut columns = vec![0u8; width];
    for (n, color) in colors.iter().enumerate() {
        columns.fill(0);
        for (y, row) in band.chunks(width).enumerate() {
            for (column, pixel) in columns.iter_mut().zip(row) {
                *column |= u8::from(pixel == color) << y;
            }
        }
        if n > 0 {
            out.push('$');
        }
        write!(out, "#{color}").unwrap_or_default();
        let seen = columns.iter().rposition(|column| *column != 0).map_or(0, |last| last + 1);
        for run in columns[..seen].chunk_by(|a, b| a == b) {
            let sign = char::from(b'?' + run[0]);
            if run.len() > 3 {
                write!(out, "!{}{sign}", run.len()).unwrap_or_default();
            } else {
                out.extend(std::iter::repeat_n(sign, run.len()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    /// Reads a sequence back: the pixels of a row of cells.
    fn decode(bytes: &[u8], width: usize, height: usize) -> Vec<Option<Rgb>> {
        let text = std::str::from_utf8(bytes).unwrap();
        let body = text.strip_prefix(&format!("\x1bP0;1;0q\"1;1;{width};{height}")).unwrap();
        let mut rest = body.strip_suffix("\x1b\\").unwrap();
        let (mut palette, mut color) = (HashMap::new(), 0u32);
        let (mut x, mut y) = (0, 0);
        let mut out = vec![None; width * height];
        let number = |rest: &mut &str| {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let value = rest[..end].parse::<u32>().unwrap();
            *rest = &rest[end..];
            value
        };
        while let Some(sign) = rest.chars().next() {
            rest = &rest[1..];
            match sign {
                '#' => {
                    color = number(&mut rest);
                    let mut channels = Vec::new();
                    while let Some(after) = rest.strip_prefix(';') {
                        rest = after;
                        channels.push(number(&mut rest));
                    }
                    if let [2, r, g, b] = channels[..] {
                        palette.insert(color, [r, g, b].map(|c| (c * 255 / 100) as u8));
                    }
                }
                '$' => x = 0,
                '-' => (x, y) = (0, y + 6),
                _ => {
                    let (count, sign) = if sign == '!' {
                        let count = number(&mut rest);
                        let sign = rest.chars().next().unwrap();
                        rest = &rest[1..];
                        (count, sign)
                    } else {
                        (1, sign)
                    };
                    for _ in 0..count {
                        for bit in (0..6).filter(|bit| (sign as u8 - b'?') >> bit & 1 == 1) {
                            out[(y + bit) * width + x] = Some(palette[&color]);
                        }
                        x += 1;
                    }
                }
            }
        }
        out
    }

    #[test]
    fn image_sixel_rows_have_the_pixels() {
        let mut image = RgbaImage::from_pixel(20, 34, Rgba([255, 0, 0, 255]));
        image.put_pixel(3, 20, Rgba([0, 0, 255, 255]));
        image.put_pixel(4, 20, Rgba([0, 0, 0, 0]));
        let rows = rows(&image, 2, 16);
        assert_eq!(rows.len(), 2);
        let second = decode(&rows[1], 20, 17);
        assert_eq!((second[3 * 20 + 3], second[3 * 20 + 4]), (Some([0, 0, 255]), None));
        assert_eq!(second.iter().filter(|pixel| **pixel == Some([255, 0, 0])).count(), 20 * 17 - 2);
        assert_eq!(decode(&rows[0], 20, 17), vec![Some([255, 0, 0]); 20 * 17]);
    }

    #[test]
    fn image_sixel_has_no_more_colors_than_the_terminal() {
        let image =
            RgbaImage::from_fn(64, 64, |x, y| Rgba([(x * 4) as u8, (y * 4) as u8, (x ^ y) as u8, 255]));
        for max in [2, 16, 256] {
            let palette = palette(&image, max);
            assert!(palette.len() <= max && palette.len() * 2 > max, "{} of {max}", palette.len());
        }
        let shown = decode(&rows(&image, 4, 256)[1], 64, 16);
        let far = shown.iter().zip(image.pixels().skip(16 * 64)).filter(|(shown, pixel)| {
            let shown = shown.unwrap();
            (0..3).any(|c| shown[c].abs_diff(pixel.0[c]) > 40)
        });
        assert_eq!(far.count(), 0, "colors are near those of the image");
    }

    #[test]
    fn image_sixel_of_a_transparent_image_is_empty() {
        let rows = rows(&RgbaImage::new(8, 16), 1, 256);
        assert_eq!(rows[0], b"\x1bP0;1;0q\"1;1;8;16--\x1b\\");
    }
}
