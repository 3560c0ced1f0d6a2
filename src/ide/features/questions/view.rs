//! State of user questions: the shown one, chosen options, the input. Must not know where they came from.

use std::collections::BTreeSet;

use tokio::sync::oneshot;

use crate::tools::interaction::questions::{Answer, Question};

/// Maximum bytes of a typed answer.
const TYPED_MAX: usize = 16 << 10;

/// Questions that wait for answers, shown one after the other.
pub struct QuestionsView {
    /// Number of the overlay in this run.
    pub number: u64,
    /// The questions.
    pub questions: Vec<Question>,
    /// Index of the shown question.
    pub at: usize,
    /// The selected row: an option, or after them the typed answer.
    pub row: usize,
    drafts: Vec<Draft>,
    reply: oneshot::Sender<Option<Vec<Answer>>>,
}

/// The answer to one question so far.
#[derive(Debug, Clone, Default)]
struct Draft {
    chosen: BTreeSet<usize>,
    typed: String,
}

impl QuestionsView {
    /// Returns questions without answers.
    pub fn new(number: u64, questions: Vec<Question>, reply: oneshot::Sender<Option<Vec<Answer>>>) -> Self {
        let drafts = vec![Draft::default(); questions.len()];
        Self { number, questions, at: 0, row: 0, drafts, reply }
    }

    /// Returns whether the questions were withdrawn.
    pub fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    /// Returns the shown question.
    pub fn question(&self) -> &Question {
        &self.questions[self.at]
    }

    /// Returns the input for it.
    pub fn typed(&self) -> &str {
        &self.drafts[self.at].typed
    }

    /// Returns whether an option of it is chosen.
    pub fn is_chosen(&self, option: usize) -> bool {
        self.drafts[self.at].chosen.contains(&option)
    }

    /// Whether the row for typing is selected.
    pub fn is_typing(&self) -> bool {
        self.row == self.question().options.len()
    }

    /// Selects another row, clamped to the ends.
    pub fn step(&mut self, by: isize) {
        self.row = self.row.saturating_add_signed(by).min(self.question().options.len());
    }

    /// Appends to the input.
    pub fn type_in(&mut self, text: &str) {
        self.row = self.question().options.len();
        let typed = &mut self.drafts[self.at].typed;
        if typed.len() + text.len() <= TYPED_MAX {
            typed.push_str(text);
        }
    }

    /// Deletes the last character.
    pub fn erase(&mut self) {
        if self.is_typing() {
            self.drafts[self.at].typed.pop();
        }
    }

    /// Clears the input.
    pub fn clear(&mut self) {
        self.drafts[self.at].typed.clear();
    }

    /// Chooses the option of a row, or toggles it where several can be chosen.
    pub fn toggle_option(&mut self, row: usize) {
        let several = self.question().multiple;
        if row >= self.question().options.len() {
            return;
        }
        self.row = row;
        let chosen = &mut self.drafts[self.at].chosen;
        if several {
            if !chosen.remove(&row) {
                chosen.insert(row);
            }
        } else {
            *chosen = BTreeSet::from([row]);
        }
    }

    /// Accepts the answer to the shown question and goes to the next one; `true` after the last. Does nothing
    /// if the answer is empty.
    pub fn accept_answer(&mut self) -> bool {
        let several = self.question().multiple;
        if !self.is_typing() && (!several || self.drafts[self.at].chosen.is_empty()) {
            self.toggle_option(self.row);
        } else if self.is_typing() && !several && !self.typed().trim().is_empty() {
            self.drafts[self.at].chosen.clear();
        }
        if self.answer(self.at).is_empty() {
            return false;
        }
        if self.at + 1 == self.questions.len() {
            return true;
        }
        self.go_to(self.at + 1);
        false
    }

    /// Goes back to the previous question.
    pub fn back(&mut self) {
        if let Some(before) = self.at.checked_sub(1) {
            self.go_to(before);
        }
    }

    fn go_to(&mut self, at: usize) {
        self.at = at;
        let draft = &self.drafts[at];
        let typed = (!draft.typed.is_empty()).then_some(self.questions[at].options.len());
        self.row = draft.chosen.first().copied().or(typed).unwrap_or(0);
    }

    fn answer(&self, at: usize) -> Answer {
        let (question, draft) = (&self.questions[at], &self.drafts[at]);
        let chosen = draft.chosen.iter().map(|option| question.options[*option].label.clone());
        let typed = Some(draft.typed.trim().to_string()).filter(|text| !text.is_empty());
        // With a single answer, text typed before an option was chosen does not count.
        let typed = typed.filter(|_| question.multiple || draft.chosen.is_empty());
        chosen.chain(typed).collect()
    }

    /// Sends the answers.
    pub fn reply(self) {
        let answers = (0..self.questions.len()).map(|at| self.answer(at)).collect();
        self.send_answers(Some(answers));
    }

    /// Reports that there will be no answer.
    pub fn decline(self) {
        self.send_answers(None);
    }

    fn send_answers(self, answers: Option<Vec<Answer>>) {
        if self.reply.send(answers).is_err() {
            tracing::debug!("nobody waits for an answer to the agent's question any more");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::interaction::questions::Choice;

    fn question(text: &str, options: &[&str], several: bool) -> Question {
        let choice = |label: &&str| Choice { label: (*label).to_string(), description: String::new() };
        Question {
            text: text.into(),
            options: options.iter().map(choice).collect(),
            multiple: several,
            ..Question::default()
        }
    }

    fn inquiry(questions: Vec<Question>) -> (QuestionsView, oneshot::Receiver<Option<Vec<Answer>>>) {
        let (reply, answers) = oneshot::channel();
        (QuestionsView::new(1, questions, reply), answers)
    }

    #[test]
    fn question_single_choice_or_typed_answer() {
        let (mut view, mut answers) =
            inquiry(vec![question("a?", &["x", "y"], false), question("b?", &["x", "y"], false)]);
        view.step(1);
        assert!(!view.accept_answer());
        assert_eq!((view.at, view.row), (1, 0));
        view.step(9);
        assert!(view.is_typing() && !view.accept_answer(), "nothing is typed yet");
        view.type_in("zz");
        view.erase();
        assert!(view.accept_answer());
        view.reply();
        assert_eq!(answers.try_recv().unwrap(), Some(vec![vec!["y".to_string()], vec!["z".to_string()]]));
    }

    #[test]
    fn question_multiple_choices_and_typed_answer() {
        let (mut view, mut answers) = inquiry(vec![question("a?", &["x", "y", "z"], true)]);
        view.toggle_option(2);
        view.toggle_option(0);
        view.toggle_option(1);
        view.toggle_option(1);
        view.type_in("and more");
        assert!(view.accept_answer());
        view.reply();
        let all = ["x", "z", "and more"].map(String::from).to_vec();
        assert_eq!(answers.try_recv().unwrap(), Some(vec![all]));
    }

    #[test]
    fn question_back_keeps_earlier_answers() {
        let (mut view, mut answers) =
            inquiry(vec![question("a?", &["x", "y"], false), question("b?", &[], false)]);
        assert!(!view.accept_answer());
        view.type_in("words");
        view.back();
        assert_eq!((view.at, view.row, view.is_chosen(0)), (0, 0, true));
        view.type_in("other");
        assert!(!view.accept_answer());
        assert_eq!(view.typed(), "words");
        assert!(view.accept_answer());
        view.reply();
        let told = vec![vec!["other".to_string()], vec!["words".to_string()]];
        assert_eq!(answers.try_recv().unwrap(), Some(told));
    }

    #[test]
    fn question_decline_sends_none_and_drop_withdraws() {
        let (view, mut answers) = inquiry(vec![question("a?", &["x"], false)]);
        view.decline();
        assert_eq!(answers.try_recv().unwrap(), None);
        let (view, answers) = inquiry(vec![question("a?", &["x"], false)]);
        drop(answers);
        assert!(view.is_withdrawn());
        view.reply();
    }
}
