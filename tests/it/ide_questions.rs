//! The agent asks the user: options, other words, several questions, and no answer.

use bowline::ide::features::questions::view::QuestionsView;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

/// A ide whose agent asks with pi's tool, which the user has switched on.
async fn ide_with_questions(questions: Vec<serde_json::Value>) -> TestIde {
    let calls = questions.into_iter().enumerate().map(|(n, args)| Step::Call {
        id: format!("q{n}"),
        name: "ask_user".into(),
        arguments: args,
    });
    let turns = [Turn::of(calls.collect()), Turn::text("Thank you.")];
    let mut ide = IdeSetup::new().policy(Mode::OnRequest).tools(&["ask_user"]).turns(turns).start().await;
    ide.send_prompt("go").await;
    ide.wait_for("a question", |state| state.layers.top::<QuestionsView>().is_some()).await;
    ide.advance(std::time::Duration::from_millis(500));
    ide
}

fn last_request_text(ide: &TestIde) -> String {
    let last = ide.script.requests().pop().unwrap();
    last.messages.iter().map(|message| serde_json::to_string(message).unwrap()).collect()
}

#[tokio::test]
async fn user_question_selected_option_reaches_model() {
    let options =
        json!({"question": "Which colour shall the button have?", "options": ["red", "green", "blue"]});
    let mut ide = ide_with_questions(vec![options]).await;
    ide.snap("user_question");
    ide.keys("Down Enter").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("Thank you."), "{}", ide.picture());
    assert!(
        last_request_text(&ide).contains("Which colour shall the button have?\\ngreen"),
        "{}",
        last_request_text(&ide)
    );
}

#[tokio::test]
async fn user_question_accepts_multiple_options_and_free_text() {
    let first = json!({"question": "Which parts?", "options": ["one", "two", "three"], "multiple": true});
    let second = json!({"question": "Anything else?"});
    let mut ide = ide_with_questions(vec![first, second]).await;
    ide.headless.press("Space Down Down Space");
    ide.type_without_settling("x");
    ide.snap("user_questions");
    ide.headless.press("Enter");
    ide.wait_for("the second question", |state| {
        state.layers.top::<QuestionsView>().is_some_and(|view| view.question().text == "Anything else?")
    })
    .await;
    ide.advance(std::time::Duration::from_millis(500));
    ide.type_without_settling("no, thanks");
    ide.headless.press("Enter");
    ide.headless.idle().await;
    let told = last_request_text(&ide);
    assert!(told.contains("one, three, x") && told.contains("no, thanks"), "{told}");
}

#[tokio::test]
async fn user_question_escape_sends_no_answer() {
    let mut ide = ide_with_questions(vec![json!({"question": "Well?"})]).await;
    ide.keys("Escape").await;
    ide.headless.idle().await;
    assert!(last_request_text(&ide).contains("did not answer"), "{}", last_request_text(&ide));
}
