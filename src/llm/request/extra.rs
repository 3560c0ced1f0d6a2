//! What a request asks for beyond what all wires have in common, put into the body as it is.
//!
//! Pure; must not know any wire format.

use serde_json::{Map, Value};

use crate::llm::model::Request;

/// The options for the provider that is asked; empty where there are none.
pub fn options(request: &Request) -> Option<&Map<String, Value>> {
    request.provider_options.get(&request.model.provider)?.as_object()
}

/// Puts the sampling parameters and the options for this provider into a body, for wires that take
/// both by their own names.
pub fn wishes(body: &mut Map<String, Value>, request: &Request) {
    body.extend(request.sampling());
    put(body, request, &[]);
}

/// Puts the options for this provider into a body, all but `not`. Objects are joined, everything
/// else is replaced.
pub fn put(body: &mut Map<String, Value>, request: &Request, not: &[&str]) {
    for (name, value) in options(request).into_iter().flatten() {
        if !not.contains(&name.as_str()) {
            join(body, name, value);
        }
    }
}

fn join(into: &mut Map<String, Value>, name: &str, value: &Value) {
    if let (Some(Value::Object(there)), Value::Object(more)) = (into.get_mut(name), value) {
        for (name, value) in more {
            join(there, name, value);
        }
        return;
    }
    into.insert(name.to_string(), value.clone());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::model::Model;

    #[test]
    fn provider_options_merge_objects_and_replace_values() {
        let options = json!({"p": {"a": {"x": 2, "y": [3]}, "b": 4, "hidden": 1}, "other": {"c": 5}});
        let request = Request {
            model: Model::unknown("p", "m", "api", ""),
            provider_options: options.as_object().cloned().unwrap_or_default(),
            ..Request::default()
        };
        let mut body = json!({"a": {"x": 1, "z": 1}, "b": {"q": 1}}).as_object().cloned().unwrap_or_default();
        let mut all = body.clone();
        put(&mut body, &request, &["hidden"]);
        assert_eq!(Value::Object(body), json!({"a": {"x": 2, "z": 1, "y": [3]}, "b": 4}));
        wishes(&mut all, &Request { sampling: Map::from_iter([("b".to_string(), json!(5))]), ..request });
        assert_eq!(Value::Object(all), json!({"a": {"x": 2, "z": 1, "y": [3]}, "b": 4, "hidden": 1}));
    }
}
