//! Questions to servers that something waits for, such as a save, but only for a limited time. Must not know what is asked.

use std::any::Any;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ide::core::context::Cx;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;

/// What follows: with the answer, or without one.
type Then = Box<dyn FnOnce(&mut Cx<'_>, Option<Box<dyn Any + Send>>) + Send>;

/// A question that is not answered yet.
pub struct LimitedQuestion {
    number: u64,
    /// Until when it is waited for, on the monotonic clock.
    until: Duration,
    /// Cancels it when it is dropped.
    _cancel: DropGuard,
    then: Then,
}

/// Asks; `then` gets the answer, or `None` if there is none within `limit`.
pub fn ask_within<T: Send + 'static>(
    cx: &mut Cx<'_>,
    task: &'static str,
    limit: Duration,
    work: impl Future<Output = T> + Send + 'static,
    then: impl FnOnce(&mut Cx<'_>, Option<T>) + Send + 'static,
) {
    let question = CancellationToken::new();
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.last_question += 1;
    let number = known.last_question;
    known.limited.push(LimitedQuestion {
        number,
        until: cx.now + limit,
        _cancel: question.clone().drop_guard(),
        then: Box::new(move |cx, answer| {
            let answer = answer.and_then(|answer| answer.downcast::<T>().ok());
            then(cx, answer.map(|answer| *answer));
        }),
    });
    let work = async move { question.run_until_cancelled(work).await };
    cx.tasks.spawn(task, work, move |cx, answer| {
        let all = &mut cx.state.slots[LANGUAGE_SERVERS].limited;
        // Without an entry it took too long.
        let Some(at) = all.iter().position(|question| question.number == number) else { return };
        let question = all.remove(at);
        if let Err(error) = &answer {
            tracing::warn!(%error, task, "a question to language servers has failed");
        }
        let answer = answer.ok().flatten().map(|answer| Box::new(answer) as Box<dyn Any + Send>);
        (question.then)(cx, answer);
    });
}

/// Goes on without the answers that take too long.
pub fn on_deadline(cx: &mut Cx<'_>) {
    let now = cx.now;
    let all = std::mem::take(&mut cx.state.slots[LANGUAGE_SERVERS].limited);
    let (late, waiting): (Vec<_>, Vec<_>) = all.into_iter().partition(|question| question.until <= now);
    cx.state.slots[LANGUAGE_SERVERS].limited = waiting;
    for question in late {
        (question.then)(cx, None);
    }
}

/// Returns when the next question is no longer waited for, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    state.slots[LANGUAGE_SERVERS].limited.iter().map(|question| question.until).min()
}
