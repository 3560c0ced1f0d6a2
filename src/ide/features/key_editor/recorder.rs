//! A box that takes the next keys: to give them to a command, or to say what they do.

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::{Binding, KeyContext};
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::key_editor::draw;
use crate::ide::features::key_editor::picker;
use crate::ide::features::key_editor::rows::is_text;
use crate::ide::features::key_editor::store::{self, KeyChange};
use crate::tui::canvas::Canvas;
use crate::tui::input::{Key, KeyCode};

/// Keys that a sequence has at most.
const KEYS_MAX: usize = 4;
/// Columns and rows of the box.
const SIZE: (u16, u16) = (72, 9);

/// The keys of a command in one context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The command's id.
    pub command: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The context.
    pub context: KeyContext,
    /// The keys, if there are any.
    pub keys: Option<Vec<Key>>,
}

/// The box.
#[derive(Debug)]
pub struct Recorder {
    /// The command that gets the keys; none to say what they do.
    pub target: Option<Target>,
    /// Where the keys would be pressed.
    pub context: KeyContext,
    /// The keys so far.
    pub keys: Vec<Key>,
}

impl Recorder {
    /// Says what keys do in a context.
    pub fn inspector(context: KeyContext) -> Self {
        Self { target: None, context, keys: Vec::new() }
    }

    /// Takes keys for a command.
    pub fn for_command(target: Target) -> Self {
        Self { context: target.context, target: Some(target), keys: Vec::new() }
    }

    /// Adds a key. What does not wait for another one was complete, and a new sequence begins.
    fn press(&mut self, key: Key, waits: bool) {
        if (self.target.is_none() && !waits) || self.keys.len() >= KEYS_MAX {
            self.keys.clear();
        }
        self.keys.push(key);
    }
}

impl Layer for Recorder {
    fn context(&self) -> KeyContext {
        KeyContext::Dialog
    }

    fn area(&self, (cols, rows): (u16, u16)) -> Rect {
        let (width, height) = (SIZE.0.min(cols), SIZE.1.min(rows));
        Rect::new((cols - width) / 2, (rows - height) / 3, width, height)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw(canvas, self, state);
    }

    fn actions(&self) -> Actions {
        Actions { raw_key: key, paste: |_, _| true, ..Actions::default() }
    }
}

fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    let waits = |state: &State, recorder: &Recorder| {
        let mut chain = recorder.context.chain().iter();
        chain
            .any(|context| matches!(state.keymap.binding(*context, &recorder.keys), Some(Binding::Prefix(_))))
    };
    let is_waiting = cx.state.layers.top::<Recorder>().is_some_and(|recorder| waits(cx.state, recorder));
    let Some(recorder) = cx.state.layers.top_mut::<Recorder>() else { return false };
    let is_plain = key.mods.is_empty();
    match key.code {
        KeyCode::Escape if is_plain => drop(cx.state.pop_layer()),
        KeyCode::Enter if is_plain && recorder.target.is_some() => save(cx),
        KeyCode::Backspace if is_plain && recorder.target.is_some() => drop(recorder.keys.pop()),
        _ => recorder.press(key, is_waiting),
    }
    cx.state.damage.add(Part::Overlay);
    true
}

fn save(cx: &mut Cx<'_>) {
    let Some(recorder) = cx.state.layers.top_mut::<Recorder>().filter(|recorder| !recorder.keys.is_empty())
    else {
        return cx.state.set_status("Press the keys first. Escape cancels");
    };
    if let Some(key) = recorder.keys.first().filter(|key| is_text(recorder.context, **key)) {
        let message = format!("{key} is typed as text there. Use Ctrl, Alt or a function key");
        recorder.keys.clear();
        return cx.state.set_error(message);
    }
    let new = std::mem::take(&mut recorder.keys);
    let Some(target) = recorder.target.take() else { return };
    drop(cx.state.pop_layer());
    if target.keys.as_ref() == Some(&new) {
        return cx.state.set_status("Nothing changed");
    }
    let (command, context) = (target.command, target.context);
    let title = target.title;
    store::change(
        cx,
        KeyChange::Set { command, title, context, old: target.keys, new: Some(new) },
        picker::refresh,
    );
}
