//! The images that were encoded for the terminal, and those that wait for it. Must not know who shows them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::ide::core::damage::Part;
use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::features::images::data::ImageData;
use crate::tui::caps::Caps;
use crate::tui::images::decode::cells_of;
use crate::tui::images::encoded::EncodedImage;
use crate::tui::images::placeholder::ImageId;
use crate::tui::images::protocol::{self, ImageChoice, ImageSupport, OuterTerminal};
use crate::tui::theme::ColorDepth;

/// Maximum number of encoded images; more than a screen shows.
const IMAGES_MAX: usize = 64;
/// Maximum bytes of them.
const BYTES_MAX: usize = 32 << 20;
/// Maximum number of images that wait; others are requested by a later frame.
const WAITING_MAX: usize = 32;

/// Slot of the feature's state.
pub const IMAGES: Slot<RefCell<ImageCache>> = Slot::new();

/// How far an image is.
#[derive(Debug, Clone)]
pub enum ImageState {
    /// It is being encoded.
    Pending,
    /// It can be drawn.
    Ready(Arc<EncodedImage>),
    /// It cannot be shown.
    Broken,
}

/// Which image, and in how many columns and rows.
type Key = (u64, (u16, u16));

/// An image to encode.
#[derive(Debug)]
pub struct EncodeJob {
    key: Key,
    data: Arc<ImageData>,
    id: ImageId,
    support: ImageSupport,
    part: Part,
}

impl EncodeJob {
    /// Encodes it. Expensive.
    pub fn run(&self) -> Result<EncodedImage, String> {
        EncodedImage::new(&self.data.bytes()?, self.id, self.support, self.key.1)
    }

    /// Returns the job without its data, for its result.
    pub fn ticket(&self) -> EncodeTicket {
        EncodeTicket { key: self.key, support: self.support, part: self.part }
    }
}

/// Which job a result is of.
#[derive(Debug, Clone, Copy)]
pub struct EncodeTicket {
    key: Key,
    support: ImageSupport,
    /// The part of the screen that shows it.
    pub part: Part,
}

/// The images.
#[derive(Debug)]
pub struct ImageCache {
    choice: ImageChoice,
    colors: ColorDepth,
    outer: Option<OuterTerminal>,
    caps: Caps,
    support: Option<ImageSupport>,
    /// The one used last at the end.
    entries: Vec<(Key, ImageState)>,
    waiting: VecDeque<EncodeJob>,
    is_encoding: bool,
    next_id: u16,
    /// Whether tmux was changed so that images reach the terminal around it.
    pub changed_tmux: bool,
}

impl ImageCache {
    /// Returns an empty cache, for a terminal that has not answered yet.
    pub fn new(options: &Options) -> Self {
        let outer = options.clipboard.in_tmux.then(OuterTerminal::default);
        let support = protocol::support(options.images, &Caps::default(), options.colors, outer.as_ref());
        Self {
            choice: options.images,
            colors: options.colors,
            outer,
            caps: Caps::default(),
            support,
            entries: Vec::new(),
            waiting: VecDeque::new(),
            is_encoding: false,
            next_id: options.first_image,
            changed_tmux: false,
        }
    }

    /// Returns width and height of a cell in pixels, if images are shown.
    pub fn cell(&self) -> Option<(u16, u16)> {
        self.support.map(|support| support.cell)
    }

    /// Returns whether images are wanted.
    pub fn is_on(&self) -> bool {
        self.choice != ImageChoice::Off
    }

    /// Returns whether the user has chosen Kitty's protocol, whatever the terminal says.
    pub fn is_kitty_chosen(&self) -> bool {
        self.choice == ImageChoice::Kitty
    }

    /// Handles what is known of the terminal around tmux; returns whether the protocol changed.
    pub fn set_outer(&mut self, outer: OuterTerminal) -> bool {
        self.outer = Some(outer);
        self.choose()
    }

    /// Handles what the terminal has answered; returns whether the protocol changed.
    pub fn set_caps(&mut self, caps: &Caps) -> bool {
        if self.caps == *caps {
            return false;
        }
        self.caps = caps.clone();
        self.choose()
    }

    fn choose(&mut self) -> bool {
        let support = protocol::support(self.choice, &self.caps, self.colors, self.outer.as_ref());
        if support == self.support {
            return false;
        }
        tracing::debug!("images are shown as {support:?}");
        self.support = support;
        self.entries.clear();
        self.waiting.clear();
        true
    }

    /// Returns an image for at most `max` columns and rows; requests it if it is not there.
    pub fn get(&mut self, data: &Arc<ImageData>, max: (u16, u16), part: Part) -> ImageState {
        let Some(support) = self.support else { return ImageState::Broken };
        let Some(header) = data.header else { return ImageState::Broken };
        // Another limit with the same result is the same image.
        let key = (data.key, cells_of((header.width, header.height), support.cell, max));
        if let Some(at) = self.entries.iter().position(|(known, _)| *known == key) {
            let entry = self.entries.remove(at);
            self.entries.push(entry.clone());
            return entry.1;
        }
        if self.waiting.len() < WAITING_MAX {
            self.next_id = self.next_id.wrapping_add(1);
            let id = ImageId::new(self.next_id);
            self.waiting.push_back(EncodeJob { key, data: data.clone(), id, support, part });
            self.entries.push((key, ImageState::Pending));
        }
        ImageState::Pending
    }

    /// Returns the next image to encode, if none is being encoded.
    pub fn next_job(&mut self) -> Option<EncodeJob> {
        if self.is_encoding {
            return None;
        }
        let job = self.waiting.pop_front()?;
        self.is_encoding = true;
        Some(job)
    }

    /// Stores the result of a job.
    pub fn finish(&mut self, ticket: EncodeTicket, result: Result<EncodedImage, String>) {
        self.is_encoding = false;
        if self.support != Some(ticket.support) {
            return;
        }
        let state = match result {
            Ok(image) => ImageState::Ready(Arc::new(image)),
            Err(error) => {
                tracing::debug!("an image cannot be shown: {error}");
                ImageState::Broken
            }
        };
        self.entries.retain(|(key, _)| *key != ticket.key);
        self.entries.push((ticket.key, state));
        self.release();
    }

    /// Releases what was not used for longest, beyond the limits.
    fn release(&mut self) {
        let bytes = |state: &ImageState| match state {
            ImageState::Ready(image) => image.bytes(),
            ImageState::Pending | ImageState::Broken => 0,
        };
        let mut total: usize = self.entries.iter().map(|(_, state)| bytes(state)).sum();
        while self.entries.len() > IMAGES_MAX || total > BYTES_MAX && self.entries.len() > 1 {
            let oldest = self.entries.iter().position(|(_, state)| !matches!(state, ImageState::Pending));
            let Some(oldest) = oldest else { return };
            total -= bytes(&self.entries.remove(oldest).1);
        }
    }

    /// Returns the bytes of all encoded images.
    pub fn bytes(&self) -> usize {
        let bytes = |(_, state): &(Key, ImageState)| match state {
            ImageState::Ready(image) => image.bytes(),
            ImageState::Pending | ImageState::Broken => 0,
        };
        self.entries.iter().map(bytes).sum()
    }
}
