//! Compactions as others see them: servers on the wire, programs that listen, a user at the screen or
//! in a shell.

use bowline::agent::compaction::Settings;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::modes::print::{Prompt, print};
use bowline::runtime::Options;
use bowline::runtime::events::observe::EventKind;
use bowline::runtime::events::wire::Wire;
use serde_json::Value;

use crate::support::compaction_session::{FULL, TestSession, text_turn, with_context_tokens};
use crate::support::family::{FAMILIES, FamilySession, of_kind};
use crate::support::server::Reply;
use crate::support::test_ide::IdeSetup;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compaction_recovers_from_context_length_error() {
    for family in FAMILIES {
        let refusal = Reply::Status {
            code: 400,
            headers: Vec::new(),
            body: r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","type":"invalid_request_error"}}"#
                .into(),
        };
        let replies = vec![
            family.text_reply(&["answer one"]),
            refusal,
            family.text_reply(&["all of it"]),
            family.text_reply(&["answer two"]),
        ];
        let keeps_little = |options| Options {
            compaction: Settings { keep: 1, after_runs: false, ..Settings::default() },
            ..options
        };
        let mut stage = FamilySession::with_options(family, replies, vec![], keeps_little).await;
        stage.run("first").await;
        let (_, mut events) = stage.handle.subscribe().await.unwrap();
        let told = stage.run("second").await;
        assert!(of_kind(&told, EventKind::Error).is_empty(), "{told:?}");
        assert!(
            of_kind(&told, EventKind::Warning)[0].data["message"].as_str().unwrap().contains("compacted")
        );
        let seen = stage.server.requests();
        assert_eq!(seen.len(), 4);
        let (summary, again) = (family.parse_request(&seen[2]), family.parse_request(&seen[3]));
        assert!(summary.tools.is_empty() && summary.system.contains("You write summaries"), "{summary:?}");
        assert!(seen[2].text.contains("[Assistant]: answer one") && !seen[2].text.contains("second"));
        assert!(
            seen[3].text.contains("all of it") && !seen[3].text.contains("answer one"),
            "{}",
            seen[3].text
        );
        assert!(!again.tools.is_empty(), "{again:?}");
        let (mut wire, mut ends) = (Wire::default(), Vec::new());
        while let Ok(event) = events.try_recv() {
            ends.extend(wire.events(&event));
        }
        ends.retain(|event: &Value| {
            event["type"].as_str().is_some_and(|kind| kind.starts_with("compaction"))
        });
        assert_eq!((&ends[0]["type"], &ends[0]["reason"]), (&"compaction_start".into(), &"overflow".into()));
        assert_eq!((&ends[1]["willRetry"], &ends[1]["aborted"]), (&true.into(), &false.into()));
        let result = ends[1]["result"].as_object().unwrap();
        let fields: Vec<&str> = result.keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            ["summary", "firstKeptEntryId", "tokensBefore", "estimatedTokensAfter", "usage", "details"]
        );
    }
}

#[tokio::test]
async fn print_mode_reports_compaction_on_stderr() {
    let rig =
        TestSession::new(vec![with_context_tokens(text_turn("one"), FULL), text_turn("S"), text_turn("two")])
            .await;
    let prompts = ["first", "second"].map(|text| Prompt { text: text.to_string(), images: Vec::new() });
    let (mut out, mut err) = (Vec::new(), Vec::new());
    // Long enough to be worth a summary.
    let mut prompts = prompts.to_vec();
    prompts[0].text.push_str(&"x".repeat(8000));
    assert_eq!(print(&rig.handle, prompts, false, &mut out, &mut err).await, 0);
    let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
    assert_eq!(out, "two\n");
    assert!(err.contains("compacting") && err.contains("tokens now, before 11002"), "{err}");
}

/// An answer of some 25 thousand tokens.
fn long_turn(word: &str) -> Turn {
    let text = format!("{word}\n{}", format!("{}\n", "word ".repeat(199)).repeat(100));
    Turn::of(vec![Step::Text(vec![text])])
}

#[tokio::test]
async fn compact_command_summary_can_be_read_and_edited() {
    let mut ide = IdeSetup::new().turns([long_turn("one"), long_turn("two")]).start().await;
    ide.prompt("first").await;
    ide.prompt("second").await;
    ide.script.push([
        Turn::of(vec![Step::Gate, Step::Text(vec!["## Goal\nthe tests".to_string()])]),
        text_turn("so far"),
    ]);
    ide.keys("Alt-3").await;
    ide.type_without_settling("/compact tests above all");
    ide.headless.press("Enter");
    ide.wait_for("the compaction", |state| state.agent.summarizing.is_some()).await;
    assert!(ide.picture().contains("Compacting…"), "{}", ide.picture());
    ide.script.gate.add_permits(1);
    ide.wait_for("its end", |state| state.agent.summarizing.is_none()).await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("▸ compacted: ") && picture.contains("→"), "{picture}");
    assert!(ide.state().agent.working_since.is_none());
    ide.keys("Ctrl-o").await;
    assert!(ide.picture().contains("so far"), "{}", ide.picture());
    // It can be read as a text.
    ide.headless.app().state.damage.add_all();
    ide.keys("Alt-x").await;
    ide.type_in("Show compaction summary").await;
    ide.keys("Enter").await;
    assert!(ide.text().contains("## Goal\nthe tests") && ide.text().contains("so far"), "{}", ide.text());
    // Changed, it counts from then on.
    ide.keys("Alt-3").await;
    ide.type_without_settling("/summary");
    ide.headless.press("Enter");
    ide.headless.idle().await;
    let typed = ide.state().prompt.area.text().to_string();
    assert!(typed.starts_with("/summary ## Goal\nthe tests"), "{typed}");
    ide.type_in(" and mine").await;
    ide.keys("Enter").await;
    ide.script.push([text_turn("three")]);
    ide.prompt("third").await;
    let last = ide.script.requests().pop().unwrap();
    let carried = serde_json::to_string(&last.messages[0]).unwrap();
    assert!(carried.contains("so far and mine"), "{carried}");
    assert_eq!(ide.session().iter().filter(|entry| entry["type"] == "compaction").count(), 2);
}

#[tokio::test]
async fn compact_command_escape_cancels() {
    let stall = || Turn::of(vec![Step::Stall]);
    let mut ide = IdeSetup::new().turns([long_turn("one"), long_turn("two"), stall(), stall()]).start().await;
    ide.keys("Alt-3").await;
    ide.type_without_settling("/compact");
    ide.headless.press("Enter");
    ide.headless.shows("nothing to compact").await;
    ide.prompt("first").await;
    ide.prompt("second").await;
    ide.type_without_settling("/compact");
    ide.headless.press("Enter");
    ide.wait_for("the compaction", |state| state.agent.summarizing.is_some()).await;
    ide.keys("Escape").await;
    ide.headless.shows("compaction canceled").await;
    assert_eq!(ide.status_message(), "");
    assert!(ide.state().agent.working_since.is_none());
    assert!(ide.session().iter().all(|entry| entry["type"] != "compaction"));
    ide.type_in("/compactly said").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("No command /compactly. Did you mean /compact?"));
}
