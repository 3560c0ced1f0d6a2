//! Capabilities of the terminal, learnt from its replies at any time.
//!
//! Must not read or write. The event loop sends [`queries`] once, after the first frame, and performs each
//! returned [`Action`].

use crate::tui::input::event::Reply;

/// Known capabilities; `None` where no reply has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caps {
    /// Whether synchronized output (mode 2026) works; `None` if unknown.
    pub synchronized: Option<bool>,
    /// Whether the terminal offers the Kitty keyboard protocol.
    pub kitty_keyboard: bool,
    /// Whether the background is dark.
    pub dark_background: Option<bool>,
    /// Background color as red, green, blue.
    pub background: Option<(u8, u8, u8)>,
    /// Text color as red, green, blue.
    pub foreground: Option<(u8, u8, u8)>,
    /// Width and height of a cell in pixels.
    pub cell_pixels: Option<(u16, u16)>,
    /// Width and height of the text area in pixels.
    pub window_pixels: Option<(u16, u16)>,
    /// Name and version as reported by the terminal.
    pub name: Option<String>,
    /// Whether the terminal offers Sixel images (class 4 of its device attributes).
    pub sixel: bool,
    /// Number of colors of Sixel images.
    pub sixel_colors: Option<u16>,
    /// Whether the terminal knows Kitty's graphics protocol.
    pub kitty_graphics: bool,
    /// Whether the reply that every terminal sends last has come.
    pub complete: bool,
}

/// An action for the event loop after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapsAction {
    /// Push the Kitty keyboard flags: `Terminal::enable_kitty_keyboard`.
    EnableKitty,
    /// Request xterm's modified keys instead: `Terminal::enable_other_keys`.
    EnableOtherKeys,
    /// Pass to `Screen::set_synchronized`.
    Synchronized(bool),
    /// Erasing uses the background color: `Screen::set_erase_colored`.
    EraseColored,
    /// The terminal has left and right margins (mode 69): `Screen::set_margins`.
    Margins,
    /// The background is dark (true) or light: choose the theme.
    Dark(bool),
}

/// Returns the queries as one string. DA1 is last, since every terminal answers it. Empty for the Linux
/// console and dumb terminals, which would print some of them.
pub fn queries(term: Option<&str>) -> &'static [u8] {
    match term {
        None | Some("" | "dumb" | "linux") => b"",
        // They take it for a title.
        Some(name) if name.starts_with("tmux") || name.starts_with("screen") => {
            b"\x1b[?u\x1b[?2026$p\x1b[?69$p\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[>0q\x1b[14t\x1b[16t\x1b[?1;1;0S\x1b[c"
        }
        Some(_) => {
            b"\x1b[?u\x1b[?2026$p\x1b[?69$p\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[>0q\x1b[14t\x1b[16t\x1b[?1;1;0S\
              \x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"
        }
    }
}

/// Prefixes of the names of terminals whose terminfo entry in ncurses has `bce`: erasing uses the current
/// background color.
const ERASES_COLORED: [&str; 11] = [
    "xterm-256color",
    "xterm-16color",
    "xterm-color",
    "xterm-direct",
    "linux",
    "rxvt",
    "alacritty",
    "foot",
    "konsole",
    "vte",
    "gnome",
];

/// Returns whether a terminal of this name erases with the background color, before it has replied.
pub fn erases_colored(term: Option<&str>) -> bool {
    let term = term.unwrap_or_default();
    term == "xterm" || ERASES_COLORED.iter().any(|name| term.starts_with(name))
}

/// Returns whether a terminal of this name can be sent links (OSC 8): all others pass over what they do not know.
pub fn knows_links(term: Option<&str>) -> bool {
    !matches!(term, None | Some("" | "dumb" | "linux"))
}

impl Caps {
    /// Applies a reply and returns the resulting actions.
    pub fn apply(&mut self, reply: &Reply) -> Vec<CapsAction> {
        match reply {
            Reply::KittyFlags(_) => {
                let first = !std::mem::replace(&mut self.kitty_keyboard, true);
                return if first { vec![CapsAction::EnableKitty] } else { Vec::new() };
            }
            Reply::Mode { mode: 2026, state } => {
                let works = matches!(state, 1..=3);
                self.synchronized = Some(works);
                return vec![CapsAction::Synchronized(works)];
            }
            // Set, reset, or set for good.
            Reply::Mode { mode: 69, state: 1..=3 } => return vec![CapsAction::Margins],
            Reply::Attributes(classes) => {
                self.sixel = classes.contains(&4);
                let first = !std::mem::replace(&mut self.complete, true);
                let needs_other_keys = first && !self.kitty_keyboard;
                return if needs_other_keys { vec![CapsAction::EnableOtherKeys] } else { Vec::new() };
            }
            Reply::Background(r, g, b) => {
                self.background = Some((*r, *g, *b));
                return self.set_dark(luma(*r, *g, *b) < 128);
            }
            Reply::ColorScheme(dark) => return self.set_dark(*dark),
            Reply::Version(name) => {
                self.name = Some(name.clone());
                // Screen erases to its own background. tmux drops the color of erased cells where it
                // copies its screen (`capture-pane`).
                let name = name.to_ascii_lowercase();
                let loses_color = ["gnu screen", "tmux"].iter().any(|one| name.starts_with(one));
                return if loses_color { Vec::new() } else { vec![CapsAction::EraseColored] };
            }
            Reply::Foreground(r, g, b) => self.foreground = Some((*r, *g, *b)),
            Reply::WindowPixels(w, h) => self.window_pixels = Some((*w, *h)),
            Reply::CellPixels(w, h) => self.cell_pixels = Some((*w, *h)),
            Reply::SixelColors(count) => self.sixel_colors = Some(*count),
            Reply::KittyGraphics(works) => self.kitty_graphics = *works,
            Reply::Mode { .. } => {}
        }
        Vec::new()
    }

    fn set_dark(&mut self, dark: bool) -> Vec<CapsAction> {
        let changed = self.dark_background.replace(dark) != Some(dark);
        if changed { vec![CapsAction::Dark(dark)] } else { Vec::new() }
    }
}

/// Perceived brightness, 0 to 255 (the weights of ITU-R BT.601).
fn luma(r: u8, g: u8, b: u8) -> u32 {
    (u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_colored_erase_by_terminal_name() {
        for name in ["xterm", "xterm-256color", "alacritty", "foot-extra", "linux"] {
            assert!(erases_colored(Some(name)), "{name}");
        }
        for name in ["screen-256color", "tmux-256color", "xterm-kitty", "dumb", ""] {
            assert!(!erases_colored(Some(name)), "{name}");
        }
        assert!(!erases_colored(None));
        assert!(knows_links(Some("xterm")) && !knows_links(Some("linux")) && !knows_links(None));
    }

    #[test]
    fn caps_replies_become_actions_once() {
        let mut caps = Caps::default();
        assert_eq!(caps.apply(&Reply::KittyFlags(0)), [CapsAction::EnableKitty]);
        assert_eq!(caps.apply(&Reply::KittyFlags(5)), []);
        assert_eq!(caps.apply(&Reply::Attributes(vec![62, 4])), []);
        assert!(caps.sixel && caps.complete);
        assert_eq!(caps.apply(&Reply::Background(20, 20, 30)), [CapsAction::Dark(true)]);
        assert_eq!(caps.apply(&Reply::ColorScheme(true)), []);
        assert_eq!(caps.apply(&Reply::Mode { mode: 2026, state: 0 }), [CapsAction::Synchronized(false)]);
        assert_eq!(caps.apply(&Reply::Mode { mode: 2027, state: 1 }), []);
        assert_eq!(caps.apply(&Reply::Mode { mode: 69, state: 2 }), [CapsAction::Margins]);
        assert_eq!(caps.apply(&Reply::Mode { mode: 69, state: 4 }), []);
        assert_eq!(caps.apply(&Reply::Version("XTerm(380)".to_string())), [CapsAction::EraseColored]);
        assert_eq!(caps.apply(&Reply::Version("tmux 3.3a".to_string())), []);
        assert_eq!(caps.apply(&Reply::CellPixels(8, 16)), []);
        assert_eq!(caps.apply(&Reply::SixelColors(16)), []);
        assert_eq!(caps.apply(&Reply::KittyGraphics(true)), []);
        assert_eq!((caps.sixel_colors, caps.kitty_graphics), (Some(16), true));
        assert_eq!((caps.synchronized, caps.cell_pixels), (Some(false), Some((8, 16))));
    }

    #[test]
    fn caps_without_kitty_enable_modified_keys() {
        let mut caps = Caps::default();
        assert_eq!(caps.apply(&Reply::Attributes(vec![1, 2])), [CapsAction::EnableOtherKeys]);
        assert_eq!(caps.apply(&Reply::Attributes(vec![1, 2])), []);
        assert_eq!(caps.apply(&Reply::KittyFlags(0)), [CapsAction::EnableKitty]);
    }

    #[test]
    fn caps_queries_end_with_device_attributes() {
        assert!(queries(Some("xterm")).ends_with(b"\x1b[c"));
        assert!(queries(Some("linux")).is_empty());
        let asks_kitty = |term| queries(Some(term)).windows(4).any(|part| part == b"\x1b_Gi");
        assert!(asks_kitty("xterm-256color") && !asks_kitty("tmux-256color") && !asks_kitty("screen"));
    }
}
