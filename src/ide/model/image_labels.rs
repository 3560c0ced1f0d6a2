//! Images that go with the message being typed: a label in its text stands for each. Must not know where they come from.

use crate::llm::model::Part;
use crate::llm::model::message::KnownPart;

/// Start of a label.
const START: &str = "[image ";

/// The images, each with the number of its label.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImageLabels(Vec<(usize, Part)>);

impl ImageLabels {
    /// Adds an image; returns its label, which `text` does not have yet.
    pub fn add(&mut self, image: Part, text: &str) -> String {
        let known = self.0.iter().map(|(number, _)| *number).chain(numbers(text));
        let number = known.max().unwrap_or(0) + 1;
        self.0.push((number, image));
        label(number)
    }

    /// Returns the images whose labels are in a text, in their order there, each once.
    pub fn in_text(&self, text: &str) -> Vec<Part> {
        self.shown_in(text).into_iter().map(|(_, part)| part.clone()).collect()
    }

    /// Returns the same, without copies, each with the number of its label.
    pub fn shown_in(&self, text: &str) -> Vec<(usize, &Part)> {
        let image = |number: usize| self.0.iter().find(|(known, _)| *known == number);
        numbers(text).into_iter().filter_map(image).map(|(number, part)| (*number, part)).collect()
    }

    /// Takes the images of a restored message back from its attachments: the last ones, one for each label.
    pub fn of_restored(text: &str, attached: &mut Vec<Part>) -> Self {
        let numbers = numbers(text);
        let is_image = |part: &Part| matches!(part, Part::Known(KnownPart::Image { .. }));
        let images = attached.iter().filter(|part| is_image(part)).count();
        let skipped = images.saturating_sub(numbers.len());
        let (mut seen, mut back) = (0, Vec::new());
        attached.retain(|part| {
            seen += usize::from(is_image(part));
            let is_labelled = is_image(part) && seen > skipped;
            back.extend(is_labelled.then(|| part.clone()));
            !is_labelled
        });
        Self(numbers.into_iter().zip(back).collect())
    }

    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn label(number: usize) -> String {
    format!("{START}{number}]")
}

/// Returns whether a text is a label.
pub fn is_label(text: &str) -> bool {
    let number = text.strip_prefix(START).and_then(|rest| rest.strip_suffix(']'));
    number.is_some_and(|number| {
        !number.is_empty() && number.len() < 6 && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Returns the numbers of the labels in a text, in order, each once.
fn numbers(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for rest in text.match_indices(START).map(|(at, _)| &text[at..]) {
        let label = rest.find(']').map(|end| &rest[..=end]).filter(|label| is_label(label));
        let number = label.and_then(|label| label[START.len()..label.len() - 1].parse().ok());
        found.extend(number.filter(|number| !found.contains(number)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(data: &str) -> Part {
        Part::Known(KnownPart::Image { data: data.to_string(), mime_type: "image/png".to_string() })
    }

    #[test]
    fn prompt_image_goes_with_its_label() {
        let mut labels = ImageLabels::default();
        assert_eq!(labels.add(image("a"), ""), "[image 1]");
        assert_eq!(labels.add(image("b"), "[image 1] and [image 7]"), "[image 8]");
        assert_eq!(labels.in_text("first [image 8], then [image 1] [image 1]"), [image("b"), image("a")]);
        assert_eq!(labels.in_text("[image 1"), []);
        assert_eq!(labels.in_text("[image 8]"), [image("b")]);
        assert_eq!(labels.add(image("a"), ""), "[image 9]");
        assert_eq!(
            labels.in_text("[image 1] [image 9]"),
            [image("a"), image("a")],
            "each label stands for one"
        );
    }

    #[test]
    fn prompt_images_of_restored_message_have_their_labels() {
        let mut attached = vec![image("recalled"), image("a"), image("b")];
        let labels = ImageLabels::of_restored("[image 1] [image 3]", &mut attached);
        assert_eq!(attached, [image("recalled")]);
        assert_eq!(labels.in_text("[image 3]"), [image("b")]);
        let mut attached = vec![image("a"), image("b")];
        ImageLabels::of_restored("[image 1] [image 2] [image 1]", &mut attached);
        assert!(attached.is_empty());
        let mut attached = vec![image("a")];
        assert!(ImageLabels::of_restored("no label", &mut attached).is_empty());
        assert_eq!(attached.len(), 1);
    }

    #[test]
    fn prompt_image_label_is_exact() {
        assert!(is_label("[image 1]") && is_label("[image 12]"));
        for text in ["[image ]", "[image x]", "[image 1] ", "[image 1234567]", "image 1"] {
            assert!(!is_label(text), "{text}");
        }
    }
}
