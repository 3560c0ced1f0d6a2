//! Long conversations: the screen begins with their end, and everything before it is there when it is looked for.

use std::fmt::Write as _;

use crate::support::test_ide::{IdeSetup, TestIde};
use bowline::ide::features::transcript::items::TRANSCRIPT;

/// Messages of a conversation: the user, an answer that calls, its result, an answer.
const MANY: usize = 3_200;

/// A session of so many messages. Their texts say the how many-th they are.
fn session(messages: usize) -> String {
    let mut text = String::from(
        r#"{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000000","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/w"}"#,
    );
    text.push('\n');
    let answer = r#""api":"a","provider":"scripted","model":"script","usage":{"totalTokens":7}"#;
    for n in 0..messages {
        let parent = if n == 0 { "null".to_string() } else { format!("\"{:08x}\"", n - 1) };
        let message = match n % 4 {
            0 => format!(r#"{{"role":"user","content":"message {n} said","timestamp":1}}"#),
            1 => format!(
                r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c{n}","name":"bash","arguments":{{"command":"message {n} called"}}}}],{answer},"stopReason":"toolUse"}}"#
            ),
            2 => format!(
                r#"{{"role":"toolResult","toolCallId":"c{}","toolName":"bash","content":[{{"type":"text","text":"message {n} came"}}],"isError":false}}"#,
                n - 1
            ),
            _ => format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"message {n} answered"}}],{answer},"stopReason":"stop"}}"#
            ),
        };
        writeln!(
            text,
            r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"2025-11-20T10:00:00.000Z","message":{message}}}"#
        )
        .unwrap();
    }
    text
}

async fn ide(messages: usize) -> TestIde {
    let mut ide = IdeSetup::new().session_file(&session(messages)).size(100, 30).start().await;
    ide.wait_for("the session", |state| state.agent.connected).await;
    ide.headless.idle().await;
    ide
}

fn items(ide: &mut TestIde) -> usize {
    ide.state().slots[TRANSCRIPT].items().len()
}

/// Which messages are on the screen.
fn visible_messages(ide: &mut TestIde) -> Vec<usize> {
    // Below the border and the title, which is the first message.
    let rows: Vec<String> = ide.picture().lines().skip(2).map(String::from).collect();
    let picture = rows.join("\n");
    let numbers = picture.split("message ").skip(1);
    numbers.filter_map(|rest| rest.split(' ').next()?.parse().ok()).collect()
}

#[tokio::test]
async fn long_session_opens_at_end_with_few_items() {
    let mut few = Vec::new();
    for messages in [800, MANY] {
        let mut ide = ide(messages).await;
        assert!(ide.picture().contains(&format!("message {} answered", messages - 1)));
        assert!(ide.state().slots[TRANSCRIPT].has_earlier());
        few.push(items(&mut ide));
    }
    assert!(few[0] == few[1] && few[0] <= 250, "{few:?} items, however long the conversation is");
}

#[tokio::test]
async fn long_session_hidden_transcript_is_not_loaded() {
    let plan = IdeSetup::new().session_file(&session(MANY)).with("a.txt", "text").size(40, 30);
    let mut ide = plan.start().await;
    ide.wait_for("the session", |state| state.agent.connected).await;
    ide.headless.idle().await;
    assert!(ide.state().areas.transcript.is_none(), "a narrow screen shows the file");
    assert!(items(&mut ide) <= 250, "{} items", items(&mut ide));
}

#[tokio::test]
async fn long_session_page_up_shows_every_message() {
    let mut ide = ide(MANY).await;
    let mut all = visible_messages(&mut ide);
    assert!(all.contains(&(MANY - 1)));
    for _ in 0..MANY {
        if all.contains(&0) {
            break;
        }
        ide.keys("PageUp").await;
        all.extend(visible_messages(&mut ide));
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all, (0..MANY).collect::<Vec<_>>(), "each is on the screen once on the way");
    assert!(!ide.state().slots[TRANSCRIPT].has_earlier());
    assert_eq!(items(&mut ide), MANY / 4 * 3, "a result is shown with its call");
}

#[tokio::test]
async fn long_session_start_loads_and_unloads_at_end() {
    let mut ide = ide(MANY).await;
    let few = items(&mut ide);
    ide.headless.press("Alt-3 Ctrl-Home");
    assert!(ide.picture().contains("Loading the start"), "{}", ide.picture());
    ide.headless.idle().await;
    assert_eq!(visible_messages(&mut ide).first(), Some(&0));
    assert_eq!(ide.status_message(), "");
    assert_eq!(items(&mut ide), MANY / 4 * 3);
    ide.keys("Ctrl-End").await;
    assert_eq!(visible_messages(&mut ide).last(), Some(&(MANY - 1)));
    assert_eq!(items(&mut ide), few, "what is out of sight is let go");
    ide.keys("Ctrl-Home").await;
    assert_eq!(visible_messages(&mut ide).first(), Some(&0), "and comes again");
}

#[tokio::test]
async fn long_session_loading_earlier_keeps_scroll_position() {
    let mut ide = ide(MANY).await;
    let few = items(&mut ide);
    // Keys that come without a pause: what is near the front is asked for with the last frame only.
    for _ in 0..12 {
        ide.headless.press("PageUp");
    }
    let (before, shown) = (ide.picture(), visible_messages(&mut ide));
    ide.headless.idle().await;
    assert!(items(&mut ide) > few, "more is here");
    assert_eq!(ide.picture(), before);
    ide.keys("PageUp").await;
    let last = visible_messages(&mut ide).last().copied().unwrap();
    assert!(shown.contains(&last) || last + 1 == shown[0], "{last} and then {shown:?}");
}

#[tokio::test]
async fn long_session_end_key_cancels_loading_start() {
    let mut ide = ide(MANY).await;
    ide.headless.press("Alt-3 Ctrl-Home Ctrl-End");
    ide.headless.idle().await;
    assert_eq!(visible_messages(&mut ide).last(), Some(&(MANY - 1)));
    assert!(ide.state().slots[TRANSCRIPT].has_earlier(), "no more was fetched than was on its way");
}

#[tokio::test]
async fn long_session_prompt_history_is_complete() {
    let mut ide = ide(MANY).await;
    let history = ide.state().prompt.history.clone();
    let wanted: Vec<String> = (0..MANY / 4).map(|n| format!("message {} said", n * 4)).collect();
    assert_eq!(history, wanted);
}

#[tokio::test]
async fn long_session_tree_search_finds_first_messages() {
    let mut ide = ide(MANY).await;
    ide.keys("Alt-g").await;
    ide.keys("/ Ctrl-u").await;
    ide.type_in("message 4 said").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("message 4 said"), "{}", ide.picture());
    ide.keys("Enter").await;
    ide.wait_for("the place", |state| state.slots[TRANSCRIPT].items().len() == 3).await;
    assert_eq!(visible_messages(&mut ide), [0, 1, 2, 3, 4], "and what was said there is in the prompt");
}

#[tokio::test]
async fn long_session_request_has_all_messages() {
    let plan = IdeSetup::new().session_file(&session(800)).size(100, 30);
    let mut ide = plan.turns([bowline::llm::providers::scripted::Turn::text("on it goes")]).start().await;
    ide.wait_for("the session", |state| state.agent.connected).await;
    ide.prompt("and now").await;
    assert!(ide.picture().contains("on it goes"));
    let request = ide.script.requests().pop().unwrap();
    assert_eq!(request.messages.len(), 801, "the model gets everything");
    ide.keys("Ctrl-Home").await;
    assert_eq!(visible_messages(&mut ide).first(), Some(&0));
}
