//! The panel as a layer. It shows the settings of the session, which may change while it is open.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::agent_settings::{commands, draw};
use crate::tui::canvas::Canvas;

/// The panel.
#[derive(Debug, Default)]
pub struct SettingsView {
    /// Index of the selected setting.
    pub selected: usize,
}

impl Layer for SettingsView {
    fn context(&self) -> KeyContext {
        KeyContext::AgentSettings
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        draw::view_area(size)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw(canvas, self, state);
    }

    fn actions(&self) -> Actions {
        Actions { step: commands::step, accept: commands::choose, ..Actions::default() }
    }
}
