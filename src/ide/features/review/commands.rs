//! Commands of the review. Those about a hunk work in the review and, for the hunk at the caret, in the editor.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::state::State;
use crate::ide::features::review::events;
use crate::ide::features::review::state::REVIEW;
use crate::ide::features::review::view::ReviewView;
use crate::ide::features::transcript::named_files;
use crate::ide::features::transcript::places::NamedPlace;
use crate::workspace::checkpoint::Name;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "review.open",
        "Review agent changes",
        &["diff", "hunks", "accept changes", "reject changes"],
        events::toggle,
    ),
    command("transcript.review-file", "Review file named in block", &["show diff", "changes"], review_named),
    command("review.accept-hunk", "Accept hunk", &["keep change"], |cx| events::accept(cx, false)),
    command("review.reject-hunk", "Reject hunk", &["revert change", "undo change"], |cx| {
        events::reject(cx, false);
    }),
    command("review.accept-file", "Accept all hunks of file", &["keep changes"], |cx| {
        events::accept(cx, true);
    }),
    command("review.reject-file", "Reject all hunks of file", &["revert changes"], |cx| {
        events::reject(cx, true);
    }),
    command("review.comment-hunk", "Comment on hunk", &["feedback", "note"], events::comment),
    command("review.edit-hunk", "Edit hunk in file", &["open file"], events::edit),
    command("review.next-hunk", "Go to next unreviewed hunk", &["next change"], |cx| {
        events::go_to_hunk(cx, true);
    })
    .when(has_view),
    command("review.previous-hunk", "Go to previous unreviewed hunk", &["previous change"], |cx| {
        events::go_to_hunk(cx, false);
    })
    .when(has_view),
    command("review.undo", "Undo last review decision", &["revert decision"], events::undo),
    command("review.send", "Send review now", &["submit feedback"], events::send_now).when(has_remark),
    command("review.widen-scope", "Expand scope of review", &["whole branch", "whole session"], |cx| {
        events::change_scope(cx, true);
    })
    .when(has_view),
    command("review.narrow-scope", "Collapse scope of review", &["turn", "last message"], |cx| {
        events::change_scope(cx, false);
    })
    .when(has_view),
    command("review.toggle-sides", "Toggle side-by-side review", &["unified", "split"], events::toggle_sides)
        .when(has_view),
    command("review.left", "Scroll review left", &[], |cx| scroll(cx, -COLUMNS)).when(has_view),
    command("review.right", "Scroll review right", &[], |cx| scroll(cx, COLUMNS)).when(has_view),
];

/// The review is open.
fn has_view(state: &State) -> Result<(), Reason> {
    let closed = Reason::new("No review open").with_remedy("Open it", "review.open");
    condition::layer::<ReviewView>(state, closed)
}

/// A rejection or a comment was not sent yet.
fn has_remark(state: &State) -> Result<(), Reason> {
    let has_one = !state.slots[REVIEW].remarks.is_empty();
    condition::require(has_one, Reason::new("No rejections or comments to send"))
}

/// Columns by which texts are scrolled sidewards.
const COLUMNS: isize = 8;

fn scroll(cx: &mut Cx<'_>, by: isize) {
    events::with_view(cx, |view, _| view.rows.left = view.rows.left.saturating_add_signed(by));
}

/// Opens the review at the file named in the focused block of the conversation.
fn review_named(cx: &mut Cx<'_>) {
    let places = named_files::focused_places(cx);
    let path =
        |place: &NamedPlace| Name::below(&cx.state.workspace, &cx.state.resolve_typed_path(&place.path));
    let names: Vec<Name> = places.iter().filter_map(path).collect();
    if names.is_empty() {
        return cx.state.set_status("No file of the workspace is named here");
    }
    events::open_at(cx, names);
}
