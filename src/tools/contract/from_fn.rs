//! A tool made from a function, for programs that embed bowline.
//!
//! Must not know the function.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use super::tool::{Invocation, Outcome, Tool, ToolClass};
use super::view::CallView;
use crate::llm::model::ToolSpec;
use crate::tools::output::limits::Limits;

type Run = Arc<dyn Fn(Invocation) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// A tool made of a function. What needs more than this, such as views of its results, implements [`Tool`].
///
/// ```
/// use bowline::tools::{FromFn, Outcome};
/// use serde_json::json;
///
/// let parameters = json!({
///     "type": "object",
///     "properties": {"city": {"type": "string", "description": "Name of the city"}},
///     "required": ["city"],
/// });
/// let weather = FromFn::new("weather", "Tell the weather of a city.", parameters, |call| async move {
///     match call.args["city"].as_str() {
///         Some("Bergen") => Outcome::text("Rain."),
///         Some(city) => Outcome::error(format!("There is no weather of {city}. Ask for Bergen.")),
///         None => Outcome::error("Say which city."),
///     }
/// })
/// .reads_only();
/// # use bowline::tools::{Tool, ToolClass};
/// # assert_eq!((weather.spec().name.as_str(), weather.class()), ("weather", ToolClass::Reads));
/// ```
#[derive(Clone)]
pub struct FromFn {
    name: &'static str,
    description: &'static str,
    parameters: Value,
    class: ToolClass,
    limits: Option<Limits>,
    run: Run,
}

impl std::fmt::Debug for FromFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FromFn").field("name", &self.name).finish_non_exhaustive()
    }
}

impl FromFn {
    /// Creates a tool with that name (`[a-zA-Z][a-zA-Z0-9_]{0,63}`), whose arguments match `parameters`, a
    /// JSON Schema with an object at its root. `run` gets validated calls. Each call needs approval, unless
    /// [`FromFn::reads_only`] declares it harmless.
    pub fn new<F, D>(name: &'static str, description: &'static str, parameters: Value, run: F) -> Self
    where
        F: Fn(Invocation) -> D + Send + Sync + 'static,
        D: Future<Output = Outcome> + Send + 'static,
    {
        let run: Run = Arc::new(move |call| Box::pin(run(call)));
        Self { name, description, parameters, class: ToolClass::Runs, limits: None, run }
    }

    /// Declares it read-only: its calls need no approval.
    #[must_use]
    pub fn reads_only(self) -> Self {
        Self { class: ToolClass::Reads, ..self }
    }

    /// Limits its text for the model.
    #[must_use]
    pub fn limited(self, limits: Limits) -> Self {
        Self { limits: Some(limits), ..self }
    }
}

impl Tool for FromFn {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_string(),
            description: self.description.to_string(),
            parameters: self.parameters.clone(),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        self.class
    }

    fn limits(&self) -> Option<Limits> {
        self.limits
    }

    fn snippet(&self) -> &'static str {
        self.description
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        // The colon prevents it from being parsed as a read-only command, whatever name and arguments are.
        vec![format!("{}: {args}", self.name)]
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        (self.run)(call)
    }

    fn call_view(&self, args: &Value) -> CallView {
        let first = args.as_object().and_then(|args| args.values().find_map(Value::as_str));
        CallView { title: first.unwrap_or_default().to_string(), ..CallView::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::permissions::policy::{Mode, Roots, Verdict, judge};
    use serde_json::json;

    #[test]
    fn from_fn_tool_named_like_command_still_asks() {
        for name in ["echo", "ls", "true", "cat"] {
            let tool = FromFn::new(name, "Do something.", json!({"type": "object"}), |_| async {
                Outcome::text("done")
            });
            for args in [json!({}), json!({"command": "ls"}), json!({"path": "/w/a"})] {
                let target = tool.targets(&args).remove(0);
                let verdict = judge(Mode::OnRequest, tool.class(), &target, &Roots::default());
                assert!(matches!(verdict, Verdict::Ask(_)), "{target}: {verdict:?}");
            }
        }
    }
}
