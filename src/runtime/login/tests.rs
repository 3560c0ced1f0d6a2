//! Whole logins against servers on this machine, and what is kept of them.

use super::*;
use crate::base::paths::Home;
use crate::exec::local::LocalEnvironment;
use crate::tools::{Approval, Ask, Decision};
use futures::FutureExt;
use futures::future::BoxFuture;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;

struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        futures::future::ready(Decision::Deny(ask.rule)).boxed()
    }
}

/// Answers from a list, and remembers what it was told and asked.
#[derive(Default)]
struct Person {
    answers: Mutex<VecDeque<&'static str>>,
    heard: Mutex<Vec<String>>,
}

impl Person {
    fn with(answers: &[&'static str]) -> Self {
        Self { answers: Mutex::new(answers.iter().copied().collect()), heard: Mutex::default() }
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().join("\n")
    }
}

impl Talk for Person {
    fn tell(&self, notice: Notice) {
        self.heard.lock().unwrap().push(format!("{notice:?}"));
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Option<String>> {
        self.heard.lock().unwrap().push(format!("{question:?}"));
        futures::future::ready(self.answers.lock().unwrap().pop_front().map(String::from)).boxed()
    }
}

fn options(dir: &Path) -> Options {
    let home = Home::find(|name| (name != "HOME").then(|| dir.display().to_string())).or_else(|| {
        Home::find(|name| (name == "HOME" || name == "BOWLINE_HOME").then(|| dir.display().to_string()))
    });
    let env = LocalEnvironment::new(dir.to_path_buf(), std::env::vars_os());
    Options::new(home.unwrap(), dir.to_path_buf(), Arc::new(env), Arc::new(Nobody))
}

#[tokio::test]
async fn a_key_is_kept_as_it_is_and_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let person = Person::with(&[" !a$b\n"]);
    let said = login(&options, "deepseek", &person).await.unwrap();
    assert!(said.contains("DeepSeek can be asked now") && !said.contains("a$b"), "{said}");
    let models = reach::reach(&options).client.models().to_vec();
    assert_eq!(models[0].provider, "deepseek");
    let entries = reach::store(&options).read().unwrap();
    let kept = entries["deepseek"]["key"].as_str().unwrap();
    let value = crate::llm::auth::value::resolve(kept, |_| None, None).await;
    assert_eq!(value.as_deref(), Ok("!a$b"));
    let kept = choices(&options).into_iter().find(|c| c.id == "deepseek").unwrap().kept;
    assert_eq!(kept, "key");
    assert!(logout(&options, "deepseek").await.unwrap());
    assert!(!logout(&options, "deepseek").await.unwrap());
    assert_eq!(reach::reach(&options).client.models()[0].provider, "demo");
}

#[tokio::test]
async fn what_an_address_needs_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let person = Person::with(&["k", "acc"]);
    login(&options, "cloudflare-workers-ai", &person).await.unwrap();
    let entries = reach::store(&options).read().unwrap();
    assert_eq!(entries["cloudflare-workers-ai"]["env"]["CLOUDFLARE_ACCOUNT_ID"], "acc");
    let models = reach::reach(&options).client.models().to_vec();
    assert!(models[0].base_url.contains("/accounts/acc/"), "{}", models[0].base_url);
}

#[tokio::test]
async fn a_login_that_cannot_serve_is_told_and_a_key_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let person = Person::with(&[""]);
    let refused = login(&options, "anthropic", &person).await.unwrap_err();
    assert!(refused.to_string().contains("given up"), "{refused}");
    assert!(person.heard().contains("only to programs that it has registered"), "{}", person.heard());
    let codex = login(&options, "openai-codex", &Person::default()).await.unwrap_err().to_string();
    assert!(codex.contains("platform.openai.com") && codex.contains("pretends to be none"), "{codex}");
    assert!(login(&options, "nobody", &Person::default()).await.is_err());
    assert!(reach::store(&options).read().unwrap().is_empty());
}
