//! Targets of hyperlinks (OSC 8), and the cells that name them.
//!
//! Must not know what is linked. A cell names its link by the red, green and blue of the color of its underline, so that
//! cells are compared, moved and drawn with their links. What is underlined in a color of its own has a numbered one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use linkify::{LinkFinder, LinkKind};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;

/// Maximum bytes of a target; terminals drop longer ones (VTE: 2 083).
const TARGET_MAX: usize = 2000;
/// Number of targets from which those that are not shown are released.
const RELEASE_FROM: usize = 1000;
/// Number of ids; a cell has three bytes for one.
const IDS: u32 = 1 << 24;
/// Schemes that are linked. Others may start programs.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// A link of a cell; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkId(u32);

impl LinkId {
    /// No link.
    pub const NONE: Self = Self(0);

    /// Returns the link of a cell.
    pub fn of(cell: &Cell) -> Self {
        match cell.underline_color {
            Color::Rgb(a, b, c) => Self(u32::from_be_bytes([0, a, b, c])),
            _ => Self::NONE,
        }
    }

    /// Makes it the link of a cell.
    pub fn put(self, cell: &mut Cell) {
        let [_, a, b, c] = self.0.to_be_bytes();
        cell.underline_color = if self.0 == 0 { Color::Reset } else { Color::Rgb(a, b, c) };
    }
}

/// The targets of the links that were drawn.
#[derive(Debug)]
pub struct Links {
    is_enabled: bool,
    ids: HashMap<Arc<str>, LinkId>,
    targets: HashMap<LinkId, Arc<str>>,
    last: LinkId,
    /// Number of targets from which some are released.
    release_from: usize,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            is_enabled: true,
            ids: HashMap::new(),
            targets: HashMap::new(),
            last: LinkId::NONE,
            release_from: RELEASE_FROM,
        }
    }
}

impl Links {
    /// Sets whether there are links: not on terminals that would print them.
    pub fn set_enabled(&mut self, on: bool) {
        self.is_enabled = on;
    }

    /// Returns the link to a target; none where it cannot be linked.
    pub fn id(&mut self, target: &Arc<str>) -> LinkId {
        if !self.is_enabled || !is_target(target) {
            return LinkId::NONE;
        }
        match self.ids.entry(target.clone()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let mut id = LinkId((self.last.0 + 1) % IDS);
                while id == LinkId::NONE || self.targets.contains_key(&id) {
                    id = LinkId((id.0 + 1) % IDS);
                }
                self.last = *new.insert(id);
                self.targets.insert(id, target.clone());
                id
            }
        }
    }

    /// Appends what begins a link, or ends the one before.
    pub fn write(&self, id: LinkId, out: &mut Vec<u8>) {
        match self.targets.get(&id) {
            // With an id, the parts of a wrapped link are one.
            Some(target) => out.extend_from_slice(format!("\x1b]8;id={};{target}\x1b\\", id.0).as_bytes()),
            None => out.extend_from_slice(b"\x1b]8;;\x1b\\"),
        }
    }

    /// Releases targets that are not shown, if there are many.
    pub fn release(&mut self, shown: &Buffer) {
        if self.targets.len() < self.release_from {
            return;
        }
        let used: std::collections::HashSet<LinkId> = shown.content.iter().map(LinkId::of).collect();
        self.targets.retain(|id, _| used.contains(id));
        self.ids.retain(|_, id| used.contains(id));
        self.release_from = RELEASE_FROM + self.targets.len();
    }
}

/// Returns a URL in the form for terminals; `None` if it is of a scheme that is not linked, or too long.
pub fn target(url: &str) -> Option<Arc<str>> {
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes().take(TARGET_MAX + 1) {
        if byte.is_ascii_graphic() {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").ok()?;
        }
    }
    is_target(&out).then(|| out.into())
}

/// Returns the first web addresses in a text that can be linked, each with its place in bytes.
pub fn find(text: &str, most: usize) -> impl Iterator<Item = (Range<usize>, Arc<str>)> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let has_any = text.contains("://");
    let found: Vec<_> = finder.links(text).take(if has_any { most } else { 0 }).collect();
    found.into_iter().filter_map(|url| Some((url.start()..url.end(), target(url.as_str())?)))
}

fn is_target(text: &str) -> bool {
    let is_known = |scheme: &&str| text.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme));
    text.len() <= TARGET_MAX
        && SCHEMES.iter().any(is_known)
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    #[test]
    fn links_have_web_targets_without_control_characters() {
        for (url, expected) in [
            ("https://a.example/b?c=d#e", Some("https://a.example/b?c=d#e")),
            ("HTTP://a.example", Some("HTTP://a.example")),
            ("mailto:me@a.example", Some("mailto:me@a.example")),
            ("https://a.example/é \u{1b}]8;;", Some("https://a.example/%C3%A9%20%1B]8;;")),
            ("javascript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("a.example", None),
            ("", None),
        ] {
            assert_eq!(target(url).as_deref(), expected, "{url:?}");
        }
        assert!(target(&format!("https://{}", "a".repeat(TARGET_MAX))).is_none());
        let id = Links::default().id(&"https://a\u{7}".into());
        assert_eq!(id, LinkId::NONE, "a target that was not made safe");
    }

    #[test]
    fn links_that_are_not_shown_are_released() {
        let mut links = Links::default();
        let mut shown = Buffer::empty(Rect::new(0, 0, 2, 1));
        let url = |n: usize| Arc::<str>::from(format!("https://a.example/{n}"));
        let kept = links.id(&url(0));
        kept.put(&mut shown[(1, 0)]);
        for n in 0..10 * RELEASE_FROM {
            links.id(&url(n));
            links.release(&shown);
        }
        assert!(links.targets.len() <= RELEASE_FROM + 1 && links.targets.len() == links.ids.len());
        assert_eq!(links.id(&url(0)), kept);
        let mut out = Vec::new();
        links.write(kept, &mut out);
        links.write(LinkId::NONE, &mut out);
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out, format!("\x1b]8;id={};https://a.example/0\x1b\\\x1b]8;;\x1b\\", kept.0));
    }
}
