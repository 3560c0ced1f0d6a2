//! Names, lists and calls of commands.

use super::*;

struct Named(&'static str, &'static str);

impl HostCommand for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn path(&self) -> &str {
        self.1
    }

    fn run(&self, _: String, _: HostUi, _: Handle) -> BoxFuture<'static, Result<(), Report>> {
        Box::pin(async { Ok(()) })
    }
}

fn commands(all: &[(&'static str, &'static str)]) -> HostCommands {
    let all: Vec<Arc<dyn HostCommand>> =
        all.iter().map(|(name, path)| -> Arc<dyn HostCommand> { Arc::new(Named(name, path)) }).collect();
    HostCommands::new(&all)
}

#[test]
fn rpc_host_duplicate_commands_are_numbered() {
    let path = "<inline>";
    let all = commands(&[("a", path), ("b", path), ("a", path), ("a:2", path), ("a:1", path)]);
    let names: Vec<&str> = all.0.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a:1", "b", "a:2", "a:2:2", "a:1:2"]);
}

#[test]
fn rpc_host_command_list_has_sources() {
    let all = commands(&[("a", "<inline:tools>"), ("b", "/home/me/b.rs"), ("c", "<>")]);
    let source = |path: &str, source: &str| json!({"path": path, "source": source, "scope": "temporary", "origin": "top-level"});
    let mut file = source("/home/me/b.rs", "local");
    file["baseDir"] = json!("/home/me");
    let wanted = json!({"commands": [
        {"name": "a", "source": "extension", "sourceInfo": source("<inline:tools>", "inline")},
        {"name": "b", "source": "extension", "sourceInfo": file},
        {"name": "c", "source": "extension", "sourceInfo": source("<>", "temporary")},
    ]});
    assert_eq!(all.list_json(), wanted);
}

#[test]
fn rpc_host_command_call_is_name_and_arguments() {
    let all = commands(&[("a", "<inline>"), ("b", "<inline>")]);
    for (message, wanted) in [
        ("/a", Some(("a", ""))),
        ("/a ", Some(("a", ""))),
        ("/b  x\ny ", Some(("b", " x\ny "))),
        ("/a\nx", None),
        ("/c", None),
        (" /a", None),
        ("a", None),
        ("/", None),
    ] {
        let called = all.find_call(message);
        let called = called.as_ref().map(|call| (call.name.as_str(), call.args.as_str()));
        assert_eq!(called, wanted, "{message:?}");
    }
}
