//! The list of queued messages as a layer. The messages themselves are those of the session, which changes them while
//! the list is open.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::message_queue::{commands, draw};
use crate::ide::model::agent::Agent;
use crate::runtime::{Delivery, QueuedMessage};
use crate::tui::canvas::Canvas;

/// The list.
#[derive(Debug, Default)]
pub struct QueueView {
    /// Index of the selected message among those of both queues, steering first.
    pub selected: usize,
}

/// Returns the queued messages in the order of their delivery.
pub fn queued(agent: &Agent) -> impl Iterator<Item = QueuedMessage> {
    let of = |delivery, texts: &[String]| -> Vec<QueuedMessage> {
        let all = texts.iter().enumerate();
        all.map(|(index, text)| QueuedMessage { delivery, index, text: text.clone() }).collect()
    };
    of(Delivery::Steer, &agent.steering).into_iter().chain(of(Delivery::FollowUp, &agent.follow_up))
}

impl QueueView {
    /// Returns the selected message, if there are any.
    pub fn current(&self, agent: &Agent) -> Option<QueuedMessage> {
        let count = agent.steering.len() + agent.follow_up.len();
        queued(agent).nth(self.selected.min(count.saturating_sub(1)))
    }
}

impl Layer for QueueView {
    fn context(&self) -> KeyContext {
        KeyContext::Queue
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        draw::view_area(size)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw(canvas, self, state);
    }

    fn is_view(&self) -> bool {
        true
    }

    fn actions(&self) -> Actions {
        Actions { step: commands::step, accept: commands::edit, ..Actions::default() }
    }
}
