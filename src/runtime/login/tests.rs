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

impl LoginUi for Person {
    fn notify(&self, notice: Notice) {
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
async fn login_key_is_stored_literally_and_logout_deletes() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let person = Person::with(&[" !a$b\n"]);
    let said = login(&options, "deepseek", &person).await.unwrap();
    assert!(said.contains("DeepSeek is available") && !said.contains("a$b"), "{said}");
    let models = access::load(&options).client.models().to_vec();
    assert_eq!(models[0].provider, "deepseek");
    let entries = access::store(&options).read().unwrap();
    let kept = entries["deepseek"]["key"].as_str().unwrap();
    let value = crate::llm::auth::value::resolve(kept, |_| None, None).await;
    assert_eq!(value.as_deref(), Ok("!a$b"));
    let kept = choices(&options).unwrap().into_iter().find(|c| c.id == "deepseek").unwrap().credential_kind;
    assert_eq!(kept, "key");
    let left = |was_stored| LogoutOutcome { was_stored, remaining: None };
    assert_eq!(logout(&options, "deepseek").await.unwrap(), left(true));
    assert_eq!(logout(&options, "deepseek").await.unwrap(), left(false));
    assert_eq!(access::load(&options).client.models()[0].provider, "demo");
}

#[tokio::test]
async fn login_asks_for_base_url_variables() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let person = Person::with(&["k", "acc"]);
    login(&options, "cloudflare-workers-ai", &person).await.unwrap();
    let entries = access::store(&options).read().unwrap();
    assert_eq!(entries["cloudflare-workers-ai"]["env"]["CLOUDFLARE_ACCOUNT_ID"], "acc");
    let models = access::load(&options).client.models().to_vec();
    assert!(models[0].base_url.contains("/accounts/acc/"), "{}", models[0].base_url);
    let without = Person::with(&["other", " "]);
    let refused = login(&options, "cloudflare-workers-ai", &without).await.unwrap_err().to_string();
    assert!(refused.contains("canceled"), "{refused}");
    assert!(without.heard().contains("needs the address in CLOUDFLARE_ACCOUNT_ID"), "{}", without.heard());
    assert_eq!(access::store(&options).read().unwrap(), entries);
}

#[tokio::test]
async fn login_empty_key_is_asked_for_again() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let person = Person::with(&["", " ", "k"]);
    login(&options, "deepseek", &person).await.unwrap();
    assert_eq!(person.heard().matches("A key is needed").count(), 2, "{}", person.heard());
    assert_eq!(access::store(&options).read().unwrap()["deepseek"]["key"], "k");
}

#[tokio::test]
async fn login_without_registered_client_falls_back_to_key() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let person = Person::with(&[""]);
    let refused = login(&options, "anthropic", &person).await.unwrap_err();
    assert!(refused.to_string().contains("canceled"), "{refused}");
    assert!(person.heard().contains("not supported in third-party programs"), "{}", person.heard());
    let codex = login(&options, "openai-codex", &Person::default()).await.unwrap_err().to_string();
    assert!(codex.contains("platform.openai.com") && codex.contains("Use an API key"), "{codex}");
    assert!(login(&options, "nobody", &Person::default()).await.is_err());
    assert!(access::store(&options).read().unwrap().is_empty());
}

/// A keyring of one key, as the program of the system would keep it.
#[cfg(all(unix, not(target_os = "macos")))]
const KEYRING: &str = "#!/bin/sh
cd \"$(dirname \"$0\")\" || exit 9
case $1 in
store) shift; echo \"$*\" >> calls; cat > \"key-$5\" ;;
lookup) cat \"key-$5\" ;;
clear) rm \"key-$5\" ;;
esac
";

#[cfg(all(unix, not(target_os = "macos")))]
fn with_keyring(dir: &Path) -> Options {
    use std::os::unix::fs::PermissionsExt;
    let (bin, work) = (dir.join("bin"), dir.join("work"));
    for folder in [&bin, &work] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let vars = [("PATH", format!("{}:{path}", bin.display()))];
    let vars = vars.map(|(name, value)| (name.into(), value.into()));
    let env = LocalEnvironment::new(work, vars);
    std::fs::write(bin.join("secret-tool"), KEYRING).unwrap();
    std::fs::set_permissions(bin.join("secret-tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
    Options { keyring: true, env: Arc::new(env), ..options(dir) }
}

#[cfg(all(unix, not(target_os = "macos")))]
#[tokio::test]
async fn login_keyring_stores_and_deletes_key() {
    let dir = tempfile::tempdir().unwrap();
    let options = with_keyring(dir.path());
    login(&options, "deepseek", &Person::with(&["!a$b"])).await.unwrap();
    let file = std::fs::read_to_string(access::store(&options).path()).unwrap();
    assert!(!file.contains("a$") && file.contains("secret-tool lookup service bowline account deepseek"));
    let calls = std::fs::read_to_string(dir.path().join("bin/calls")).unwrap();
    assert_eq!(calls, "--label=bowline: DeepSeek service bowline account deepseek\n");
    let kept = dir.path().join("bin/key-deepseek");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "!a$b");
    assert_eq!(access::load(&options).client.models()[0].provider, "deepseek");
    // A key that goes elsewhere leaves none behind.
    let plain = Options { keyring: false, ..options.clone() };
    login(&plain, "deepseek", &Person::with(&["other"])).await.unwrap();
    assert!(!kept.exists());
    login(&options, "deepseek", &Person::with(&["one"])).await.unwrap();
    let said = login(&options, "deepseek", &Person::with(&["two"])).await.unwrap();
    assert_eq!(said, "DeepSeek is available; key stored in the system's keyring");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "two");
    assert!(logout(&options, "deepseek").await.unwrap().was_stored);
    assert!(!kept.exists());
}

#[cfg(all(unix, not(target_os = "macos")))]
#[tokio::test]
async fn login_keyring_failure_stores_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let options = with_keyring(dir.path());
    let locked = "#!/bin/sh\ncat >&2 <<'X'\n\nno bus\nmore\nX\nexit 3\n";
    for (script, why) in [(locked, "ended with 3 no bus ("), ("", "there is no program")] {
        let program = dir.path().join("bin/secret-tool");
        std::fs::write(&program, script).unwrap();
        if script.is_empty() {
            std::fs::remove_file(&program).unwrap();
        }
        let report = login(&options, "deepseek", &Person::with(&["hunter2"])).await.unwrap_err().to_string();
        assert!(report.contains(why) && report.contains("keyring = false"), "{report}");
        assert!(!report.contains("hunter2") && access::store(&options).read().unwrap().is_empty());
    }
}

#[tokio::test]
async fn logout_reports_remaining_credentials() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(dir.path());
    login(&options, "deepseek", &Person::with(&["k"])).await.unwrap();
    options.vars.insert("DEEPSEEK_API_KEY".into(), "hunter2".into());
    let left = logout(&options, "deepseek").await.unwrap();
    assert_eq!(
        left.sentence("DeepSeek"),
        "Deleted stored login: DeepSeek. Still available by DEEPSEEK_API_KEY (remove that too)"
    );
    options.vars.insert("DEEPSEEK_API_KEY".into(), " ".into());
    let left = logout(&options, "deepseek").await.unwrap();
    assert_eq!(left.sentence("DeepSeek"), "No stored login: DeepSeek");
    std::fs::create_dir_all(&options.home.config).unwrap();
    let models = r#"{"providers": {"deepseek": {"apiKey": "$MINE"}}}"#;
    std::fs::write(options.home.config.join("models.json"), models).unwrap();
    assert_eq!(logout(&options, "deepseek").await.unwrap().remaining, None);
    options.vars.insert("MINE".into(), "hunter2".into());
    assert_eq!(logout(&options, "deepseek").await.unwrap().remaining.as_deref(), Some("models.json"));
}

#[tokio::test]
async fn login_damaged_credentials_file_is_error() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path());
    let path = access::store(&options).path().to_path_buf();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{\"deepseek\": hunter2").unwrap();
    for report in [choices(&options).unwrap_err(), logout(&options, "deepseek").await.unwrap_err()] {
        let told = report.to_string();
        assert!(told.contains("auth.json:1: this is no file of credentials"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
}
