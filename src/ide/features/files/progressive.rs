//! A long file that is on screen while it is still being read: what there is of it can be looked
//! at, and edited once all of it is there. Must not read it.

use std::path::Path;

use crate::exec::Stamp;
use crate::ide::core::context::Cx;
use crate::ide::core::event::Partly;
use crate::ide::features::files;
use crate::ide::features::recovery;
use crate::ide::model::buffers::{BufferId, Reading};
use crate::text::document::Document;
use crate::text::format::Format;
use crate::text::position::Line;
use crate::text::selection::Range;

/// More of a file was read.
pub fn more(cx: &mut Cx<'_>, part: Partly) {
    let tab_width = cx.state.show.tab_width;
    let open = cx.state.buffers.by_path(&part.real).map(|buffer| buffer.id);
    match open {
        // Open already: without its ticket this reading ends.
        Some(id) if part.ticket.is_some() => {
            if !part.behind {
                cx.state.buffers.show(id);
            }
            if let (Some(buffer), Some(at)) = (cx.state.buffers.get_mut(id), part.at) {
                buffer.place(at, tab_width);
            }
        }
        Some(id) => {
            let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
            let Some(reading) = &mut buffer.reading else { return };
            reading.percent = part.percent;
            buffer.area.document.grow(part.text);
            place(cx, id, tab_width, false);
        }
        None => {
            // Closed before it was whole.
            let Some(ticket) = part.ticket else { return };
            let before = cx.state.buffers.current().filter(|_| part.behind).map(|buffer| buffer.id);
            let document = Document::of(part.text, Format::default());
            let id = cx.state.buffers.open(Some(part.path.clone()), document, None);
            if let Some(buffer) = cx.state.buffers.get_mut(id) {
                buffer.real = Some(part.real);
                buffer.reading = Some(Reading { percent: part.percent, at: part.at, ticket });
            }
            place(cx, id, tab_width, false);
            match before {
                Some(shown) => cx.state.buffers.show(shown),
                None => cx.state.files.select(&part.path),
            }
        }
    }
    cx.state.damage.all();
}

/// Puts the cursor where it was wanted, as soon as that place is read, or at the end at last.
fn place(cx: &mut Cx<'_>, id: BufferId, tab_width: usize, is_whole: bool) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let last = buffer.area.text().last_line();
    let Some(reading) = &mut buffer.reading else { return };
    // The last line may not be whole.
    if let Some(at) = reading.at.take_if(|(line, _)| is_whole || Line(*line) <= last) {
        buffer.place(at, tab_width);
    }
}

/// Whether a file is still being read.
pub fn is_under_way(cx: &Cx<'_>, real: &Path) -> bool {
    cx.state.buffers.by_path(real).is_some_and(|buffer| buffer.reading.is_some())
}

/// A file could not be read to its end: what there is of it is not shown as if it were the file.
pub fn failed(cx: &mut Cx<'_>, real: &Path) {
    let id = cx.state.buffers.by_path(real).filter(|buffer| buffer.reading.is_some()).map(|b| b.id);
    if let Some(id) = id {
        cx.state.buffers.close(id);
        cx.state.damage.all();
    }
}

/// A file is read to its end.
pub fn done(cx: &mut Cx<'_>, real: &Path, document: Document, stamp: Stamp) {
    let tab_width = cx.state.show.tab_width;
    let Some(id) = cx.state.buffers.by_path(real).map(|buffer| buffer.id) else { return };
    if let Some(buffer) = cx.state.buffers.get_mut(id) {
        buffer.area.document = document.after(buffer.area.document.version());
        // What turned out to be no UTF-8 is another text than was shown.
        let text = buffer.area.text().clone();
        let fit = |at| text.grapheme_floor(std::cmp::min(at, text.end()));
        buffer.area.selection =
            buffer.area.selection.transform(|range| Range::new(fit(range.anchor), fit(range.head)));
        buffer.stamp = Some(stamp);
        buffer.coloring.replaced();
        buffer.expanded.clear();
    }
    place(cx, id, tab_width, true);
    if let Some(buffer) = cx.state.buffers.get_mut(id) {
        buffer.reading = None;
    }
    recovery::recover::opened(cx, id);
    // Whoever touched the file while it was read was not heard.
    files::disk::check_disk(cx);
    cx.state.damage.all();
}
