//! Image limits: some models reject a request with too many images or bytes, and so every later request of
//! the conversation.
//!
//! Pure; must not know any wire format. Which images are dropped depends only on the conversation before, and
//! the oldest are dropped several at a time, so that the cached prefix changes rarely.

use std::collections::VecDeque;

use crate::llm::model::Model;

/// Returns which images are dropped, by message; `sizes` are their bytes as sent. Within a message the last
/// ones are dropped, in the conversation the oldest.
pub fn excluded_images(sizes: &[Vec<u64>], model: &Model) -> Vec<Vec<bool>> {
    let of = |limit: Option<u64>| limit.filter(|limit| *limit > 0).unwrap_or(u64::MAX);
    let limits = model.input_limits.as_ref();
    let images = limits.and_then(|limits| limits.images.as_ref());
    let per_message = of(images.and_then(|images| images.max_per_message));
    let most = of(images.and_then(|images| images.max_per_request));
    // A quarter of the bytes is reserved for other content.
    let bytes = of(limits.and_then(|limits| limits.max_request_bytes));
    let bytes = if bytes == u64::MAX { bytes } else { bytes - bytes / 4 };
    let fits = |at: usize| (at as u64) < per_message;
    let fitting = sizes.iter().flat_map(|sizes| sizes.iter().enumerate().filter(|(at, _)| fits(*at)));
    let mut gone = excess_oldest(fitting.map(|(_, size)| *size), most, bytes);
    let mut out = Vec::with_capacity(sizes.len());
    for sizes in sizes {
        let goes = (0..sizes.len()).map(|at| {
            let old = fits(at) && gone > 0;
            gone -= usize::from(old);
            old || !fits(at)
        });
        out.push(goes.collect());
    }
    out
}

/// Returns how many of the oldest images are dropped at the end of a growing conversation: when the limit is
/// exceeded, enough are dropped to leave room for more. The newest is kept, whatever its size.
fn excess_oldest(sizes: impl Iterator<Item = u64>, most: u64, bytes: u64) -> usize {
    let (mut kept, mut sum, mut gone) = (VecDeque::new(), 0_u64, 0);
    for size in sizes {
        kept.push_back(size);
        sum = sum.saturating_add(size);
        if kept.len() as u64 <= most && sum <= bytes {
            continue;
        }
        while kept.len() > 1 && (kept.len() as u64 > most - most / 4 || sum > bytes - bytes / 3) {
            sum -= kept.pop_front().unwrap_or_default();
            gone += 1;
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{ImageLimits, InputLimits};

    fn model(bytes: Option<u64>, per_message: Option<u64>, per_request: Option<u64>) -> Model {
        let images = ImageLimits { max_per_message: per_message, max_per_request: per_request, resize: None };
        let input_limits = Some(InputLimits { max_request_bytes: bytes, images: Some(images) });
        Model { input_limits, ..Model::unknown("p", "m", "a", "") }
    }

    /// Messages with so many images of ten bytes each: `i` for one that is sent, `t` for one that is
    /// not, a blank between messages.
    fn sent(model: &Model, counts: &[usize]) -> String {
        let sizes: Vec<Vec<u64>> = counts.iter().map(|count| vec![10; *count]).collect();
        let of = |gone: &Vec<bool>| gone.iter().map(|gone| if *gone { 't' } else { 'i' }).collect();
        excluded_images(&sizes, model).iter().map(of).collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn images_oldest_are_dropped_in_batches() {
        let few = model(None, None, Some(8));
        assert_eq!(sent(&few, &[4, 4]), "iiii iiii");
        assert_eq!(sent(&few, &[4, 4, 1]), "ttti iiii i");
        assert_eq!(sent(&few, &[4, 4, 1, 2]), "ttti iiii i ii", "the prefix holds while there is room");
        assert_eq!(sent(&few, &[4, 4, 1, 2, 1]), "tttt ttii i ii i");
        assert_eq!(sent(&model(None, None, Some(1)), &[3]), "tti");
        assert_eq!(sent(&model(None, None, None), &[9]), "iiiiiiiii");
        assert_eq!(sent(&model(None, None, Some(0)), &[2]), "ii", "no limit at all");
        assert_eq!(sent(&Model::default(), &[2]), "ii");
    }

    #[test]
    fn images_byte_and_message_limits() {
        // Thirty bytes are for images.
        let small = model(Some(40), None, None);
        assert_eq!(sent(&small, &[3]), "iii");
        assert_eq!(sent(&small, &[3, 1]), "tti i");
        assert_eq!(sent(&model(Some(4), None, None), &[1, 1]), "t i", "the newest stays");
        assert_eq!(sent(&model(None, Some(2), None), &[3, 2, 4]), "iit ii iitt");
        assert_eq!(sent(&model(None, Some(2), Some(3)), &[3, 2]), "tit ii");
    }

    #[test]
    fn images_longer_conversation_drops_no_fewer() {
        let few = model(None, None, Some(5));
        let left = |count: usize| sent(&few, &vec![1; count]).matches('t').count();
        for count in 1..40 {
            assert!(left(count) <= left(count + 1) && count - left(count) <= 5, "{count}");
            assert!(left(count) < count);
        }
    }
}
