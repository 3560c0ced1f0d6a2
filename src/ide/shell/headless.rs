//! The IDE without a terminal: a script of keys in, pictures of the screen out. It runs the
//! same application over the same events; only bytes and signals are missing.

use std::time::Duration;

use crate::ide::core::event::Event;
use crate::ide::core::options::Options;
use crate::ide::shell::app::App;
use crate::ide::shell::event_source::Pump;
use crate::ide::shell::preload::Feed;
use crate::tui::headless::picture;
use crate::tui::input::{Input, Key};

/// How long a test waits for what never comes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running IDE.
pub struct Headless {
    pump: Pump,
}

impl Headless {
    /// An IDE of that size, started and idle.
    pub async fn start(options: Options, feed: Feed, size: (u16, u16)) -> Self {
        let mut headless = Self { pump: Pump::new(options, feed, size) };
        headless.pump.app.frame();
        headless.pump.connect();
        headless.idle().await;
        headless
    }

    /// The application, for what a picture does not show.
    pub fn app(&mut self) -> &mut App {
        &mut self.pump.app
    }

    /// Presses keys, written as in a key map and separated by spaces, and waits until nothing
    /// is under way.
    pub async fn keys(&mut self, keys: &str) {
        self.press(keys);
        self.idle().await;
    }

    /// Presses keys and waits for nothing.
    pub fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let key: Key = key.parse().unwrap_or_else(|_| panic!("`{key}` is no key"));
            self.input(Input::Key(key));
        }
    }

    /// Types a text, one key per character, and waits until nothing is under way.
    pub async fn text(&mut self, text: &str) {
        for c in text.chars() {
            self.input(Input::Key(Key::char(c)));
        }
        self.idle().await;
    }

    /// Takes in one event of the terminal and draws.
    pub fn input(&mut self, input: Input) {
        self.pump.app.handle(Event::Input(input));
        self.pump.app.frame();
        self.assert_whole();
        self.pump.app.settle();
    }

    /// Nothing that looks different may be forgotten: what was drawn because it was damaged is what is
    /// drawn when everything is.
    fn assert_whole(&mut self) {
        let app = &mut self.pump.app;
        // Matches that a picker found behind the frame with the query are not forgotten: they have the next frame.
        if app.needs_frame() {
            app.frame();
        }
        let (drawn, seen) = (app.screen.buffer().clone(), picture(&app.screen));
        app.state.damage.all();
        app.frame();
        let whole = app.screen.buffer();
        let differs = drawn.content.iter().zip(&whole.content).position(|(drawn, whole)| drawn != whole);
        if let Some(at) = differs {
            let ((x, y), was, is) = (whole.pos_of(at), &drawn.content[at], &whole.content[at]);
            let whole = picture(&app.screen);
            panic!("cell {x}, {y} is {was:?} and ought to be {is:?}; seen:\n{seen}\nas it is:\n{whole}");
        }
    }

    /// Makes the screen another size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.pump.app.handle(Event::Resize(cols, rows));
        self.pump.app.frame();
        self.assert_whole();
    }

    /// Runs until nothing is under way, the agent's run included.
    pub async fn idle(&mut self) {
        self.until("idle", crate::ide::shell::event_source::Pump::is_idle).await;
    }

    /// Runs until the screen shows a text.
    pub async fn shows(&mut self, text: &str) {
        self.until(text, |pump| picture(&pump.app.screen).contains(text)).await;
    }

    /// Runs until a condition holds; panics with the screen when it does not come true.
    pub async fn until(&mut self, what: &str, holds: impl Fn(&Pump) -> bool) {
        let limit = tokio::time::Instant::now() + PATIENCE;
        loop {
            self.pump.app.tick();
            self.pump.app.frame();
            self.pump.app.settle();
            if holds(&self.pump) {
                self.pump.app.frame();
                return self.assert_whole();
            }
            // A task that has just ended tells nobody: look again now and then.
            let pause = tokio::time::sleep(Duration::from_millis(2));
            tokio::select! {
                happened = self.pump.next() => self.pump.take(happened),
                () = pause => {}
            }
            assert!(
                tokio::time::Instant::now() < limit,
                "{what:?} did not come; the screen:\n{}",
                self.picture()
            );
        }
    }

    /// The screen as a picture.
    pub fn picture(&mut self) -> String {
        self.pump.app.frame();
        picture(&self.pump.app.screen)
    }
}
