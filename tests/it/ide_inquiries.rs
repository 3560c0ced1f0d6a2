//! The agent asks the user: options, other words, several questions, and no answer.

use bowline::ide::features::questions::view::QuestionsView;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use serde_json::json;

use crate::support::desk::{Desk, Plan};

/// A desk whose agent asks with pi's tool, which the user has switched on.
async fn asked(questions: Vec<serde_json::Value>) -> Desk {
    let calls = questions.into_iter().enumerate().map(|(n, args)| Step::Call {
        id: format!("q{n}"),
        name: "ask_user".into(),
        arguments: args,
    });
    let turns = [Turn::of(calls.collect()), Turn::text("Thank you.")];
    let mut desk = Plan::new().policy(Mode::OnRequest).tools(&["ask_user"]).turns(turns).start().await;
    desk.say("go").await;
    desk.until("a question", |state| state.layers.top::<QuestionsView>().is_some()).await;
    desk.wait(std::time::Duration::from_millis(500));
    desk
}

fn told(desk: &Desk) -> String {
    let last = desk.script.requests().pop().unwrap();
    last.messages.iter().map(|message| serde_json::to_string(message).unwrap()).collect()
}

#[tokio::test]
async fn an_option_is_chosen() {
    let options =
        json!({"question": "Which colour shall the button have?", "options": ["red", "green", "blue"]});
    let mut desk = asked(vec![options]).await;
    desk.snap("inquiry");
    desk.keys("Down Enter").await;
    desk.ide.idle().await;
    assert!(desk.picture().contains("Thank you."), "{}", desk.picture());
    assert!(told(&desk).contains("Which colour shall the button have?\\ngreen"), "{}", told(&desk));
}

#[tokio::test]
async fn other_words_and_several_options() {
    let first = json!({"question": "Which parts?", "options": ["one", "two", "three"], "multiple": true});
    let second = json!({"question": "Anything else?"});
    let mut desk = asked(vec![first, second]).await;
    desk.ide.press("Space Down Down Space");
    desk.type_now("x");
    desk.snap("inquiry_several");
    desk.ide.press("Enter");
    desk.until("the second question", |state| {
        state.layers.top::<QuestionsView>().is_some_and(|view| view.question().text == "Anything else?")
    })
    .await;
    desk.wait(std::time::Duration::from_millis(500));
    desk.type_now("no, thanks");
    desk.ide.press("Enter");
    desk.ide.idle().await;
    let told = told(&desk);
    assert!(told.contains("one, three, x") && told.contains("no, thanks"), "{told}");
}

#[tokio::test]
async fn nobody_has_to_answer() {
    let mut desk = asked(vec![json!({"question": "Well?"})]).await;
    desk.keys("Escape").await;
    desk.ide.idle().await;
    assert!(told(&desk).contains("did not answer"), "{}", told(&desk));
}
