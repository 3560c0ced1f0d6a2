//! User questions of the agent on the event loop: a request opens an overlay, and the user's choice is the
//! answer.
//!
//! Must not know which tool asks.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::ide::core::context::{Cx, Tasks};
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::features::questions::view::QuestionsView;
use crate::tools::interaction::questions::{Answer, Question, Questions};
use crate::tui::input::{Key, KeyCode, Mods};

/// Sends every request to the event loop.
pub struct AskQuestions {
    tasks: Tasks,
}

impl AskQuestions {
    /// Returns a port for the event loop of these tasks.
    pub fn new(tasks: Tasks) -> Self {
        Self { tasks }
    }
}

impl Questions for AskQuestions {
    fn ask(&self, _call_id: &str, questions: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>> {
        let tasks = self.tasks.clone();
        async move {
            let (reply, answers) = oneshot::channel();
            tasks.post("questions.ask", move |cx| show_questions(cx, questions, reply)).await;
            // If the event loop has ended, the questions and their reply are dropped.
            answers.await.ok().flatten()
        }
        .boxed()
    }
}

/// Opens the overlay for questions of the agent.
pub fn show_questions(
    cx: &mut Cx<'_>,
    questions: Vec<Question>,
    reply: oneshot::Sender<Option<Vec<Answer>>>,
) {
    if questions.is_empty() {
        return;
    }
    cx.state.agent.question_dialogs += 1;
    let view = QuestionsView::new(cx.state.agent.question_dialogs, questions, reply);
    // Below everything else, so that the user's current layer keeps the keys.
    cx.state.layers.push_below(view);
    cx.state.damage.add_all();
    feature::notify(cx, FeatureEvent::AgentAsks);
}

/// Closes the overlays of questions that were withdrawn.
pub fn drop_withdrawn(cx: &mut Cx<'_>) {
    if cx.state.layers.close_where(QuestionsView::is_withdrawn) {
        cx.state.damage.add_all();
    }
}

/// Handles a key while a question is on top; returns whether it was handled.
pub fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    let Some(view) = cx.state.layers.top_mut::<QuestionsView>() else { return false };
    let (last, typing) = (view.question().options.len(), view.is_typing());
    match key.code {
        KeyCode::Enter => {
            if view.accept_answer()
                && let Some(view) = cx.state.layers.pop_as::<QuestionsView>()
            {
                view.reply();
            }
        }
        KeyCode::Escape => decline(cx),
        KeyCode::Up => view.step(-1),
        KeyCode::Down => view.step(1),
        KeyCode::Tab if key.mods.contains(Mods::SHIFT) => view.back(),
        KeyCode::Tab => view.step(if typing { -(last as isize) } else { 1 }),
        KeyCode::Backspace => view.erase(),
        KeyCode::Char('u') if key.mods == Mods::CTRL => view.clear(),
        _ => match key.typed() {
            Some(' ') if !typing => view.toggle_option(view.row),
            Some(c) if !typing && c.to_digit(10).is_some_and(|n| (1..=last).contains(&(n as usize))) => {
                let option = c.to_digit(10).map_or(0, |n| n as usize - 1);
                view.toggle_option(option);
            }
            Some(c) => view.type_in(c.encode_utf8(&mut [0; 4])),
            // Keys of the whole program, such as the one that quits.
            None => return false,
        },
    }
    cx.state.damage.add_all();
    true
}

/// Handles pasted text while a question is on top; returns whether it was handled.
pub fn paste(cx: &mut Cx<'_>, text: &str) -> bool {
    let Some(view) = cx.state.layers.top_mut::<QuestionsView>() else { return false };
    let words: Vec<&str> = text.split_whitespace().collect();
    view.type_in(&words.join(" "));
    cx.state.damage.add_all();
    true
}

/// Declines to answer.
fn decline(cx: &mut Cx<'_>) {
    if let Some(view) = cx.state.layers.pop_as::<QuestionsView>() {
        view.decline();
        cx.state.set_status("Sent to the agent: no answer");
    }
}
