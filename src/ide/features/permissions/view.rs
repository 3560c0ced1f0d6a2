//! The view of the waiting approval: which request it shows, the step in which it is, what is selected, and
//! how far it was read. Must not know how it is drawn.

use std::cell::{Cell, Ref, RefCell};
use std::time::Duration;

use crate::ide::core::slots::Slot;
use crate::ide::features::permissions::body::{self, Body};
use crate::ide::features::permissions::held_key::HeldKey;
use crate::tools::permissions::approval::Ask;

/// Silence that a key needs before it, so that what was typed for something else is no answer.
pub const GUARD: Duration = Duration::from_millis(400);

/// Slot of the view.
pub const APPROVAL: Slot<ApprovalView> = Slot::new();

/// What is done with the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Step {
    /// One of the answers is chosen.
    #[default]
    Choose,
    /// The rule that would be written is read.
    Rule,
    /// The command to run instead is typed.
    Edit,
    /// A reason for denying is typed.
    Reason,
}

static EMPTY: Body = Body { lines: Vec::new(), must_be_read: 0 };

/// The view.
#[derive(Debug, Default)]
pub struct ApprovalView {
    /// The request that is shown.
    pub request: Option<u64>,
    /// What is done with it.
    pub step: Step,
    /// Index of the selected answer.
    pub selected: usize,
    /// Index of the first line shown.
    pub top: usize,
    /// Whether all that must be read was on screen in this step.
    pub is_read: bool,
    /// Since when it is shown, on the monotonic clock.
    pub shown_at: Duration,
    /// Until when keys are ignored: the request before was answered by keys.
    pub ignores_until: Duration,
    /// A letter that is an answer if nothing follows it.
    pub held: Option<HeldKey>,
    /// When the last key was pressed.
    pub last_key: Duration,
    /// Whether there was silence before that key, and the request was on screen.
    pub is_quiet: bool,
    /// The request and step that were drawn last.
    pub drawn: Cell<Option<(u64, Step)>>,
    /// The lines, and what they were laid out for.
    laid_out: RefCell<Option<LaidOut>>,
}

#[derive(Debug)]
struct LaidOut {
    request: u64,
    step: Step,
    cols: u16,
    body: Body,
}

impl ApprovalView {
    /// Shows another request, or none.
    pub fn show(&mut self, request: Option<u64>, now: Duration) {
        *self = Self {
            request,
            shown_at: now,
            ignores_until: now + GUARD,
            last_key: self.last_key,
            ..Self::default()
        };
    }

    /// Goes to another step of the same request.
    pub fn go_to(&mut self, step: Step) {
        (self.step, self.selected, self.top, self.is_read) = (step, 0, 0, false);
    }

    /// Returns the lines of the request, wrapped for a pane of that width.
    pub fn body(&self, request: u64, ask: &Ask, cols: u16) -> Ref<'_, Body> {
        let is_current = |laid: &LaidOut| (laid.request, laid.step, laid.cols) == (request, self.step, cols);
        if !self.laid_out.borrow().as_ref().is_some_and(is_current) {
            let body = body::body(ask, self.step, cols);
            *self.laid_out.borrow_mut() = Some(LaidOut { request, step: self.step, cols, body });
        }
        Ref::map(self.laid_out.borrow(), |laid| laid.as_ref().map_or(&EMPTY, |laid| &laid.body))
    }
}
