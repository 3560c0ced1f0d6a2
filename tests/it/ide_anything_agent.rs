//! An agent at work while anything happens: its answer comes in step by step, with calls, images, questions, agents of
//! its own and errors, between keys of every context, commands, pastes, mouse events, sizes and time. After each event
//! the partial redraw equals a full one, and a terminal that got only the differences shows the same; at the end
//! nothing still runs, and what was edited can be undone.
//!
//! `BOWLINE_EVENTS=200000` hunts: with that many events, `BOWLINE_SEED=7` being the first of its seeds.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bowline::ide::core::keys::keymap::{BUILTIN, KeyContext, Keymap};
use bowline::ide::features::agent::commands::interrupt;
use bowline::ide::model::buffers::BufferId;
use bowline::ide::shell::catalog::CATALOG;
use bowline::tools::Mode;
use bowline::tui::images::protocol::ImageChoice;
use bowline::tui::input::{Button, Input, MouseKind};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::support::random_agent::{self, CHANGED, CHANGED_TEXT};
use crate::support::replica::Replica;
use crate::support::seeds;
use crate::support::test_ide::{IdeSetup, TestIde};

/// A file that only the user edits.
const OWN: &str = "a.rs";
const OWN_TEXT: &str =
    "fn main() {\n\tlet 漢字 = \"e\u{301}\"; // no end\n    call(one, two);\n}\n\nlast line";
/// Characters that are typed, those that begin completions and commands among them.
const TYPED: [&str; 18] =
    ["a", " ", "(", "/", "@", "!", ":", "9", "y", "n", "r", "é", "漢", "\u{301}", "🇩", "/mo", "@a", "#"];
/// What is said to the agent.
const SAID: [&str; 9] =
    ["go", "look at @a.rs ", "/model", "/unknown", "!echo told", "!!echo kept", "/compact", "two words", "@"];
/// Keys that answer what the agent asks.
const ANSWERS: [&str; 13] =
    ["y", "n", "a", "s", "l", "e", "r", "w", "Enter", "Escape", "Down Enter", "End y", "Space Enter"];
const SIZES: [(u16, u16); 8] = [(120, 40), (80, 24), (80, 24), (200, 50), (40, 12), (20, 5), (7, 3), (1, 1)];
/// What leads out of the program, writes files that must stay, or asks a server.
const NOT_RUN: [&str; 14] = [
    "app.quit",
    "file.save",
    "file.save-all",
    "file.save-as",
    "file.close",
    "vim.save-and-close",
    "vim.close",
    "agent.login",
    "agent.logout",
    "agent.refresh-models",
    "workspace.apply",
    "edit.pipe",
    "edit.insert-output",
    "session.import",
];
/// The keys before those of a command that has none in a key map.
const PREFIX: &str = "Ctrl-Alt-F12";
/// Events that this process has seen in properties of this file.
static EVENTS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone)]
enum Action {
    /// Keys of any context.
    Keys(String),
    /// One of the keys of the context that has them.
    ContextKey(usize),
    Type(&'static str),
    /// A message to the agent, or a command to its prompt.
    Say(&'static str),
    /// An answer to what is asked, after a time in which nobody types.
    Answer(&'static str),
    Paste(String),
    PasteImage,
    Mouse(MouseKind, u16, u16),
    Resize(u16, u16),
    Focus(bool),
    Wait(u64),
    /// The agent goes on: so many of its gates are opened, at most so many events handled.
    Work(usize, usize),
}

/// What a case consists of, beside the agent's script.
#[derive(Debug, Clone)]
struct Plan {
    keymap: &'static str,
    images: ImageChoice,
    mode: Mode,
    checkpoints: bool,
    /// Whether the screen is drawn for screen readers.
    accessible: bool,
    /// Whether pastes have characters about whose width terminals disagree; their cells are not compared then.
    any_text: bool,
    turns: Vec<bowline::llm::providers::scripted::Turn>,
}

/// The keys of a key map: those of each context, and two letters behind a prefix for each other command.
struct Keys {
    text: String,
    all: Vec<String>,
    by_context: BTreeMap<&'static str, Vec<String>>,
}

static KEYS: LazyLock<BTreeMap<&'static str, Keys>> =
    LazyLock::new(|| BUILTIN.iter().map(|(name, _)| (*name, Keys::new(name))).collect());

impl Keys {
    fn new(name: &str) -> Self {
        let text = keymap_text(name);
        let (map, problems) = Keymap::parse(&text, |id| Some(id.to_string()));
        assert_eq!(problems, []);
        let keys = |place: KeyContext| {
            let rows = map.bindings(place).into_iter();
            rows.filter(|(_, id)| !NOT_RUN.contains(&id.as_str())).map(|(keys, _)| keys).collect::<Vec<_>>()
        };
        let by_context: BTreeMap<_, _> =
            KeyContext::ALL.into_iter().map(|place| (place.name(), keys(place))).collect();
        let all = by_context.values().flatten().cloned().collect();
        Self { text, all, by_context }
    }

    /// The keys of a context and of those that it falls back to.
    fn in_context(&self, place: KeyContext) -> Vec<&str> {
        let places = place.chain().iter();
        places.flat_map(|place| &self.by_context[place.name()]).map(String::as_str).collect()
    }
}

/// A key map with keys for every command that is not one of a modal map.
fn keymap_text(name: &str) -> String {
    let ids = CATALOG.commands().map(|command| command.id);
    let ids = ids.filter(|id| !NOT_RUN.contains(id) && !id.starts_with("vim.") && !id.starts_with("helix."));
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    let row = |(n, id): (usize, &str)| format!("\"{PREFIX} {} {}\" = \"{id}\"\n", letter(n / 26), letter(n));
    let rows = ids.enumerate().map(row).collect::<String>();
    let text = BUILTIN.iter().find(|(known, _)| *known == name).unwrap().1;
    let table = "[global]\n";
    match text.split_once(table) {
        Some((before, after)) => [before, table, &rows, after].concat(),
        None => [text, "\n", table, &rows].concat(),
    }
}

fn plan() -> impl Strategy<Value = Plan> {
    let keymap = prop::sample::select(BUILTIN.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let images = prop::sample::select(vec![
        ImageChoice::Kitty,
        ImageChoice::Kitty,
        ImageChoice::HalfBlocks,
        ImageChoice::Sixel,
        ImageChoice::Iterm2,
    ]);
    let mode = prop::sample::select(vec![Mode::Untrusted, Mode::OnRequest, Mode::Full]);
    let any_text = prop::bool::weighted(0.3);
    let accessible = prop::bool::weighted(0.25);
    (keymap, images, mode, any::<bool>(), accessible, any_text, random_agent::turns()).prop_map(
        |(keymap, images, mode, checkpoints, accessible, any_text, turns)| Plan {
            keymap,
            images,
            mode,
            checkpoints,
            accessible,
            any_text,
            turns,
        },
    )
}

fn case(most: usize) -> impl Strategy<Value = (Plan, Vec<Action>)> {
    plan().prop_flat_map(move |plan| {
        let actions = prop::collection::vec(action(plan.keymap, plan.any_text), most / 4..most);
        (Just(plan), actions)
    })
}

fn action(keymap: &'static str, any_text: bool) -> impl Strategy<Value = Action> {
    let long = || "[a-z \n]{0,80}".prop_map(|line| format!("{line}\n").repeat(12));
    let odd = if any_text { any::<String>().boxed() } else { "[a-z漢é\n\t ]{0,30}".boxed() };
    let paste = prop_oneof![4 => "[a-z\n\t]{0,12}", 2 => odd, 1 => long()];
    prop_oneof![
        12 => any::<usize>().prop_map(Action::ContextKey),
        8 => prop::sample::select(KEYS[keymap].all.clone()).prop_map(Action::Keys),
        8 => prop::sample::select(&TYPED[..]).prop_map(Action::Type),
        4 => prop::sample::select(&SAID[..]).prop_map(Action::Say),
        3 => prop::sample::select(&ANSWERS[..]).prop_map(Action::Answer),
        2 => paste.prop_map(Action::Paste),
        1 => Just(Action::PasteImage),
        5 => mouse(),
        2 => prop::sample::select(&SIZES[..]).prop_map(|(cols, rows)| Action::Resize(cols, rows)),
        1 => any::<bool>().prop_map(Action::Focus),
        3 => prop::sample::select(vec![1, 30, 300, 700, 4_000, 40_000]).prop_map(Action::Wait),
        10 => (0..4_usize, 1..12_usize).prop_map(|(gates, most)| Action::Work(gates, most)),
    ]
}

fn mouse() -> impl Strategy<Value = Action> {
    let button = || prop::sample::select(vec![Button::Left, Button::Left, Button::Middle, Button::Right]);
    let kind = prop_oneof![
        3 => button().prop_map(MouseKind::Down),
        2 => button().prop_map(MouseKind::Drag),
        3 => button().prop_map(MouseKind::Up),
        1 => Just(MouseKind::Moved),
        2 => Just(MouseKind::ScrollUp),
        2 => Just(MouseKind::ScrollDown),
        1 => Just(MouseKind::ScrollLeft),
        1 => Just(MouseKind::ScrollRight),
    ];
    (kind, 0..130_u16, 0..45_u16).prop_map(|(kind, col, row)| Action::Mouse(kind, col, row))
}

/// An IDE, and the terminal that shows it.
struct Stage {
    ide: TestIde,
    keys: &'static Keys,
    terminal: Replica,
    any_text: bool,
    /// Actions so far.
    actions: usize,
    /// The files that are open at the start, and their texts. A file of the same name may be another one later.
    files: Vec<(BufferId, &'static str)>,
}

/// A full redraw is shown after so many actions; what a difference misses mostly stays until then.
const ACTIONS_A_REDRAW: usize = 4;

impl Stage {
    async fn new(plan: Plan) -> Self {
        let keys = &KEYS[plan.keymap];
        let setup = IdeSetup::new().keymap(&keys.text).images(plan.images).policy(plan.mode);
        let setup = setup.accessible(plan.accessible);
        let setup = if plan.checkpoints { setup.checkpoints() } else { setup };
        let setup = setup.with(OWN, OWN_TEXT).with(CHANGED, CHANGED_TEXT).tools(random_agent::TOOLS);
        let setup = setup.file(random_agent::IMAGE, random_agent::image()).turns(plan.turns);
        let ide = setup.start().await;
        let terminal = Replica::new((80, 24), plan.images == ImageChoice::Kitty);
        let mut stage = Self { ide, keys, terminal, any_text: plan.any_text, actions: 0, files: Vec::new() };
        let text = |path: &Path| if path.ends_with(OWN) { OWN_TEXT } else { CHANGED_TEXT };
        let opened = stage.ide.state().buffers.all().iter();
        stage.files = opened.filter_map(|buffer| Some((buffer.id, text(buffer.path.as_deref()?)))).collect();
        assert_eq!(stage.files.len(), 2);
        stage.check();
        stage
    }

    /// Shows on the terminal what was drawn since the last time.
    fn check(&mut self) {
        let bytes = self.ide.headless.take_output();
        let screen = &self.ide.headless.app().screen;
        self.terminal.process(screen.size(), &bytes);
        self.actions += 1;
        if self.any_text || !self.actions.is_multiple_of(ACTIONS_A_REDRAW) {
            self.terminal.check_images(screen);
        } else {
            self.terminal.check(screen);
        }
    }

    async fn run(&mut self, action: Action) {
        EVENTS.fetch_add(1, Ordering::Relaxed);
        let ide = &mut self.ide;
        match action {
            Action::Keys(keys) => ide.headless.press(&keys),
            Action::ContextKey(n) => {
                let keys = self.keys.in_context(ide.state().key_context());
                if !keys.is_empty() {
                    ide.headless.press(keys[n % keys.len()]);
                }
            }
            Action::Type(text) => ide.type_without_settling(text),
            Action::Say(text) => {
                ide.headless.press("Alt-3");
                ide.type_without_settling(text);
                ide.headless.press("Enter");
            }
            Action::Answer(keys) => {
                ide.advance(Duration::from_millis(700));
                ide.headless.press("Alt-3");
                ide.advance(Duration::from_millis(700));
                ide.headless.press(keys);
            }
            Action::Paste(text) => ide.headless.input(Input::Paste(text)),
            Action::PasteImage => {
                let path = ide.path(random_agent::IMAGE).display().to_string();
                ide.headless.input(Input::Paste(path));
            }
            Action::Mouse(kind, col, row) => ide.mouse(kind, col, row),
            Action::Resize(cols, rows) => ide.headless.resize(cols, rows),
            Action::Focus(has_focus) => ide.headless.input(Input::Focus(has_focus)),
            Action::Wait(milliseconds) => ide.advance(Duration::from_millis(milliseconds)),
            Action::Work(gates, most) => {
                ide.script.gate.add_permits(gates);
                let handled = ide.headless.handle_ready(most).await;
                EVENTS.fetch_add(handled as u64, Ordering::Relaxed);
            }
        }
        self.check();
    }

    /// Ends what the agent does, waits until nothing runs, and takes all edits back.
    async fn finish(mut self) {
        self.ide.script.gate.close();
        // Messages that were sent, or wait for their images, may begin another turn, which must not ask anything.
        self.ide.script.end();
        self.ide.state().prompt.take_awaited();
        while self.ide.state().agent.working_since.is_some() {
            self.ide.headless.app().with_cx(interrupt);
            self.ide.headless.handle_ready(64).await;
            self.check();
        }
        // Random words may be the name of a program that waits for its user.
        let ended = self.ide.headless.app().end_shell_commands();
        self.ide.headless.idle().await;
        ended.await;
        self.check();
        for (id, text) in self.files {
            let Some(buffer) = self.ide.state().buffers.get_mut(id) else { continue };
            while buffer.area.undo().is_some() {}
            assert_eq!(buffer.area.text().to_string(), text, "{:?}", buffer.path);
        }
    }
}

async fn run_case(plan: Plan, actions: Vec<Action>) {
    let mut stage = Stage::new(plan).await;
    for action in actions {
        stage.run(action).await;
        if stage.ide.state().quit {
            break;
        }
    }
    Box::pin(stage.finish()).await;
}

fn run(config: &Config, most: usize) {
    // Hundreds of events are of no use in a file; the seed brings them back.
    let config = Config { failure_persistence: None, ..config.clone() };
    let result = TestRunner::new(config).run(&case(most), |(plan, actions)| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run_case(plan, actions));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

#[expect(clippy::print_stderr, reason = "how much a hunt has tried is for a person")]
fn log(text: &str) {
    eprintln!("{text}");
}

#[test]
fn ide_random_events_while_agent_works_keep_invariants() {
    let Some(events) = number("BOWLINE_EVENTS") else {
        return run(&seeds::cases(20), 60);
    };
    for seed in number("BOWLINE_SEED").unwrap_or(1).. {
        let shrink = Config { max_shrink_iters: 200, max_shrink_time: 40_000, ..Config::default() };
        run(&Config { cases: 20, rng_seed: RngSeed::Fixed(seed), ..shrink }, 400);
        let seen = EVENTS.load(Ordering::Relaxed);
        log(&format!("seed {seed} is done, {seen} events in all"));
        if seen >= events {
            return;
        }
    }
}
