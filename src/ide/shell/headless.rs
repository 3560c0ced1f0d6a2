//! The IDE without a terminal: a script of keys in, pictures of the screen out. Runs the same application on
//! the same events; only bytes and signals are missing.
//!
//! Results of tasks are held until no more events come, and then delivered one by one in an order determined
//! by a seed, so that tests try different orders independently of the scheduler.

use std::time::Duration;

use futures::FutureExt;

use crate::ide::core::context::{Completion, Order};
use crate::ide::core::event::{Event, NextEvent};
use crate::ide::core::options::Options;
use crate::ide::shell::app::App;
use crate::ide::shell::event_source::EventSource;
use crate::ide::shell::preload::Preload;
use crate::tui::headless::{picture, picture_of};
use crate::tui::input::{Input, Key};

/// How long a test waits before it fails.
const TIMEOUT: Duration = Duration::from_mins(1);

/// How long a running task may hold back the results of others.
const QUIET: Duration = Duration::from_millis(2);

/// How often other tasks of the thread get their turn before nothing counts as ready.
const YIELDS: usize = 16;

/// A running IDE.
pub struct Headless {
    event_source: EventSource,
    held_answers: HeldAnswers,
    /// The bytes of the frames since they were taken, if they are wanted.
    output: Option<Vec<u8>>,
}

/// Results of tasks that were not delivered yet.
struct HeldAnswers {
    seed: u64,
    random: fastrand::Rng,
    answers: Vec<Completion>,
}

impl HeldAnswers {
    fn new(seed: u64) -> Self {
        Self { seed, random: fastrand::Rng::with_seed(seed), answers: Vec::new() }
    }

    /// Returns the event if it is to be handled now. The result of a task is held.
    fn hold(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Done(answer) if answer.order() == Order::Any => {
                self.answers.push(answer);
                None
            }
            event => Some(event),
        }
    }

    /// Takes one of the held results, chosen by the seed.
    fn draw(&mut self) -> Option<Event> {
        let at = (0..self.answers.len()).nth(self.random.usize(..self.answers.len().max(1)))?;
        Some(Event::Done(self.answers.swap_remove(at)))
    }
}

impl Headless {
    /// Starts an IDE of this size and waits until it is idle. `seed` determines the order in which results of
    /// tasks are delivered.
    /// Before its session has started, `early` keys are pressed, written as for [`Self::keys`].
    pub async fn start(options: Options, feed: Preload, size: (u16, u16), seed: u64, early: &str) -> Self {
        let mut headless = Self {
            event_source: EventSource::new(options, feed, size),
            held_answers: HeldAnswers::new(seed),
            output: None,
        };
        headless.event_source.app.frame();
        headless.press(early);
        headless.event_source.connect();
        headless.idle().await;
        headless
    }

    /// Returns the application, to inspect what a picture does not show.
    pub fn app(&mut self) -> &mut App {
        &mut self.event_source.app
    }

    /// Presses keys, written as in a key map and separated by spaces, and waits until the IDE is idle.
    pub async fn keys(&mut self, keys: &str) {
        self.press(keys);
        self.idle().await;
    }

    /// Presses keys without waiting.
    pub fn press(&mut self, keys: &str) {
        let parse = |key: &str| key.parse().unwrap_or_else(|_| panic!("`{key}` is no key"));
        self.press_all(keys.split_whitespace().map(parse));
    }

    /// Presses keys without waiting. Each has a frame of its own; the last one is checked.
    pub fn press_all(&mut self, keys: impl IntoIterator<Item = Key>) {
        for key in keys {
            self.unchecked_key(key);
        }
        self.assert_no_missed_damage();
    }

    fn unchecked_key(&mut self, key: Key) {
        self.event_source.app.handle(Event::Input(Input::Key(key)));
        self.frame();
        self.event_source.app.after_frame();
    }

    /// Types a text, one key per character, and waits until the IDE is idle.
    pub async fn text(&mut self, text: &str) {
        for c in text.chars() {
            self.unchecked_key(Key::char(c));
        }
        self.idle().await;
    }

    /// Handles one event of the terminal and draws.
    pub fn input(&mut self, input: Input) {
        self.event_source.app.handle(Event::Input(input));
        self.checked_frame();
    }

    /// Does what is due and draws.
    pub fn tick(&mut self) {
        self.event_source.app.tick();
        self.checked_frame();
    }

    /// Handles up to `most` events that are ready, from the session, tasks and pickers, each with a frame of its own,
    /// and waits for none. Returns their number.
    pub async fn handle_ready(&mut self, most: usize) -> usize {
        for handled in 0..most {
            let Some(event) = self.next_ready().await else { return handled };
            self.event_source.app.handle_next(event);
            self.checked_frame();
        }
        most
    }

    /// Returns an event that is ready once all that can go on without waiting has done so; at last a held result.
    async fn next_ready(&mut self) -> Option<NextEvent> {
        for _ in 0..YIELDS {
            while let Some(next) = self.event_source.next().now_or_never() {
                match next {
                    NextEvent::Wake => return Some(NextEvent::Wake),
                    NextEvent::Event(event) => {
                        if let Some(event) = self.held_answers.hold(*event) {
                            return Some(NextEvent::Event(Box::new(event)));
                        }
                    }
                }
            }
            tokio::task::yield_now().await;
        }
        self.held_answers.draw().map(|event| NextEvent::Event(Box::new(event)))
    }

    /// Draws a frame as the event loop does, and checks it.
    fn checked_frame(&mut self) {
        self.frame();
        self.assert_no_missed_damage();
        self.event_source.app.after_frame();
    }

    /// Returns whether colors that have arrived wait for a frame that is drawn for another reason.
    fn has_deferred_colors(&self) -> bool {
        let state = &self.event_source.app.state;
        let shown = || state.visible_rows.iter().chain(&state.other_visible_rows).map(|view| view.buffer);
        let mut buffers = state.buffers.all().iter();
        buffers.any(|buffer| buffer.highlighting.has_deferred() && shown().any(|id| id == buffer.id))
    }

    /// Draws a frame; its bytes are kept if they are wanted.
    fn frame(&mut self) {
        let bytes = self.event_source.app.frame();
        if let Some(output) = &mut self.output {
            output.extend_from_slice(&bytes);
        }
    }

    /// Returns the bytes of the frames since the last call. The first call begins to keep them, with a frame that
    /// draws everything, and returns that one.
    pub fn take_output(&mut self) -> Vec<u8> {
        if self.output.is_none() {
            self.output = Some(Vec::new());
            let app = &mut self.event_source.app;
            app.screen.repaint();
            app.state.damage.add_all();
            self.frame();
        }
        self.output.replace(Vec::new()).unwrap_or_default()
    }

    /// Asserts that no damage was missed: drawing what is damaged gives the same screen as drawing
    /// everything. Colors that are held back for a pause in typing would differ, and are no damage yet.
    fn assert_no_missed_damage(&mut self) {
        if self.has_deferred_colors() {
            return;
        }
        let app = &mut self.event_source.app;
        // Matches that a picker found after the frame with the query appear in the next frame.
        if app.needs_frame() {
            self.frame();
        }
        let app = &mut self.event_source.app;
        let drawn = app.screen.buffer().clone();
        app.state.damage.add_all();
        self.frame();
        let app = &self.event_source.app;
        let full = app.screen.buffer();
        let differs = drawn.content.iter().zip(&full.content).position(|(drawn, full)| drawn != full);
        if let Some(at) = differs {
            let ((x, y), was, is) = (full.pos_of(at), &drawn.content[at], &full.content[at]);
            let seen = picture_of(&drawn, app.screen.cursor());
            let full = picture(&app.screen);
            panic!("cell {x}, {y} is {was:?} and ought to be {is:?}; seen:\n{seen}\nas it is:\n{full}");
        }
    }

    /// Resizes the screen.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.event_source.app.handle(Event::Resize(cols, rows));
        self.checked_frame();
    }

    /// Runs until the IDE is idle, including the agent's run.
    pub async fn idle(&mut self) {
        self.run_until("idle", |source, held| held.answers.is_empty() && source.is_idle()).await;
    }

    /// Runs until the screen shows a text.
    pub async fn shows(&mut self, text: &str) {
        self.until(text, |source| picture(&source.app.screen).contains(text)).await;
    }

    /// Runs until a condition holds; panics with the screen if it never does.
    pub async fn until(&mut self, label: &str, holds: impl Fn(&EventSource) -> bool) {
        self.run_until(label, |source, _| holds(source)).await;
    }

    async fn run_until(&mut self, label: &str, holds: impl Fn(&EventSource, &HeldAnswers) -> bool) {
        let limit = tokio::time::Instant::now() + TIMEOUT;
        loop {
            self.event_source.app.tick();
            self.frame();
            self.event_source.app.after_frame();
            if holds(&self.event_source, &self.held_answers) {
                self.frame();
                return self.assert_no_missed_damage();
            }
            self.step().await;
            if tokio::time::Instant::now() >= limit {
                let (seed, picture) = (self.held_answers.seed, self.picture());
                panic!("{label:?} did not come with the seed {seed}; the screen:\n{picture}");
            }
        }
    }

    /// Handles what is ready; otherwise one of the held results, or the next event.
    async fn step(&mut self) {
        let mut quiet = true;
        while let Some(event) = self.event_source.try_next() {
            quiet = false;
            self.take(event);
        }
        if quiet && !self.event_source.app.tasks().is_busy() && self.deliver() {
            return;
        }
        tokio::select! {
            happened = self.event_source.next() => match happened {
                NextEvent::Event(event) => self.take(*event),
                NextEvent::Wake => self.event_source.handle(NextEvent::Wake),
            },
            // The end of a task gives no event: check again periodically.
            () = tokio::time::sleep(QUIET) => {
                self.deliver();
            }
        }
    }

    fn take(&mut self, event: Event) {
        if let Some(event) = self.held_answers.hold(event) {
            self.event_source.app.handle(event);
        }
    }

    /// Delivers one of the held results, if there is one.
    fn deliver(&mut self) -> bool {
        let Some(answer) = self.held_answers.draw() else { return false };
        self.event_source.app.handle(answer);
        true
    }

    /// The screen as a picture.
    pub fn picture(&mut self) -> String {
        self.frame();
        picture(&self.event_source.app.screen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use parking_lot::Mutex;

    use crate::ide::core::context::{CompletionQueue, Tasks};
    use crate::ide::core::tasks::threads::Threads;

    #[derive(Default)]
    struct Arrived(Mutex<Vec<Completion>>);

    impl CompletionQueue for Arrived {
        fn put(&self, completion: Completion) -> futures::future::BoxFuture<'_, ()> {
            self.0.lock().push(completion);
            Box::pin(std::future::ready(()))
        }

        fn put_blocking(&self, completion: Completion) {
            self.0.lock().push(completion);
        }
    }

    /// The names of three answers of tasks, in the order of that seed.
    async fn order(seed: u64) -> Vec<&'static str> {
        let arrived = Arc::new(Arrived::default());
        let tasks = Tasks::new(Threads::from_handle(tokio::runtime::Handle::current()), arrived.clone());
        for name in ["a", "b", "c"] {
            tasks.spawn(name, async {}, |_, _| {});
            while tasks.is_busy() {
                tokio::task::yield_now().await;
            }
        }
        tasks.post("d", |_| {}).await;
        let mut held = HeldAnswers::new(seed);
        let arrived = std::mem::take(&mut *arrived.0.lock());
        let at_once: Vec<_> =
            arrived.into_iter().filter_map(|answer| held.hold(Event::Done(answer))).collect();
        assert!(matches!(&at_once[..], [Event::Done(posted)] if posted.name() == "d"));
        let drawn = std::iter::from_fn(|| held.draw());
        drawn.map(|event| if let Event::Done(answer) = event { answer.name() } else { "" }).collect()
    }

    #[tokio::test]
    async fn headless_seed_reproduces_answer_order() {
        let mut orders = std::collections::BTreeSet::new();
        for seed in 0..64 {
            let first = order(seed).await;
            assert_eq!(first, order(seed).await);
            orders.insert(first);
        }
        assert_eq!(orders.len(), 6);
    }
}
