//! What is on a ide's screen, and the mouse over it.

use bowline::ide::core::layers::picker::Picker;
use bowline::tui::input::{Button, Input, Mods, Mouse, MouseKind};

use super::TestIde;
use crate::support::snaps;

impl TestIde {
    /// The mouse does something at a cell.
    pub fn mouse(&mut self, kind: MouseKind, col: u16, row: u16) {
        self.headless.input(Input::Mouse(Mouse { kind, col, row, mods: Mods::NONE }));
    }

    /// Presses and releases the main button.
    pub fn click(&mut self, col: u16, row: u16) {
        self.mouse(MouseKind::Down(Button::Left), col, row);
        self.mouse(MouseKind::Up(Button::Left), col, row);
    }

    /// The cell where a text begins on the screen.
    pub fn find(&mut self, text: &str) -> (u16, u16) {
        let picture = self.headless.picture();
        for (y, line) in picture.lines().skip(1).enumerate() {
            if let Some(at) = line.find(text) {
                let before: String = line[..at].chars().skip(1).collect();
                return (bowline::base::width::text_width(&before) as u16, y as u16);
            }
        }
        panic!("no {text:?} on the screen:\n{picture}");
    }

    /// The screen as a picture, without what differs from run to run.
    pub fn picture(&mut self) -> String {
        let temp = self.temp.path().display().to_string();
        self.headless.picture().replace(&temp, "[temp]")
    }

    /// Compares the screen with its stored picture.
    #[track_caller]
    pub fn snap(&mut self, name: &str) {
        let size = self.state().size;
        let mut picture = self.picture();
        // How many commands there are is not what a picture is about.
        if let Some(picker) = self.state().layers.top::<Picker>() {
            let total = picker.total().to_string();
            if total.len() > 2 {
                let hidden = "#".repeat(total.len());
                picture = picture.replace(&format!("{total} / {total} "), &format!("{hidden} / {hidden} "));
                picture = picture.replace(&format!("/ {total} "), &format!("/ {hidden} "));
            }
        }
        snaps::check_screen(name, size, &picture);
    }
}
