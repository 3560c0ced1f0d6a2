//! The agent's questions on their way to the user and back: a question becomes an overlay on the loop, and what is
//! chosen there the answer.
//!
//! Must not know which tool asks.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::ide::core::context::{Cx, Tasks};
use crate::ide::features::questions::view::QuestionsView;
use crate::tools::interaction::questions::{Answer, Question, Questions};
use crate::tui::input::{Key, KeyCode, Mods};

/// Sends every question to the loop.
pub struct AskQuestions {
    tasks: Tasks,
}

impl AskQuestions {
    /// Questions go to the loop of these tasks.
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
            // A loop that has ended drops the questions and their reply.
            answers.await.ok().flatten()
        }
        .boxed()
    }
}

/// The agent asks.
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
    // Below everything else: what the user is busy with keeps the keys.
    cx.state.layers.push_below(view);
    cx.state.damage.add_all();
}

/// Questions that nobody waits for any more leave the screen.
pub fn drop_withdrawn(cx: &mut Cx<'_>) {
    if cx.state.layers.close_where(QuestionsView::is_withdrawn) {
        cx.state.damage.add_all();
    }
}

/// A key while a question is on top; whether it was for the question.
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
            // Keys of the whole program, such as the one that leaves it.
            None => return false,
        },
    }
    cx.state.damage.add_all();
    true
}

/// Pasted text while a question is on top; whether it was for the question.
pub fn paste(cx: &mut Cx<'_>, text: &str) -> bool {
    let Some(view) = cx.state.layers.top_mut::<QuestionsView>() else { return false };
    let words: Vec<&str> = text.split_whitespace().collect();
    view.type_in(&words.join(" "));
    cx.state.damage.add_all();
    true
}

/// The user does not want to answer.
fn decline(cx: &mut Cx<'_>) {
    if let Some(view) = cx.state.layers.pop_as::<QuestionsView>() {
        view.decline();
        cx.state.set_status("Sent to the agent: no answer");
    }
}
