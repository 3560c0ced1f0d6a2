//! Messages that wait for the working agent: edited, deleted, reordered, delivered at another point.

use bowline::ide::features::message_queue::layer::QueueView;
use bowline::llm::model::Message;
use bowline::llm::model::message::join_text;
use bowline::llm::providers::scripted::{Step, Turn};

use crate::support::test_ide::{IdeSetup, TestIde};

/// An IDE whose agent works until its gate opens, with two messages in each queue.
async fn working() -> TestIde {
    let turns = [
        Turn::of(vec![Step::Text(vec!["working".to_string()]), Step::Gate]),
        Turn::text("first"),
        Turn::text("second"),
        Turn::text("third"),
        Turn::text("fourth"),
    ];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    for (text, key) in
        [("now 1", "Enter"), ("now 2", "Enter"), ("later 1", "Alt-Enter"), ("later 2", "Alt-Enter")]
    {
        ide.type_without_settling(text);
        ide.headless.press(key);
    }
    wait(&mut ide, &["now 1", "now 2"], &["later 1", "later 2"]).await;
    ide
}

async fn wait(ide: &mut TestIde, steering: &[&str], follow_up: &[&str]) {
    let what = format!("the queues {steering:?} {follow_up:?}");
    ide.wait_for(&what, |state| state.agent.steering == steering && state.agent.follow_up == follow_up).await;
}

fn selected(ide: &mut TestIde) -> Option<String> {
    let state = ide.state();
    Some(state.layers.top::<QueueView>()?.current(&state.agent)?.text)
}

/// What the user has said in the last request.
fn said(ide: &TestIde) -> Vec<String> {
    let requests = ide.script.requests();
    let messages = &requests[requests.len() - 1].messages;
    let users = messages.iter().filter_map(|message| match message {
        Message::User(user) => Some(join_text(&user.content)),
        _ => None,
    });
    users.collect()
}

#[tokio::test]
async fn queue_list_reorders_and_changes_delivery() {
    let mut ide = working().await;
    ide.headless.press("Alt-Shift-Up");
    let picture = ide.picture();
    assert!(picture.contains("Queued messages") && picture.contains("▸next   now 1"), "{picture}");
    ide.headless.press("Down");
    ide.headless.press("Alt-Up");
    wait(&mut ide, &["now 2", "now 1"], &["later 1", "later 2"]).await;
    assert_eq!(selected(&mut ide).as_deref(), Some("now 2"), "the selection follows the message");
    ide.headless.press("J J");
    wait(&mut ide, &["now 1"], &["now 2", "later 1", "later 2"]).await;
    assert_eq!(selected(&mut ide).as_deref(), Some("now 2"));
    ide.headless.press("Down Down");
    ide.headless.press("Tab");
    wait(&mut ide, &["now 1", "later 2"], &["now 2", "later 1"]).await;
    assert_eq!(selected(&mut ide).as_deref(), Some("later 2"));
    ide.headless.press("Escape");
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    assert_eq!(said(&ide), ["begin", "now 1", "later 2", "now 2", "later 1"]);
}

#[tokio::test]
async fn queue_list_edits_and_deletes_one_message() {
    let mut ide = working().await;
    ide.type_without_settling("draft");
    ide.headless.press("Alt-Shift-Up");
    ide.headless.press("Delete");
    wait(&mut ide, &["now 2"], &["later 1", "later 2"]).await;
    ide.headless.press("Down Enter");
    wait(&mut ide, &["now 2"], &["later 2"]).await;
    ide.wait_for("the text", |state| state.prompt.area.text().to_string() == "later 1\n\ndraft").await;
    assert!(ide.state().layers.is_empty());
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    assert_eq!(said(&ide), ["begin", "now 2", "later 2"]);
}

#[tokio::test]
async fn queue_list_closes_when_all_messages_are_delivered() {
    let mut ide = working().await;
    ide.headless.press("Alt-Shift-Up");
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    assert!(ide.state().layers.is_empty());
    assert_eq!(said(&ide), ["begin", "now 1", "now 2", "later 1", "later 2"]);
    ide.keys("Alt-Shift-Up").await;
    assert_eq!(ide.status_message(), "No queued messages");
}
