//! Scans the shown text for search matches, which the scrollbar marks.

use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::model::view::scrollbar::{SCAN_MAX, ScanJob, ScanResult};

/// Maximum size in bytes of a text that is scanned after every key.
const SCAN_INLINE_MAX: usize = 100 << 10;
/// Pause in typing before a longer text is scanned again.
const PAUSE: Duration = Duration::from_millis(200);

/// Finds the search matches in the whole text, one scan at a time.
pub fn start_scan(cx: &mut Cx<'_>) {
    let state = &mut *cx.state;
    let Some(needle) = &state.search.highlight else {
        if state.scrollbar_scans.found.take().is_some() {
            state.damage.add(Part::Editor);
        }
        return;
    };
    let has_bar = state.visible_rows.as_ref().is_some_and(|shown| !shown.bar.is_empty());
    let Some(buffer) = state.buffers.current().filter(|_| has_bar && !state.scrollbar_scans.running) else {
        return;
    };
    let known = state.scrollbar_scans.found.as_ref().is_some_and(|found| found.is_of(buffer, needle));
    if known || buffer.area.text().end().0 > SCAN_MAX {
        return;
    }
    state.scrollbar_scans.running = true;
    let (id, version) = (buffer.id, buffer.area.document.version());
    let job = ScanJob { buffer: id, version, text: buffer.area.text().clone(), needle: needle.clone() };
    let nothing = ScanResult { buffer: id, version, needle: needle.clone(), lines: Vec::new() };
    let work = async move {
        if job.text.end().0 > SCAN_INLINE_MAX {
            tokio::time::sleep(PAUSE).await;
        }
        on_thread(move || job.run()).await
    };
    cx.tasks.spawn("scrollbar.scan", work, move |cx, found| on_scanned(cx, found.unwrap_or(nothing)));
}

/// A text was searched for the scrollbar.
fn on_scanned(cx: &mut Cx<'_>, found: ScanResult) {
    cx.state.scrollbar_scans.running = false;
    // Matches of an older text are better than none until the next result.
    cx.state.scrollbar_scans.found = Some(found);
    cx.state.damage.mark_editor_stale();
}
