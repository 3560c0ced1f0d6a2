//! Model calls that fail and are retried, as the transcript shows them: one notice that counts down.

use std::time::Duration;

use bowline::ide::features::transcript::items::ItemKind;
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::model::{ErrorKind, LlmError};
use bowline::llm::providers::scripted::{Step, Turn};

use crate::support::test_ide::{IdeSetup, TestIde};

/// A turn that fails by overload; the provider asks to wait that long.
fn overloaded_turn(wait: Duration) -> Turn {
    let mut error = LlmError::new(ErrorKind::Server, "scripted", "scripted answered 529: Overloaded");
    error.retry_after = Some(wait);
    Turn::of(vec![Step::Fail(error)])
}

/// The notices of the transcript.
fn transcript_notices(ide: &mut TestIde) -> Vec<String> {
    let items = ide.state().slots[TRANSCRIPT].items().iter();
    items
        .filter_map(
            |item| if let ItemKind::Notice { text, .. } = &item.kind { Some(text.clone()) } else { None },
        )
        .collect()
}

#[tokio::test]
async fn retry_notice_counts_down_and_escape_aborts() {
    let turns = [overloaded_turn(Duration::from_secs(30))];
    let mut ide = IdeSetup::new().size(160, 24).turns(turns).start().await;
    ide.send_prompt("go on").await;
    ide.wait_for_text("Retrying in 30 s (1 of 5, Escape cancels)").await;
    ide.advance(Duration::from_secs(1));
    assert!(ide.picture().contains("Retrying in 29 s"), "{}", ide.picture());
    ide.advance(Duration::from_millis(27_500));
    assert_eq!(
        transcript_notices(&mut ide),
        ["Retrying in 2 s (1 of 5, Escape cancels): scripted answered 529: Overloaded"]
    );
    ide.keys("Escape").await;
    assert_eq!(transcript_notices(&mut ide), ["scripted answered 529: Overloaded (retry canceled)"]);
    assert!(ide.state().agent.working_since.is_none());
    assert_eq!(ide.script.requests().len(), 1, "the run has ended");
}

#[tokio::test]
async fn retry_notice_is_shared_by_all_attempts() {
    let soon = Duration::from_millis(1);
    let turns = [overloaded_turn(soon), overloaded_turn(soon), overloaded_turn(Duration::from_secs(5))];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("go on").await;
    ide.wait_for_text("Retrying in 5 s (3 of 5").await;
    assert_eq!(transcript_notices(&mut ide).len(), 1, "{}", ide.picture());
    ide.advance(Duration::from_secs(5));
    assert!(transcript_notices(&mut ide)[0].starts_with("Retrying now (3 of 5): "), "{}", ide.picture());
}

#[tokio::test]
async fn retry_notice_disappears_when_reply_starts() {
    let soon = Duration::from_millis(1);
    let turns = [overloaded_turn(soon), overloaded_turn(soon), Turn::text("at last")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.prompt("go on").await;
    assert!(transcript_notices(&mut ide).is_empty(), "{}", ide.picture());
    assert!(ide.picture().contains("at last"), "{}", ide.picture());
}

#[tokio::test]
async fn retry_notice_becomes_final_error() {
    let turns = (0..6).map(|_| overloaded_turn(Duration::from_millis(1)));
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.prompt("go on").await;
    assert_eq!(transcript_notices(&mut ide), ["scripted answered 529: Overloaded"]);
    assert_eq!(ide.script.requests().len(), 6);
}
