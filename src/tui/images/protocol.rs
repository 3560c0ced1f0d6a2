//! Chooses how a terminal shows images, from what it has answered. Must not know images.

use crate::tui::caps::Caps;
use crate::tui::theme::color::ColorDepth;

/// A way to show images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageProtocol {
    /// Kitty's graphics protocol with placeholders.
    Kitty,
    /// Files inside an escape sequence, as iTerm2 has them.
    Iterm2,
    /// Sixel with that many colors.
    Sixel(u16),
    /// Half blocks, two pixels in a cell.
    HalfBlocks,
}

/// The way that the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageChoice {
    /// The best of those that the terminal has.
    #[default]
    Auto,
    /// Kitty's protocol.
    Kitty,
    /// That of iTerm2.
    Iterm2,
    /// Sixel.
    Sixel,
    /// Half blocks.
    HalfBlocks,
    /// No images.
    Off,
}

impl ImageChoice {
    /// Returns the choice of that name in the settings.
    pub fn named(name: &str) -> Self {
        match name {
            "kitty" => Self::Kitty,
            "iterm2" => Self::Iterm2,
            "sixel" => Self::Sixel,
            "halfblocks" => Self::HalfBlocks,
            "off" => Self::Off,
            _ => Self::Auto,
        }
    }
}

/// How images are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSupport {
    /// The protocol.
    pub protocol: ImageProtocol,
    /// Width and height of a cell in pixels.
    pub cell: (u16, u16),
    /// Whether sequences of images must pass through tmux.
    pub in_tmux: bool,
}

impl ImageSupport {
    /// Returns the way that shows images as cells, which others can be drawn over: this one, or half blocks.
    #[must_use]
    pub fn in_cells(self) -> Self {
        match self.protocol {
            ImageProtocol::Kitty => self,
            _ => Self { protocol: ImageProtocol::HalfBlocks, ..self },
        }
    }
}

/// The terminal around tmux.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OuterTerminal {
    /// Its name, as tmux reports it.
    pub name: String,
    /// Width and height of its cells in pixels.
    pub cell: Option<(u16, u16)>,
    /// Whether tmux passes sequences through.
    pub is_reachable: bool,
}

/// A cell whose size the terminal does not tell.
const CELL_USUAL: (u16, u16) = (8, 16);
/// Sizes of cells in pixels that are believed.
const CELL_SIDES: std::ops::RangeInclusive<u16> = 2..=128;
/// Colors of Sixel where the terminal does not tell their number.
const SIXEL_COLORS_USUAL: u16 = 256;

/// What decides how images are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageReason {
    /// The user's choice.
    Chosen,
    /// The terminal, or the one around tmux, has Kitty's placeholders.
    Placeholders,
    /// The terminal is known to show inline files.
    InlineFiles,
    /// The terminal answered that it has Sixel.
    SixelAnswered,
    /// Nothing better is known.
    NothingBetter,
    /// The colors that this needs are missing.
    FewColors,
}

/// Returns how images are shown; `None` if they are not. `outer` is the terminal around tmux, inside of it.
pub fn support(
    choice: ImageChoice,
    caps: &Caps,
    colors: ColorDepth,
    outer: Option<&OuterTerminal>,
) -> Option<ImageSupport> {
    support_with_reason(choice, caps, colors, outer).0
}

/// The same, with what decides it.
pub fn support_with_reason(
    choice: ImageChoice,
    caps: &Caps,
    colors: ColorDepth,
    outer: Option<&OuterTerminal>,
) -> (Option<ImageSupport>, ImageReason) {
    let name = caps.name.as_deref().unwrap_or_default();
    let is_kitty = match outer {
        Some(outer) => outer.is_reachable && has_placeholders(&outer.name),
        None => caps.kitty_graphics && has_placeholders(name),
    };
    let sixel = ImageProtocol::Sixel(caps.sixel_colors.unwrap_or(SIXEL_COLORS_USUAL).clamp(2, 256));
    let (protocol, reason) = match choice {
        ImageChoice::Off => return (None, ImageReason::Chosen),
        ImageChoice::Kitty => (ImageProtocol::Kitty, ImageReason::Chosen),
        ImageChoice::Iterm2 => (ImageProtocol::Iterm2, ImageReason::Chosen),
        ImageChoice::Sixel => (sixel, ImageReason::Chosen),
        ImageChoice::HalfBlocks => (ImageProtocol::HalfBlocks, ImageReason::Chosen),
        ImageChoice::Auto if is_kitty => (ImageProtocol::Kitty, ImageReason::Placeholders),
        ImageChoice::Auto if outer.is_none() && has_inline_files(name) => {
            (ImageProtocol::Iterm2, ImageReason::InlineFiles)
        }
        ImageChoice::Auto if caps.sixel => (sixel, ImageReason::SixelAnswered),
        ImageChoice::Auto => (ImageProtocol::HalfBlocks, ImageReason::NothingBetter),
    };
    // The color of a cell names the image, or is its pixels.
    let needs_colors = matches!(protocol, ImageProtocol::Kitty | ImageProtocol::HalfBlocks);
    if needs_colors && !matches!(colors, ColorDepth::True | ColorDepth::Ansi256) {
        return (None, ImageReason::FewColors);
    }
    let cell = cell_pixels(caps, outer);
    (Some(ImageSupport { protocol, cell, in_tmux: outer.is_some() }), reason)
}

fn cell_pixels(caps: &Caps, outer: Option<&OuterTerminal>) -> (u16, u16) {
    let is_usual = |(w, h): &(u16, u16)| CELL_SIDES.contains(w) && CELL_SIDES.contains(h);
    let outer = outer.and_then(|outer| outer.cell);
    outer.or(caps.cell_pixels).filter(is_usual).unwrap_or(CELL_USUAL)
}

/// The first version of Kitty with placeholders.
const KITTY_FIRST: (u32, u32) = (0, 28);

/// Returns whether a terminal has Kitty's placeholders: several have the protocol without them.
pub fn has_placeholders(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("kitty(") {
        Some(version) => version_of(version).is_some_and(|version| version >= KITTY_FIRST),
        None => name.starts_with("ghostty"),
    }
}

/// Returns the first two numbers of a version.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Returns whether a terminal shows iTerm2's inline files.
fn has_inline_files(name: &str) -> bool {
    starts_with_any(name, &["iterm2", "wezterm", "konsole", "mintty"])
}

fn starts_with_any(name: &str, known: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    known.iter().any(|known| name.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(caps: &Caps, outer: Option<&OuterTerminal>) -> Option<ImageProtocol> {
        support(ImageChoice::Auto, caps, ColorDepth::True, outer).map(|support| support.protocol)
    }

    fn caps(name: &str, kitty_graphics: bool, sixel: bool) -> Caps {
        Caps { name: Some(name.to_string()), kitty_graphics, sixel, ..Caps::default() }
    }

    #[test]
    fn image_protocol_is_the_best_that_the_terminal_answers() {
        for (name, kitty, sixel, expected) in [
            ("kitty(0.28.0)", true, false, ImageProtocol::Kitty),
            ("kitty(0.26.5)", true, false, ImageProtocol::HalfBlocks),
            ("ghostty 1.1", true, false, ImageProtocol::Kitty),
            ("WezTerm 20240203", true, true, ImageProtocol::Iterm2),
            ("XTerm(379)", false, true, ImageProtocol::Sixel(256)),
            ("foot(1.13)", false, true, ImageProtocol::Sixel(256)),
            ("XTerm(379)", false, false, ImageProtocol::HalfBlocks),
            // A name alone is not believed.
            ("kitty(0.41.1)", false, false, ImageProtocol::HalfBlocks),
        ] {
            assert_eq!(chosen(&caps(name, kitty, sixel), None), Some(expected), "{name}");
        }
        assert_eq!(chosen(&Caps::default(), None), Some(ImageProtocol::HalfBlocks), "no answer at all");
    }

    #[test]
    fn image_protocol_in_tmux_follows_the_outer_terminal() {
        let tmux = caps("tmux 3.4", false, false);
        let outer =
            |name: &str, is_reachable| OuterTerminal { name: name.to_string(), cell: None, is_reachable };
        assert_eq!(chosen(&tmux, Some(&outer("kitty(0.41.1)", true))), Some(ImageProtocol::Kitty));
        assert_eq!(chosen(&tmux, Some(&outer("kitty(0.41.1)", false))), Some(ImageProtocol::HalfBlocks));
        assert_eq!(chosen(&tmux, Some(&outer("WezTerm", true))), Some(ImageProtocol::HalfBlocks));
        let with_sixel = caps("tmux 3.4", false, true);
        assert_eq!(chosen(&with_sixel, Some(&outer("", true))), Some(ImageProtocol::Sixel(256)));
    }

    #[test]
    fn image_support_without_colors_is_none() {
        for (depth, has) in
            [(ColorDepth::None, false), (ColorDepth::Ansi16, false), (ColorDepth::Ansi256, true)]
        {
            assert_eq!(support(ImageChoice::Auto, &Caps::default(), depth, None).is_some(), has, "{depth:?}");
        }
        let xterm = caps("XTerm(379)", false, true);
        assert!(
            support(ImageChoice::Auto, &xterm, ColorDepth::None, None).is_some(),
            "Sixel has its own colors"
        );
        assert_eq!(support(ImageChoice::Off, &Caps::default(), ColorDepth::True, None), None);
    }

    #[test]
    fn image_support_reason_names_what_decides() {
        let reason = |choice, caps: &Caps, colors| support_with_reason(choice, caps, colors, None).1;
        let auto = |caps: &Caps| reason(ImageChoice::Auto, caps, ColorDepth::True);
        assert_eq!(auto(&caps("kitty(0.28.0)", true, false)), ImageReason::Placeholders);
        assert_eq!(auto(&caps("WezTerm 1", true, true)), ImageReason::InlineFiles);
        assert_eq!(auto(&caps("foot(1)", false, true)), ImageReason::SixelAnswered);
        assert_eq!(auto(&Caps::default()), ImageReason::NothingBetter);
        assert_eq!(reason(ImageChoice::Off, &Caps::default(), ColorDepth::True), ImageReason::Chosen);
        assert_eq!(reason(ImageChoice::Kitty, &Caps::default(), ColorDepth::Ansi16), ImageReason::FewColors);
    }

    #[test]
    fn image_support_distrusts_odd_cell_sizes() {
        let cell = |pixels| {
            let caps = Caps { cell_pixels: Some(pixels), ..Caps::default() };
            support(ImageChoice::Auto, &caps, ColorDepth::True, None).map(|support| support.cell)
        };
        assert_eq!(cell((9, 18)), Some((9, 18)));
        assert_eq!((cell((0, 18)), cell((9, 60_000))), (Some(CELL_USUAL), Some(CELL_USUAL)));
    }
}
