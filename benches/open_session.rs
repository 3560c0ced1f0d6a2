//! An IDE with a session open, whose event loop a benchmark drives step by step.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowline::agent::AgentEvent;
use bowline::base::paths::Home;
use bowline::exec::local::LocalEnvironment;
use bowline::ide::core::event::Event;
use bowline::ide::core::options::Options;
use bowline::ide::core::ports::{Connect, Ports};
use bowline::ide::core::state::State;
use bowline::ide::core::tasks::threads::Threads;
use bowline::ide::shell::catalog::read_keymap;
use bowline::ide::shell::event_source::EventSource;
use bowline::ide::shell::preload::Preload;
use bowline::llm::model::{Model, StreamEvent};
use bowline::llm::provider::Injected;
use bowline::llm::providers::scripted::Scripted;
use bowline::runtime::lifecycle::options::SessionChoice;
use bowline::runtime::{self, Options as SessionOptions, RuntimeEvent};
use bowline::tui::images::protocol::ImageChoice;
use bowline::tui::input::{Input, Key, Mods, Mouse, MouseKind};
use futures::FutureExt;
use ratatui::buffer::Cell;

pub const SIZE: (u16, u16) = (120, 40);
/// How long nothing may happen before nothing more is expected.
const QUIET: Duration = Duration::from_millis(5);
/// The same between steps of scrolling.
const SHORT_QUIET: Duration = Duration::from_millis(1);

/// An IDE with a session open, on a runtime that must outlive it.
pub struct OpenSession {
    pub source: EventSource,
    pub runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

fn connect(home: Home, cwd: PathBuf, session: PathBuf) -> Connect {
    let provider = Arc::new(Scripted::new("scripted", Vec::new()));
    let models = vec![Arc::new(Model::unknown("scripted", "script", "scripted", ""))];
    Box::new(move |ports| {
        let Ports { env, approval, questions, language_servers } = ports;
        async move {
            runtime::start(SessionOptions {
                session: SessionChoice::Open(session),
                providers: vec![Injected { provider, models }],
                questions: Some(questions),
                language_servers: Some(language_servers),
                ..SessionOptions::new(home, cwd, env, approval)
            })
            .await
        }
        .boxed()
    })
}

fn options(root: &Path, connect: Connect) -> Options {
    Options {
        keymap: read_keymap("default", include_str!("../keymaps/default.toml")).0,
        images: ImageChoice::Kitty,
        connect: Some(connect),
        ..Options::new(root.join("work"), root.into())
    }
}

impl OpenSession {
    /// Opens a session that `write` has put into a folder.
    pub fn new(write: impl FnOnce(&Path) -> PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let root = folder.path().join("home").display().to_string();
        let home =
            Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
        let connect = connect(home, work.clone(), write(folder.path()));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let guard = runtime.enter();
        let env = Arc::new(LocalEnvironment::new(work, []));
        let feed = Preload::start(env, Threads::from_handle(runtime.handle().clone()), Vec::new(), |_| None);
        let mut source = EventSource::new(options(folder.path(), connect), feed, SIZE);
        source.app.screen.set_erase_colored(true);
        source.app.frame();
        source.connect();
        drop(guard);
        let mut session = Self { source, runtime, _folder: folder };
        while session.source.app.session().is_none() {
            session.settle(QUIET);
        }
        session.settle(QUIET);
        session
    }

    /// Handles one event and draws; the milliseconds.
    pub fn handle(&mut self, event: Event) -> f64 {
        let _guard = self.runtime.enter();
        let begun = Instant::now();
        self.source.app.handle(event);
        self.source.app.frame();
        let took = begun.elapsed().as_secs_f64() * 1e3;
        self.source.app.after_frame();
        took
    }

    pub fn press(&mut self, key: &str) -> f64 {
        let key: Key = key.parse().unwrap();
        self.handle(Event::Input(Input::Key(key)))
    }

    /// Handles what tasks bring until none runs and nothing came for a while; the milliseconds of each step on the
    /// loop.
    fn settle(&mut self, quiet: Duration) -> Vec<f64> {
        let mut steps = Vec::new();
        let (source, runtime) = (&mut self.source, &self.runtime);
        runtime.block_on(async {
            loop {
                let next = tokio::time::timeout(quiet, source.next()).await;
                let next = match next {
                    Ok(next) => next,
                    Err(_) if source.app.tasks().is_busy() => continue,
                    Err(_) => return,
                };
                let begun = Instant::now();
                source.app.handle_next(next);
                source.app.frame();
                steps.push(begun.elapsed().as_secs_f64() * 1e3);
                source.app.after_frame();
            }
        });
        steps
    }

    /// Does what tasks bring; the milliseconds of the longest step.
    pub fn longest_step(&mut self) -> f64 {
        self.settle(QUIET).into_iter().fold(0.0, f64::max)
    }

    /// The milliseconds of a key and of each step that it causes, the longest of them.
    pub fn longest_of(&mut self, key: &str) -> f64 {
        let pressed = self.press(key);
        self.settle(QUIET).into_iter().fold(pressed, f64::max)
    }

    /// Turns the mouse wheel once over the conversation; the milliseconds of each step that follows.
    pub fn wheel(&mut self, kind: MouseKind) -> Vec<f64> {
        let wheel = Mouse { kind, col: SIZE.0 - 4, row: 10, mods: Mods::NONE };
        let turned = self.handle(Event::Input(Input::Mouse(wheel)));
        let mut steps = self.settle(SHORT_QUIET);
        steps.push(turned);
        steps
    }
}

/// How long something took.
pub struct Took {
    /// Milliseconds until it was on the screen.
    pub wall: f64,
    /// Milliseconds of the longest step of the event loop.
    pub longest: f64,
}

impl OpenSession {
    /// Handles what comes until a frame with what is waited for has been drawn.
    pub fn wait_until(&mut self, is_reached: impl Fn(&State) -> bool, max: Duration) -> Took {
        let mut done = Took { wall: 0.0, longest: 0.0 };
        let begun = Instant::now();
        let (source, runtime) = (&mut self.source, &self.runtime);
        runtime.block_on(async {
            while !is_reached(&source.app.state) {
                assert!(begun.elapsed() < max, "what is waited for is not reached");
                let next = tokio::time::timeout(QUIET, source.next()).await;
                let step = Instant::now();
                match next {
                    Ok(next) => source.app.handle_next(next),
                    // As at a deadline: the matcher of a list may be done without a signal.
                    Err(_) => source.app.tick(),
                }
                source.app.frame();
                done.longest = done.longest.max(step.elapsed().as_secs_f64() * 1e3);
                done.wall = begun.elapsed().as_secs_f64() * 1e3;
                source.app.after_frame();
            }
        });
        done
    }

    /// The same after a key.
    pub fn press_until(&mut self, key: &str, is_reached: impl Fn(&State) -> bool, max: Duration) -> Took {
        let pressed = self.press(key);
        let done = self.wait_until(is_reached, max);
        Took { wall: pressed + done.wall, longest: pressed.max(done.longest) }
    }

    /// The same until a text is on the screen.
    pub fn press_until_text(&mut self, key: &str, text: &str, max: Duration) -> Took {
        let mut took = Took { wall: 0.0, longest: 0.0 };
        let begun = Instant::now();
        took.longest = self.press(key);
        while !self.shows(text) {
            assert!(begun.elapsed() < max, "{text} is not shown");
            self.source.app.tick();
            took.longest = self.settle(SHORT_QUIET).into_iter().fold(took.longest, f64::max);
        }
        took.wall = begun.elapsed().as_secs_f64() * 1e3;
        took
    }

    /// Whether a text is on one row of the screen.
    fn shows(&self, text: &str) -> bool {
        let buffer = self.source.app.screen.buffer();
        let rows = buffer.content.chunks(usize::from(buffer.area.width).max(1));
        rows.map(|row| row.iter().map(Cell::symbol).collect::<String>()).any(|row| row.contains(text))
    }
}

/// An event of an answer that streams in.
pub fn streamed(event: StreamEvent) -> Event {
    Event::Runtime(RuntimeEvent::Agent(AgentEvent::MessageUpdate(Arc::new(event))))
}
