//! How an image file is shown: how large, and which part of it. Must not know terminals.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::ide::core::slots::Slot;
use crate::ide::features::images::data::ImageData;
use crate::ide::model::buffers::BufferId;
use crate::tui::images::decode::ImageCut;
use crate::tui::images::encoded::EncodedImage;

/// Steps of the zoom, in percent.
const STEPS: [u32; 13] = [5, 10, 15, 25, 33, 50, 75, 100, 150, 200, 300, 400, 800];
/// A step of moving, as a part of what is shown.
const MOVE: f64 = 0.25;

/// Slot of the open image files.
pub const IMAGE_FILES: Slot<ImageFiles> = Slot::new();

/// The open image files.
#[derive(Debug, Default)]
pub struct ImageFiles(pub HashMap<BufferId, ImageFile>);

/// An open image file.
#[derive(Debug, Default)]
pub struct ImageFile {
    /// Version of the text from which the image was read, or is being read.
    pub version: Option<u64>,
    /// The image, once it was read.
    pub image: Option<Arc<ImageData>>,
    /// Its zoom.
    pub zoom: Zoom,
    /// The point of the image in the middle, as parts of its width and height.
    pub center: Option<(f64, f64)>,
    /// What was drawn last: it stays until what is to be shown is there.
    pub last: RefCell<Option<Arc<EncodedImage>>>,
    /// The room in which it was drawn last; `None` where it was not drawn as an image.
    pub room: RefCell<Option<Room>>,
}

/// How large an image is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    /// As large as the window, but not enlarged.
    #[default]
    Fit,
    /// In percent.
    Percent(u32),
}

/// The room for an image, in pixels of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Size of the image.
    pub image: (u32, u32),
    /// Size of the window.
    pub window: (u32, u32),
}

impl Room {
    /// Returns the zoom at which the image fits, in percent.
    fn fit(self) -> f64 {
        let part = |window: u32, image: u32| f64::from(window) / f64::from(image.max(1));
        100.0 * part(self.window.0, self.image.0).min(part(self.window.1, self.image.1)).min(1.0)
    }

    /// Returns the zoom in percent.
    pub fn percent(self, zoom: Zoom) -> f64 {
        match zoom {
            Zoom::Fit => self.fit(),
            Zoom::Percent(percent) => f64::from(percent),
        }
    }

    /// Returns the next larger or smaller zoom.
    pub fn step(self, zoom: Zoom, is_in: bool) -> Zoom {
        let now = self.percent(zoom);
        let next = if is_in {
            STEPS.iter().find(|step| f64::from(**step) > now + 0.5)
        } else {
            STEPS.iter().rev().find(|step| f64::from(**step) < now - 0.5)
        };
        next.map_or(zoom, |percent| Zoom::Percent(*percent))
    }

    /// Returns the part that is shown, with this point in the middle if the image is larger than the window.
    pub fn cut(self, zoom: Zoom, center: (f64, f64)) -> ImageCut {
        let scale = self.percent(zoom) / 100.0;
        let side = |image: u32, window: u32, center: f64| {
            let whole = (f64::from(image) * scale).round().max(1.0);
            let shown = whole.min(f64::from(window.max(1)));
            let size = (shown / scale).ceil().clamp(1.0, f64::from(image.max(1)));
            let from = (center * f64::from(image) - size / 2.0).clamp(0.0, f64::from(image) - size);
            (from.max(0.0) as u32, size as u32, shown as u32)
        };
        let x = side(self.image.0, self.window.0, center.0);
        let y = side(self.image.1, self.window.1, center.1);
        ImageCut { from: (x.0, y.0), size: (x.1, y.1), shown: (x.2, y.2) }
    }

    /// Returns the point that is in the middle after a step, in steps of columns and rows.
    pub fn moved(self, zoom: Zoom, center: (f64, f64), by: (i8, i8)) -> (f64, f64) {
        let cut = self.cut(zoom, center);
        let side = |image: u32, (from, size): (u32, u32), by: i8| {
            let (from, size, image) = (f64::from(from), f64::from(size), f64::from(image.max(1)));
            let from = (from + f64::from(by) * size * MOVE).clamp(0.0, (image - size).max(0.0));
            (from + size / 2.0) / image
        };
        let x = side(self.image.0, (cut.from.0, cut.size.0), by.0);
        let y = side(self.image.1, (cut.from.1, cut.size.1), by.1);
        (x, y)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROOM: Room = Room { image: (400, 200), window: (200, 200) };

    #[test]
    fn image_view_fits_and_zooms_by_steps() {
        assert_eq!(
            ROOM.cut(Zoom::Fit, (0.5, 0.5)),
            ImageCut { from: (0, 0), size: (400, 200), shown: (200, 100) }
        );
        assert_eq!(ROOM.step(Zoom::Fit, true), Zoom::Percent(75));
        assert_eq!(ROOM.step(Zoom::Fit, false), Zoom::Percent(33));
        assert_eq!(ROOM.step(Zoom::Percent(800), true), Zoom::Percent(800));
        let small = Room { image: (10, 10), window: (200, 200) };
        assert_eq!(small.cut(Zoom::Fit, (0.5, 0.5)).shown, (10, 10), "not enlarged");
        assert_eq!(small.cut(Zoom::Percent(300), (0.5, 0.5)).shown, (30, 30));
    }

    #[test]
    fn image_view_moves_up_to_its_edges() {
        let zoom = Zoom::Percent(100);
        let mut center = (0.5, 0.5);
        assert_eq!(ROOM.cut(zoom, center), ImageCut { from: (100, 0), size: (200, 200), shown: (200, 200) });
        for _ in 0..9 {
            center = ROOM.moved(zoom, center, (1, 1));
        }
        assert_eq!(ROOM.cut(zoom, center).from, (200, 0));
        center = ROOM.moved(zoom, center, (-1, 0));
        assert_eq!(ROOM.cut(zoom, center).from, (150, 0));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn image_view_part_is_within_image(
            image in (1..40_000u32, 1..40_000u32), window in (0..3_000u32, 0..2_000u32),
            percent in prop::sample::select(STEPS.to_vec()), center in (0.0..1.0f64, 0.0..1.0f64), fits in any::<bool>(),
        ) {
            let zoom = if fits { Zoom::Fit } else { Zoom::Percent(percent) };
            let cut = Room { image, window }.cut(zoom, center);
            prop_assert!(cut.size.0 > 0 && cut.size.1 > 0 && cut.shown.0 > 0 && cut.shown.1 > 0);
            prop_assert!(cut.from.0 + cut.size.0 <= image.0 && cut.from.1 + cut.size.1 <= image.1);
            prop_assert!(cut.shown.0 <= window.0.max(1) && cut.shown.1 <= window.1.max(1));
        }
    }
}
