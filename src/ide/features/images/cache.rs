//! The images that were encoded for the terminal, and those that wait for it. Must not know who shows them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use image::DynamicImage;
use parking_lot::Mutex;

use crate::ide::core::damage::Part;
use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::features::images::data::ImageData;
use crate::tui::caps::Caps;
use crate::tui::images::decode::{self, ImageCut, cells_of};
use crate::tui::images::encoded::EncodedImage;
use crate::tui::images::placeholder::ImageId;
use crate::tui::images::protocol::{self, ImageChoice, ImageSupport, OuterTerminal};
use crate::tui::theme::ColorDepth;

/// Maximum number of encoded images; more than a screen shows.
const IMAGES_MAX: usize = 64;
/// Maximum bytes of them.
const BYTES_MAX: usize = 32 << 20;
/// Maximum bytes of pixels that are kept for showing other parts of an image.
const DECODED_MAX: usize = 64 << 20;
/// Maximum number of images that wait; others are requested by a later frame.
const WAITING_MAX: usize = 32;

/// Slot of the feature's state.
pub const IMAGES: Slot<RefCell<ImageCache>> = Slot::new();

/// Why an image is not shown where the terminal shows none.
pub const UNSUPPORTED: &str = "cannot be shown in this terminal";
/// Why an image without a header is not shown.
pub const NO_HEADER: &str = "its header cannot be read";

/// How far an image is.
#[derive(Debug, Clone)]
pub enum ImageState {
    /// It is being encoded.
    Pending,
    /// It can be drawn.
    Ready(Arc<EncodedImage>),
    /// It cannot be shown, for this reason.
    Broken(Arc<str>),
}

/// An image, and the number of jobs that had been finished when it was last used.
#[derive(Debug, Clone)]
struct Entry {
    key: Key,
    state: ImageState,
    used: u64,
    /// The parts of the screen that wait for it.
    parts: Vec<Part>,
}

impl Entry {
    fn bytes(&self) -> usize {
        match &self.state {
            ImageState::Ready(image) => image.bytes(),
            ImageState::Pending | ImageState::Broken(_) => 0,
        }
    }
}

/// Which image, what of it in which size, and whether only in cells that others can be drawn over.
type Key = (u64, Shape, bool);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// All of it, in so many columns and rows.
    Whole((u16, u16)),
    Cut(ImageCut),
}

/// The image of which a part was shown last, decoded, by its key.
type Decoded = Arc<Mutex<Option<(u64, Arc<DynamicImage>)>>>;

/// An image to encode.
#[derive(Debug)]
pub struct EncodeJob {
    key: Key,
    data: Arc<ImageData>,
    id: ImageId,
    support: ImageSupport,
    decoded: Decoded,
}

impl EncodeJob {
    /// Encodes it. Expensive.
    pub fn run(&self) -> Result<EncodedImage, String> {
        let support = if self.key.2 { self.support.in_cells() } else { self.support };
        match &self.key.1 {
            Shape::Whole(cells) => EncodedImage::new(&self.data.bytes()?, self.id, support, *cells),
            Shape::Cut(cut) => EncodedImage::of_cut(&*self.pixels()?, self.id, support, cut),
        }
    }

    /// Returns the pixels of the image, which are kept for other parts of it if they are not too many.
    fn pixels(&self) -> Result<Arc<DynamicImage>, String> {
        if let Some((key, image)) = &*self.decoded.lock()
            && *key == self.data.key
        {
            return Ok(image.clone());
        }
        let image = Arc::new(decode::pixels(&self.data.bytes()?)?);
        let is_small = image.as_bytes().len() <= DECODED_MAX;
        *self.decoded.lock() = is_small.then(|| (self.data.key, image.clone()));
        Ok(image)
    }

    /// Returns the job without its data, for its result.
    pub fn ticket(&self) -> EncodeTicket {
        EncodeTicket { key: self.key, support: self.support }
    }
}

/// Which job a result is of.
#[derive(Debug, Clone, Copy)]
pub struct EncodeTicket {
    key: Key,
    support: ImageSupport,
}

/// The images.
#[derive(Debug)]
pub struct ImageCache {
    choice: ImageChoice,
    colors: ColorDepth,
    outer: Option<OuterTerminal>,
    caps: Caps,
    support: Option<ImageSupport>,
    /// The one used last at the end, and when each was used: a number of finished jobs.
    entries: Vec<Entry>,
    /// Number of finished jobs.
    finished: u64,
    waiting: VecDeque<EncodeJob>,
    is_encoding: bool,
    decoded: Decoded,
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
            finished: 0,
            waiting: VecDeque::new(),
            is_encoding: false,
            decoded: Decoded::default(),
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
        let Some(support) = self.support else { return ImageState::Broken(UNSUPPORTED.into()) };
        let Some(header) = data.header else { return ImageState::Broken(NO_HEADER.into()) };
        // Another limit with the same result is the same image.
        let cells = cells_of((header.width, header.height), support.cell, max);
        self.get_shape(data, Shape::Whole(cells), (part, support))
    }

    /// Returns a part of an image; requests it if it is not there.
    pub fn get_cut(&mut self, data: &Arc<ImageData>, cut: ImageCut, part: Part) -> ImageState {
        match self.support {
            Some(support) => self.get_shape(data, Shape::Cut(cut), (part, support)),
            None => ImageState::Broken(UNSUPPORTED.into()),
        }
    }

    /// Drops what is kept for other parts of an image.
    pub fn forget_decoded(&mut self) {
        *self.decoded.lock() = None;
    }

    fn get_shape(
        &mut self,
        data: &Arc<ImageData>,
        shape: Shape,
        (part, support): (Part, ImageSupport),
    ) -> ImageState {
        // Rows of images below a pop-up would cover those in it; cells do not.
        let key = (data.key, shape, part == Part::Overlay);
        if let Some(at) = self.entries.iter().position(|entry| entry.key == key) {
            let mut entry = Entry { used: self.finished, ..self.entries.remove(at) };
            if matches!(entry.state, ImageState::Pending) && !entry.parts.contains(&part) {
                entry.parts.push(part);
            }
            self.entries.push(entry.clone());
            return entry.state;
        }
        if matches!(shape, Shape::Cut(_)) {
            self.forget_waiting_cuts(data.key);
        }
        if self.waiting.len() < WAITING_MAX {
            self.next_id = self.next_id.wrapping_add(1);
            let id = ImageId::new(self.next_id);
            let (data, decoded) = (data.clone(), self.decoded.clone());
            let job = EncodeJob { key, data, id, support, decoded };
            // The list is looked at now.
            if part == Part::Overlay {
                self.waiting.push_front(job);
            } else {
                self.waiting.push_back(job);
            }
            let (state, used) = (ImageState::Pending, self.finished);
            self.entries.push(Entry { key, state, used, parts: vec![part] });
        }
        ImageState::Pending
    }

    /// Drops the other parts of an image that wait: another one is shown now.
    fn forget_waiting_cuts(&mut self, image: u64) {
        let is_other = |key: &Key| key.0 == image && matches!(key.1, Shape::Cut(_));
        let dropped: Vec<Key> = self.waiting.iter().map(|job| job.key).filter(is_other).collect();
        self.waiting.retain(|job| !dropped.contains(&job.key));
        self.entries.retain(|entry| !dropped.contains(&entry.key));
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

    /// Stores the result of a job; returns the parts of the screen that wait for it.
    pub fn finish(&mut self, ticket: EncodeTicket, result: Result<EncodedImage, String>) -> Vec<Part> {
        self.is_encoding = false;
        if self.support != Some(ticket.support) {
            return Vec::new();
        }
        let state = match result {
            Ok(image) => ImageState::Ready(Arc::new(image)),
            Err(error) => {
                tracing::debug!("an image cannot be shown: {error}");
                ImageState::Broken(error.into())
            }
        };
        let at = self.entries.iter().position(|entry| entry.key == ticket.key);
        let parts = at.map(|at| self.entries.remove(at).parts).unwrap_or_default();
        self.entries.push(Entry { key: ticket.key, state, used: self.finished, parts: Vec::new() });
        self.release();
        self.finished += 1;
        parts
    }

    /// Releases what was not used for longest, beyond the limits. What was drawn since the last job stays: those that
    /// wait are drawn with the others of their part after each, which would be encoded again at once.
    fn release(&mut self) {
        let mut total = self.bytes();
        while self.entries.len() > IMAGES_MAX || total > BYTES_MAX {
            let is_unused =
                |entry: &Entry| !matches!(entry.state, ImageState::Pending) && entry.used < self.finished;
            let Some(oldest) = self.entries.iter().position(is_unused) else { return };
            total -= self.entries.remove(oldest).bytes();
        }
    }

    /// Returns the bytes of all encoded images.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(Entry::bytes).sum()
    }
}
