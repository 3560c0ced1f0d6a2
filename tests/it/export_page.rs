//! A session's page as a browser shows it. Skipped, with a message, where no Chromium is installed.

use std::path::{Path, PathBuf};

use bowline::base::clock::ManualClock;
use bowline::base::ids::CountingIds;
use bowline::session::derived::export::{self, Format};
use bowline::session::{EntryBody, Session};
use serde_json::{Value, json};

use crate::support::browser::Browser;

/// One blue dot.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

struct ExportFixture {
    session: Session,
    folder: tempfile::TempDir,
}

impl ExportFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(1_763_681_400_000);
        let session = Session::create(folder.path(), Path::new("/some/where"), clock, CountingIds::shared());
        Self { session, folder }
    }

    fn append_message(&mut self, message: Value) -> String {
        let message = serde_json::from_value(message).unwrap();
        self.session.append(EntryBody::Message { message }).unwrap()
    }

    fn append_user(&mut self, text: &str) -> String {
        self.append_message(json!({"role": "user", "content": text, "timestamp": 1}))
    }

    fn append_answer(&mut self, content: &Value) -> String {
        self.append_message(
            json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m",
            "usage": {"input": 1}, "stopReason": "stop", "timestamp": 2}),
        )
    }

    fn export_page(&self) -> PathBuf {
        let path = self.folder.path().join("page.html");
        std::fs::write(&path, export::document(&self.session, Format::Html).unwrap()).unwrap();
        path
    }
}

/// Two branches, a call with its result, a picture, a label, and words that would like to run.
fn two_branches() -> (ExportFixture, String) {
    let mut story = ExportFixture::new();
    let first = story.append_user("look at **this** <script>window.ran = 1</script>");
    let call =
        json!({"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "echo '</script>'"}});
    story.append_answer(&json!([{"type": "thinking", "thinking": "hm"}, call]));
    let dot = json!({"type": "image", "data": PICTURE, "mimeType": "image/png"});
    story.append_message(json!({"role": "toolResult", "toolCallId": "c1", "toolName": "bash", "timestamp": 3,
        "content": [{"type": "text", "text": "</pre><img src=x onerror='window.ran = 2'>"}, dot], "isError": false}));
    let left =
        story.append_answer(&json!([{"type": "text", "text": "the left branch\n\n```js\n</script>\n```"}]));
    story.session.set_label(&left, Some("</script><script>window.ran = 3</script>")).unwrap();
    story.session.branch(Some(&first)).unwrap();
    story.append_answer(
        &json!([{"type": "text", "text": "the right branch ![x](http://elsewhere.test/x.png)"}]),
    );
    story.session.append(EntryBody::SessionInfo { name: Some("Two <ways>".into()) }).unwrap();
    (story, left)
}

/// What can be seen of the conversation, by article.
const VISIBLE_ENTRIES_JS: &str =
    "[...document.querySelectorAll('article')].filter(it => it.checkVisibility()).map(it => it.innerText)";

fn visible_entries(browser: &mut Browser) -> Vec<String> {
    serde_json::from_value(browser.evaluate(VISIBLE_ENTRIES_JS)).unwrap()
}

#[test]
fn html_export_shows_branches_without_external_resources() {
    let Some(mut browser) = Browser::start() else { return };
    let (story, left) = two_branches();
    browser.open(&story.export_page());
    assert_eq!(browser.evaluate("document.title"), "Two <ways>");
    let right = visible_entries(&mut browser);
    assert_eq!(right.len(), 2, "{right:?}");
    assert!(right[0].contains("look at this <script>") && right[1].contains("the right branch"), "{right:?}");
    // A click in the tree shows the other branch, with what leads to it.
    browser.click(&format!("nav button[data-id='{left}']"));
    let other = visible_entries(&mut browser);
    assert_eq!(other.len(), 4, "{other:?}");
    assert!(other[3].contains("the left branch") && !other.concat().contains("right branch"), "{other:?}");
    assert_eq!(browser.evaluate("document.querySelector('img').naturalWidth"), 1);
    // What tools said opens at a click and at a key.
    let output = "document.querySelector('.output pre').checkVisibility()";
    assert_eq!(browser.evaluate(output), false);
    browser.click(".output summary");
    assert_eq!(browser.evaluate(output), true);
    browser.press("Enter", 13);
    assert_eq!(browser.evaluate(output), false);
    let tree = browser.evaluate("document.querySelector('nav').innerText");
    assert!(tree.as_str().unwrap().contains("</script><script>window.ran = 3"), "{tree}");
    // Light and dark, as the reader's system is.
    let paper = "getComputedStyle(document.body).color";
    let mut color = |scheme: &str| {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        browser.ask("Emulation.setEmulatedMedia", &json!({"features": [feature]}));
        browser.evaluate(paper)
    };
    assert_ne!(color("light"), color("dark"));
    assert_eq!(browser.evaluate("window.ran ?? 0"), 0, "what was said ran");
    assert_eq!(browser.evaluate("document.querySelectorAll('script').length"), 2);
    assert_eq!(browser.page_errors(), [] as [&str; 0]);
}

#[test]
fn html_export_of_ten_thousand_messages_navigates() {
    const PAIRS: usize = 5_000;
    let Some(mut browser) = Browser::start() else { return };
    let mut story = ExportFixture::new();
    let mut middle = String::new();
    for n in 0..PAIRS {
        let asked = story.append_user(&format!("question {n}"));
        if n == PAIRS / 2 {
            middle = asked;
        }
        story.append_answer(&json!([{"type": "text", "text": format!("answer *{n}*\n\n    code {n}\n")}]));
    }
    story.session.branch(Some(&middle)).unwrap();
    story.append_answer(&json!([{"type": "text", "text": "another end"}]));
    browser.open(&story.export_page());
    assert_eq!(browser.evaluate("document.querySelectorAll('article').length"), 2 * PAIRS + 1);
    let count = "[...document.querySelectorAll('article')].filter(it => !it.hidden).length";
    assert_eq!(browser.evaluate(count), PAIRS + 2);
    let last = story.session.entries().get(2 * PAIRS - 1).unwrap().id().to_string();
    browser.click(&format!("nav button[data-id='{last}']"));
    assert_eq!(browser.evaluate(count), 2 * PAIRS);
    let seen = browser.evaluate(&format!(
        "(() => {{ const box = document.getElementById('e-{last}').getBoundingClientRect(); \
         return box.top < innerHeight && box.bottom > 0; }})()"
    ));
    assert_eq!(seen, true, "the chosen message is not on the screen");
    assert_eq!(browser.page_errors(), [] as [&str; 0]);
}
