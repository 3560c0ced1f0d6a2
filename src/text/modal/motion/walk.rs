//! Steps through a text, where ends of lines are positions, too, and steps by words. Must not know motions or
//! objects.

use crate::text::modal::motion::modal_text::{CharClass, ModalText, StepResult};
use crate::text::position::{Byte, Line};

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkStep {
    /// To another character of the line.
    Along,
    /// To the end of the line.
    End,
    /// To another line.
    Over,
    /// There is no further position.
    Nowhere,
}

/// The result of a step by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordStep {
    /// A word was found.
    Found,
    /// The border of the text, beyond which there are no words.
    Border,
    /// No word.
    None,
}

/// A position in a traversal.
#[derive(Clone, Copy)]
pub struct Walk<'t> {
    /// The text.
    pub page: ModalText<'t>,
    /// The position.
    pub at: Byte,
    /// Whether words are delimited by white space only.
    pub big: bool,
}

impl Walk<'_> {
    /// Returns the class here; white space at the end of a line.
    pub fn class(&self) -> CharClass {
        self.page.class(self.at, self.big)
    }

    /// Whether the line is empty.
    pub fn on_empty_line(&self) -> bool {
        self.page.is_empty_line(self.page.line(self.at))
    }

    /// Whether this is the first column.
    pub fn at_start(&self) -> bool {
        self.at == self.page.start_of(self.at)
    }

    /// One step forward.
    pub fn forward(&mut self) -> WalkStep {
        let (step, to) = self.page.next(self.at);
        self.at = to;
        match step {
            StepResult::Inside => WalkStep::Along,
            StepResult::LineEnd => WalkStep::End,
            StepResult::NewLine => WalkStep::Over,
            StepResult::Nowhere => WalkStep::Nowhere,
        }
    }

    /// One step forward, skipping the end of a non-empty line.
    pub fn forward_over(&mut self) -> WalkStep {
        let went = self.forward();
        if matches!(went, WalkStep::End | WalkStep::Over) && !self.at_start() { self.forward() } else { went }
    }

    /// One step back; from the start of a line to the end of the previous one.
    pub fn back(&mut self) -> WalkStep {
        let line = self.page.line(self.at);
        if self.at > self.page.start(line) {
            self.at = self.page.text.prev_grapheme(self.at);
            return WalkStep::Along;
        }
        let Some(above) = line.0.checked_sub(1) else { return WalkStep::Nowhere };
        self.at = self.page.end(Line(above));
        WalkStep::Over
    }

    /// One step back, skipping the end of a non-empty line.
    pub fn back_over(&mut self) -> WalkStep {
        let went = self.back();
        if went == WalkStep::Over && !self.at_start() { self.back() } else { went }
    }

    /// Left within the line; returns whether it was possible.
    pub fn left(&mut self) -> bool {
        !self.at_start() && self.back() == WalkStep::Along
    }

    /// To the start of the run of this class in the line.
    pub fn run_start(&mut self) {
        let class = self.class();
        while self.left() {
            if self.class() != class {
                self.forward();
                return;
            }
        }
    }

    fn skip(&mut self, class: CharClass, step: fn(&mut Self) -> WalkStep) -> bool {
        while self.class() == class {
            if step(self) == WalkStep::Nowhere {
                return false;
            }
        }
        true
    }

    fn stands_on_empty_line(&self) -> bool {
        self.at_start() && self.on_empty_line()
    }

    /// To the start of the next word; with `stop` to the end of the line if that comes first. `None` from the
    /// end of the text.
    pub fn word(&mut self, stop: bool) -> WordStep {
        let class = self.class();
        let last = self.page.line(self.at) == self.page.last_line();
        let ends = |went: WalkStep| matches!(went, WalkStep::End | WalkStep::Over);
        let went = self.forward();
        if went == WalkStep::Nowhere || ends(went) && last {
            return WordStep::None;
        }
        if ends(went) && stop {
            return WordStep::Found;
        }
        while class != CharClass::Blank && self.class() == class {
            match self.forward() {
                WalkStep::Nowhere => return WordStep::Border,
                went if ends(went) && stop => return WordStep::Found,
                _ => {}
            }
        }
        while self.class() == CharClass::Blank && !self.stands_on_empty_line() {
            match self.forward() {
                WalkStep::Nowhere => return WordStep::Border,
                went if ends(went) && stop => return WordStep::Found,
                _ => {}
            }
        }
        WordStep::Found
    }

    /// To the end of the word at or after this position. `stay`: the present position may be the end;
    /// `empty`: an empty line is a word.
    pub fn word_end(&mut self, stay: bool, empty: bool) -> WordStep {
        let class = self.class();
        if self.forward() == WalkStep::Nowhere {
            return WordStep::None;
        }
        if class != CharClass::Blank && self.class() == class {
            if !self.skip(class, Self::forward) {
                return WordStep::None;
            }
        } else if !stay || class == CharClass::Blank {
            while self.class() == CharClass::Blank {
                if empty && self.stands_on_empty_line() {
                    return WordStep::Found;
                }
                if self.forward() == WalkStep::Nowhere {
                    return WordStep::None;
                }
            }
            if !self.skip(self.class(), Self::forward) {
                return WordStep::None;
            }
        }
        self.back();
        WordStep::Found
    }

    /// To the start of the word at or before this position. `stay`: the present position may be the start.
    pub fn word_back(&mut self, stay: bool) -> WordStep {
        let class = self.class();
        if self.back() == WalkStep::Nowhere {
            return WordStep::None;
        }
        if !stay || class == CharClass::Blank || class == self.class() {
            while self.class() == CharClass::Blank {
                if self.stands_on_empty_line() {
                    return WordStep::Found;
                }
                if self.back() == WalkStep::Nowhere {
                    return WordStep::Border;
                }
            }
            if !self.skip(self.class(), Self::back) {
                return WordStep::Border;
            }
        }
        self.forward();
        WordStep::Found
    }

    /// To the end of the previous word; with `stop` to the end of the previous line if that comes first.
    pub fn word_end_back(&mut self, stop: bool) -> WordStep {
        let class = self.class();
        match self.back() {
            WalkStep::Nowhere => return WordStep::None,
            WalkStep::Over if stop => return WordStep::Found,
            _ => {}
        }
        while class != CharClass::Blank && self.class() == class {
            match self.back() {
                WalkStep::Nowhere => return WordStep::Border,
                WalkStep::Over if stop => return WordStep::Found,
                _ => {}
            }
        }
        while self.class() == CharClass::Blank && !self.stands_on_empty_line() {
            match self.back() {
                WalkStep::Nowhere => return WordStep::Border,
                WalkStep::Over if stop => return WordStep::Found,
                _ => {}
            }
        }
        WordStep::Found
    }
}
