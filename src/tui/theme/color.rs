//! Parses colors and finds the nearest color that a terminal can show.
//!
//! Must not know scopes. The table of 256 colors is xterm's: 16 named, a 6x6x6 cube, 24 greys.

use ratatui::style::Color;

/// Color depth of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorDepth {
    /// No color: attributes such as bold and reverse carry the meaning.
    None,
    /// The sixteen named colors.
    Ansi16,
    /// xterm's 256 colors.
    Ansi256,
    /// 24-bit color.
    True,
}

/// What decides the color depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DepthReason {
    /// `NO_COLOR` is set.
    NoColor,
    /// `TERM` names a terminal without colors.
    ColorlessTerm,
    /// `COLORTERM` promises 24-bit color.
    Colorterm,
    /// `TERM` names a terminal with 24-bit color.
    Term,
    /// `TERM` ends in `256color`, and nothing promises more.
    Term256,
    /// Nothing promises more than sixteen colors.
    NoPromise,
}

impl ColorDepth {
    /// The depth that `TERM`, `COLORTERM` and `NO_COLOR` promise.
    pub fn detect(term: Option<&str>, colorterm: Option<&str>, no_color: Option<&str>) -> Self {
        Self::detect_with_reason(term, colorterm, no_color).0
    }

    /// The same, with what decides it.
    pub fn detect_with_reason(
        term: Option<&str>,
        colorterm: Option<&str>,
        no_color: Option<&str>,
    ) -> (Self, DepthReason) {
        let term = term.unwrap_or_default();
        if no_color.is_some_and(|v| !v.is_empty()) {
            return (Self::None, DepthReason::NoColor);
        }
        if term == "dumb" || term.starts_with("vt") {
            return (Self::None, DepthReason::ColorlessTerm);
        }
        if matches!(colorterm, Some("truecolor" | "24bit")) {
            return (Self::True, DepthReason::Colorterm);
        }
        let full = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour"];
        if term.ends_with("-direct") || full.iter().any(|name| term.starts_with(name)) {
            return (Self::True, DepthReason::Term);
        }
        if term.contains("256color") {
            (Self::Ansi256, DepthReason::Term256)
        } else {
            (Self::Ansi16, DepthReason::NoPromise)
        }
    }
}

/// Red, green and blue of the sixteen named colors in xterm.
const NAMED: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

/// Names of the first eight; the other eight have the prefix `bright-`.
const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/// Levels of the color cube.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Reads `#rrggbb`, `#rgb`, `default`, a name such as `bright-blue`, or an index 0 to 255.
pub fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        let number =
            u32::from_str_radix(hex, 16).ok().filter(|_| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let byte = |shift: u32| (number >> shift & 255) as u8;
        let nibble = |shift: u32| (number >> shift & 15) as u8 * 17;
        return match hex.len() {
            6 => Some(Color::Rgb(byte(16), byte(8), byte(0))),
            3 => Some(Color::Rgb(nibble(8), nibble(4), nibble(0))),
            _ => None,
        };
    }
    if text == "default" {
        return Some(Color::Reset);
    }
    let (bright, name) = text.strip_prefix("bright-").map_or((0, text), |name| (8, name));
    if let Some(index) = NAMES.iter().position(|known| *known == name) {
        return Some(Color::Indexed(index as u8 + bright));
    }
    text.parse().ok().map(Color::Indexed)
}

/// Returns the nearest color at a depth. `Color::Reset` is unchanged.
pub fn reduce(color: Color, depth: ColorDepth) -> Color {
    match (color, depth) {
        (_, ColorDepth::None) | (Color::Reset, _) => Color::Reset,
        (Color::Rgb(r, g, b), ColorDepth::Ansi256) => Color::Indexed(nearest_256((r, g, b))),
        (Color::Rgb(r, g, b), ColorDepth::Ansi16) => Color::Indexed(nearest_16((r, g, b))),
        (Color::Indexed(n @ 16..), ColorDepth::Ansi16) => Color::Indexed(nearest_16(indexed_rgb(n))),
        (color, _) => color,
    }
}

/// Returns text and background colors that remain distinguishable after reduction.
pub fn reduce_pair(fg: Color, bg: Color, depth: ColorDepth) -> (Color, Color) {
    let (near, ground) = (reduce(fg, depth), reduce(bg, depth));
    if fg == bg || near != ground || ground == Color::Reset {
        return (near, ground);
    }
    let Color::Indexed(index) = ground else { return (near, ground) };
    let (r, g, b) = indexed_rgb(index);
    let dark = u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b) < 1275;
    (Color::Indexed(if dark { 15 } else { 0 }), ground)
}

fn nearest_256(rgb: (u8, u8, u8)) -> u8 {
    let level = |v: u8| {
        let far = |i: &usize| CUBE[*i].abs_diff(v);
        (0..6).min_by_key(far).unwrap_or(0)
    };
    let (r, g, b) = (level(rgb.0), level(rgb.1), level(rgb.2));
    let cube = 16 + 36 * r as u8 + 6 * g as u8 + b as u8;
    let mean = (u16::from(rgb.0) + u16::from(rgb.1) + u16::from(rgb.2)) / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    if distance(rgb, indexed_rgb(grey)) < distance(rgb, indexed_rgb(cube)) { grey } else { cube }
}

fn nearest_16(rgb: (u8, u8, u8)) -> u8 {
    (0..16).min_by_key(|i| distance(rgb, NAMED[usize::from(*i)])).unwrap_or(7)
}

/// Red, green, blue of an index.
fn indexed_rgb(index: u8) -> (u8, u8, u8) {
    match index {
        0..=15 => NAMED[usize::from(index)],
        16..=231 => {
            let n = usize::from(index) - 16;
            (CUBE[n / 36], CUBE[n / 6 % 6], CUBE[n % 6])
        }
        232.. => {
            let level = 8 + 10 * (index - 232);
            (level, level, level)
        }
    }
}

/// Returns red, green and blue of a color; `None` for the sixteen named ones and the terminal's own: users choose them.
pub fn rgb(color: Color) -> Option<(u8, u8, u8)> {
    match color {
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(index @ 16..) => Some(indexed_rgb(index)),
        _ => None,
    }
}

/// Returns a color between two, `share` of the first; one whose parts are not known is unchanged.
pub fn blend(color: Color, ground: Color, share: f64) -> Color {
    let (Some(over), Some(under)) = (rgb(color), rgb(ground)) else { return color };
    let part = |over: u8, under: u8| {
        (f64::from(over) * share + f64::from(under) * (1.0 - share)).round().clamp(0.0, 255.0) as u8
    };
    Color::Rgb(part(over.0, under.0), part(over.1, under.1), part(over.2, under.2))
}

/// Writes a color as [`parse`] reads it: `#rrggbb`, an index or `default`.
pub fn format(color: Color) -> String {
    match color {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Indexed(index) => index.to_string(),
        _ => "default".to_string(),
    }
}

/// Weighted squared distance; the weights follow the eye's sensitivity (about 2, 4, 3).
fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let square = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    2 * square(a.0, b.0) + 4 * square(a.1, b.1) + 3 * square(a.2, b.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color_depth_is_detected_from_environment() {
        let detect = ColorDepth::detect;
        assert_eq!(detect(Some("xterm-256color"), Some("truecolor"), None), ColorDepth::True);
        assert_eq!(detect(Some("xterm-256color"), None, None), ColorDepth::Ansi256);
        assert_eq!(detect(Some("xterm-kitty"), None, Some("")), ColorDepth::True);
        assert_eq!(detect(Some("linux"), None, None), ColorDepth::Ansi16);
        assert_eq!(detect(Some("xterm-kitty"), Some("truecolor"), Some("1")), ColorDepth::None);
        assert_eq!(detect(Some("dumb"), None, None), ColorDepth::None);
    }

    #[test]
    fn color_depth_reason_names_the_deciding_variable() {
        let reason = |term, colorterm, no_color| ColorDepth::detect_with_reason(term, colorterm, no_color).1;
        assert_eq!(reason(Some("dumb"), None, Some("1")), DepthReason::NoColor);
        assert_eq!(reason(Some("vt100"), Some("truecolor"), None), DepthReason::ColorlessTerm);
        assert_eq!(reason(Some("xterm-kitty"), Some("24bit"), None), DepthReason::Colorterm);
        assert_eq!(reason(Some("xterm-direct"), None, None), DepthReason::Term);
        assert_eq!(reason(Some("tmux-256color"), Some("yes"), None), DepthReason::Term256);
        assert_eq!(reason(None, None, None), DepthReason::NoPromise);
    }

    #[test]
    fn color_reduces_to_nearest() {
        let to = |color: &str, depth| reduce(parse(color).unwrap(), depth);
        assert_eq!(to("#ff0000", ColorDepth::Ansi256), Color::Indexed(196));
        assert_eq!(to("#1e1f22", ColorDepth::Ansi256), Color::Indexed(234));
        assert_eq!(to("#101010", ColorDepth::Ansi16), Color::Indexed(0));
        assert_eq!(to("#f00", ColorDepth::Ansi16), Color::Indexed(9));
        assert_eq!(to("bright-blue", ColorDepth::Ansi16), Color::Indexed(12));
        assert_eq!(to("208", ColorDepth::None), Color::Reset);
        assert_eq!(to("default", ColorDepth::True), Color::Reset);
    }

    #[test]
    fn color_256_indexes_are_their_own_nearest() {
        for index in 16..=255u8 {
            let rgb = indexed_rgb(index);
            assert_eq!(indexed_rgb(nearest_256(rgb)), rgb, "{index}");
        }
    }

    #[test]
    fn color_reduced_text_differs_from_background() {
        let (fg, bg) = reduce_pair(Color::Rgb(40, 40, 40), Color::Rgb(16, 16, 16), ColorDepth::Ansi16);
        assert_ne!(fg, bg);
    }

    #[test]
    fn color_format_is_read_back_and_blend_keeps_named_colors() {
        for text in ["#0a0b0c", "7", "208", "default"] {
            assert_eq!(format(parse(text).unwrap()), text);
        }
        let mixed = |color: &str, ground: &str, share| {
            format(blend(parse(color).unwrap(), parse(ground).unwrap(), share))
        };
        assert_eq!(mixed("#ffffff", "#000000", 0.5), "#808080");
        assert_eq!(mixed("#ffffff", "16", 0.25), "#404040");
        assert_eq!(mixed("red", "#000000", 0.5), "1");
        assert_eq!((rgb(Color::Indexed(15)), rgb(Color::Reset)), (None, None));
    }

    #[test]
    fn color_invalid_names_are_refused() {
        for text in ["", "#12", "#gggggg", "#+12345", "256", "rouge", "bright-", "#ééé"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
