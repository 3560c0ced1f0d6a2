//! Commands of the host: called, queued, failing, asking, and left behind.

use tokio::sync::Semaphore;

use super::*;
use crate::modes::rpc::HostCommand;

/// What such a command does.
type Deed = fn(String, HostUi, Handle) -> BoxFuture<'static, Result<(), Report>>;

struct Does(&'static str, Deed);

impl HostCommand for Does {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> Option<&str> {
        Some("Does something.")
    }

    fn run(&self, args: String, desk: HostUi, session: Handle) -> BoxFuture<'static, Result<(), Report>> {
        (self.1)(args, desk, session)
    }
}

async fn rig(turns: Vec<Turn>, name: &'static str, deed: Deed) -> Rig {
    Rig::serving(turns, Mode::Full, move |ports| ports.command(Does(name, deed))).await
}

fn handled(id: &str) -> Value {
    json!({"id": id, "type": "response", "command": "prompt", "success": true, "data": {"disposition": "handled"}})
}

#[tokio::test]
async fn rpc_host_command_runs_while_agent_works() {
    let mut rig = rig(vec![Turn::of(vec![Step::Stall])], "greet", |args, desk, session| {
        Box::pin(async move {
            desk.notify(&args, None);
            session.say("steered".into(), Vec::new(), Some(crate::runtime::Delivery::Steer)).await?;
            Ok(())
        })
    })
    .await;
    let listed = rig.data(json!({"type": "get_commands"})).await;
    let wanted = json!({"commands": [{
        "name": "greet", "description": "Does something.", "source": "extension",
        "sourceInfo": {"path": "<inline>", "source": "inline", "scope": "temporary", "origin": "top-level"},
    }]});
    assert_eq!(listed, wanted);
    rig.data(json!({"type": "prompt", "message": "/unknown is for the model"})).await;
    rig.say(json!({"id": "c", "type": "prompt", "message": "/greet a b"})).await;
    let told = rig.until(|line| line["id"] == "c").await;
    assert_eq!(told[told.len() - 1], handled("c"));
    let notice = told.iter().find(|line| line["type"] == "extension_ui_request").expect("it comes before");
    assert_eq!((&notice["method"], &notice["message"]), (&json!("notify"), &json!("a b")));
    let state = rig.data(json!({"type": "get_state"})).await;
    assert_eq!((&state["isStreaming"], &state["pendingMessageCount"]), (&json!(true), &json!(1)));
    for queue in ["steer", "follow_up"] {
        let refused = rig.ask(json!({"type": queue, "message": "/greet"})).await;
        assert!(refused["error"].as_str().unwrap().contains("/greet is a command"), "{refused}");
    }
    let messages = rig.data(json!({"type": "get_messages"})).await.to_string();
    assert!(messages.contains("/unknown") && !messages.contains("greet"), "{messages}");
}

#[tokio::test]
async fn rpc_host_command_failure_or_panic_is_reported() {
    let mut rig = rig(vec![Turn::text("done")], "fail", |args, _, _| {
        assert!(args != "at once", "not even begun");
        Box::pin(async move {
            assert!(args != "later", "gone wrong");
            Err(Report::new("no such place"))
        })
    })
    .await;
    for (args, error) in [("", "no such place"), ("later", "gone wrong"), ("at once", "not even begun")] {
        rig.say(json!({"id": "f", "type": "prompt", "message": format!("/fail {args}")})).await;
        let failed = json!({
            "type": "extension_error", "extensionPath": "command:fail", "event": "command", "error": error,
        });
        assert_eq!([rig.next().await, rig.next().await], [failed, handled("f")]);
    }
    rig.data(json!({"type": "prompt", "message": "go"})).await;
    rig.settle().await;
}

#[tokio::test]
async fn rpc_host_command_asks_while_serving() {
    let mut rig = rig(Vec::new(), "ask", |_, desk, _| {
        Box::pin(async move {
            let told = desk.confirm("Sure?", "It is far.").await;
            desk.set_status("ask", Some(&format!("{told:?}")));
            Ok(())
        })
    })
    .await;
    for (fields, wanted) in [
        (json!({"confirmed": true}), "Some(true)"),
        (json!({"cancelled": true}), "None"),
        (json!({"confirmed": {"deep": []}}), "None"),
    ] {
        rig.say(json!({"id": "a", "type": "prompt", "message": "/ask"})).await;
        let asked = rig.next().await;
        assert_eq!((&asked["method"], &asked["message"]), (&json!("confirm"), &json!("It is far.")));
        assert_eq!(rig.data(json!({"type": "get_state"})).await["isStreaming"], false);
        let mut answer = fields;
        answer["type"] = json!("extension_ui_response");
        answer["id"] = asked["id"].clone();
        rig.say(answer).await;
        let status = rig.next().await;
        assert_eq!((&status["method"], &status["statusText"]), (&json!("setStatus"), &json!(wanted)));
        assert_eq!(rig.next().await, handled("a"));
    }
}

#[tokio::test]
async fn rpc_host_command_dialog_is_refused_on_exit() {
    let rig = rig(Vec::new(), "ask", |_, desk, _| {
        Box::pin(async move {
            if desk.edit("Write", None).await.is_none() {
                desk.notify("nobody wrote", None);
            }
            Ok(())
        })
    })
    .await;
    rig.say(json!({"id": "a", "type": "prompt", "message": "/ask"})).await;
    let (code, rest) = rig.end().await;
    let notice = rest.iter().position(|line| line["message"] == "nobody wrote").expect("it is told");
    assert_eq!((code, rest.iter().position(|line| *line == handled("a"))), (0, Some(notice + 1)));
}

static FLOODED: Semaphore = Semaphore::const_new(0);

#[tokio::test]
async fn rpc_host_command_ui_flood_is_bounded() {
    const MUCH: usize = 50_000;
    let mut rig = rig(Vec::new(), "flood", |_, desk, _| {
        Box::pin(async move {
            for n in 0..MUCH {
                desk.notify("again", None);
                desk.set_status("count", Some(&n.to_string()));
                tokio::task::yield_now().await;
            }
            FLOODED.add_permits(1);
            Ok(())
        })
    })
    .await;
    rig.say(json!({"id": "f", "type": "prompt", "message": "/flood"})).await;
    FLOODED.acquire().await.unwrap().forget();
    let told = rig.until(|line| line["id"] == "f").await;
    assert!(told.len() < 2_000, "{} lines waited", told.len());
    let last = told.iter().rev().find(|line| line["method"] == "setStatus").unwrap();
    assert_eq!(last["statusText"], (MUCH - 1).to_string());
}

#[tokio::test]
async fn rpc_host_can_stop_serving() {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let until = async move { stopped.await.unwrap_or_default() };
    let rig = Rig::serving(Vec::new(), Mode::Full, |ports| ports.until(until)).await;
    stop.send(()).unwrap();
    assert_eq!(rig.over.await.unwrap(), INTERRUPTED);
}
