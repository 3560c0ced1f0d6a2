//! Steps from place to place of a text, ends of lines being places too, and the words that one walks over so. Must
//! not know motions or objects.

use crate::text::modal::motion::page::{Class, Page, Step};
use crate::text::position::{Byte, Line};

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Went {
    /// To another character of the line.
    Along,
    /// To the end of the line.
    End,
    /// To another line.
    Over,
    /// There is nothing further.
    Nowhere,
}

/// What a step by words came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// To a word.
    There,
    /// To the border of the text, beyond which there are no more.
    Border,
    /// There was none.
    None,
}

/// A place of a walk.
#[derive(Clone, Copy)]
pub struct Walk<'t> {
    /// The text.
    pub page: Page<'t>,
    /// Where the walk is.
    pub at: Byte,
    /// Whether words are of anything but white space.
    pub big: bool,
}

impl Walk<'_> {
    /// What stands here; white space at the end of a line.
    pub fn class(&self) -> Class {
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

    /// One step on.
    pub fn on(&mut self) -> Went {
        let (step, to) = self.page.next(self.at);
        self.at = to;
        match step {
            Step::Inside => Went::Along,
            Step::LineEnd => Went::End,
            Step::NewLine => Went::Over,
            Step::Nowhere => Went::Nowhere,
        }
    }

    /// One step on, over the end of a line that holds something.
    pub fn on_over(&mut self) -> Went {
        let went = self.on();
        if matches!(went, Went::End | Went::Over) && !self.at_start() { self.on() } else { went }
    }

    /// One step back; from the start of a line to the end of the one before.
    pub fn back(&mut self) -> Went {
        let line = self.page.line(self.at);
        if self.at > self.page.start(line) {
            self.at = self.page.text.prev_grapheme(self.at);
            return Went::Along;
        }
        let Some(above) = line.0.checked_sub(1) else { return Went::Nowhere };
        self.at = self.page.end(Line(above));
        Went::Over
    }

    /// One step back, over the end of a line that holds something.
    pub fn back_over(&mut self) -> Went {
        let went = self.back();
        if went == Went::Over && !self.at_start() { self.back() } else { went }
    }

    /// To the left within the line; tells whether there was a place.
    pub fn left(&mut self) -> bool {
        !self.at_start() && self.back() == Went::Along
    }

    /// To the start of what stands here in the line.
    pub fn run_start(&mut self) {
        let class = self.class();
        while self.left() {
            if self.class() != class {
                self.on();
                return;
            }
        }
    }

    fn skip(&mut self, class: Class, step: fn(&mut Self) -> Went) -> bool {
        while self.class() == class {
            if step(self) == Went::Nowhere {
                return false;
            }
        }
        true
    }

    fn stands_on_empty_line(&self) -> bool {
        self.at_start() && self.on_empty_line()
    }

    /// To the start of the next word; with `stop` to the end of the line where that comes first. None from the
    /// end of the text.
    pub fn word(&mut self, stop: bool) -> Word {
        let class = self.class();
        let last = self.page.line(self.at) == self.page.last_line();
        let ends = |went: Went| matches!(went, Went::End | Went::Over);
        let went = self.on();
        if went == Went::Nowhere || ends(went) && last {
            return Word::None;
        }
        if ends(went) && stop {
            return Word::There;
        }
        while class != Class::Blank && self.class() == class {
            match self.on() {
                Went::Nowhere => return Word::Border,
                went if ends(went) && stop => return Word::There,
                _ => {}
            }
        }
        while self.class() == Class::Blank && !self.stands_on_empty_line() {
            match self.on() {
                Went::Nowhere => return Word::Border,
                went if ends(went) && stop => return Word::There,
                _ => {}
            }
        }
        Word::There
    }

    /// To the end of the word at or behind this place. `stay`: an end that one stands on is one; `empty`: an empty
    /// line is a word.
    pub fn word_end(&mut self, stay: bool, empty: bool) -> Word {
        let class = self.class();
        if self.on() == Went::Nowhere {
            return Word::None;
        }
        if class != Class::Blank && self.class() == class {
            if !self.skip(class, Self::on) {
                return Word::None;
            }
        } else if !stay || class == Class::Blank {
            while self.class() == Class::Blank {
                if empty && self.stands_on_empty_line() {
                    return Word::There;
                }
                if self.on() == Went::Nowhere {
                    return Word::None;
                }
            }
            if !self.skip(self.class(), Self::on) {
                return Word::None;
            }
        }
        self.back();
        Word::There
    }

    /// To the start of the word at or before this place. `stay`: a start that one stands on is one.
    pub fn word_back(&mut self, stay: bool) -> Word {
        let class = self.class();
        if self.back() == Went::Nowhere {
            return Word::None;
        }
        if !stay || class == Class::Blank || class == self.class() {
            while self.class() == Class::Blank {
                if self.stands_on_empty_line() {
                    return Word::There;
                }
                if self.back() == Went::Nowhere {
                    return Word::Border;
                }
            }
            if !self.skip(self.class(), Self::back) {
                return Word::Border;
            }
        }
        self.on();
        Word::There
    }

    /// To the end of the word before; with `stop` to the end of the line before where that comes first.
    pub fn word_end_back(&mut self, stop: bool) -> Word {
        let class = self.class();
        match self.back() {
            Went::Nowhere => return Word::None,
            Went::Over if stop => return Word::There,
            _ => {}
        }
        while class != Class::Blank && self.class() == class {
            match self.back() {
                Went::Nowhere => return Word::Border,
                Went::Over if stop => return Word::There,
                _ => {}
            }
        }
        while self.class() == Class::Blank && !self.stands_on_empty_line() {
            match self.back() {
                Went::Nowhere => return Word::Border,
                Went::Over if stop => return Word::There,
                _ => {}
            }
        }
        Word::There
    }
}
