//! Options of a request that not all wire formats share, copied into the body verbatim.
//!
//! Pure; must not know any wire format.

use serde_json::{Map, Value};

use crate::llm::model::Request;

/// Returns the options for the request's provider, if any.
pub fn options(request: &Request) -> Option<&Map<String, Value>> {
    request.provider_options.get(&request.model.provider)?.as_object()
}

/// Adds sampling parameters and provider options to a body, for wire formats that use the same names.
pub fn add_sampling_and_options(body: &mut Map<String, Value>, request: &Request) {
    body.extend(request.sampling());
    add_options(body, request, &[]);
}

/// Adds the provider options to a body, except `not`. Objects are merged, other values replaced.
pub fn add_options(body: &mut Map<String, Value>, request: &Request, not: &[&str]) {
    for (name, value) in options(request).into_iter().flatten() {
        if !not.contains(&name.as_str()) {
            merge_option(body, name, value);
        }
    }
}

fn merge_option(into: &mut Map<String, Value>, name: &str, value: &Value) {
    if let (Some(Value::Object(there)), Value::Object(more)) = (into.get_mut(name), value) {
        for (name, value) in more {
            merge_option(there, name, value);
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
        add_options(&mut body, &request, &["hidden"]);
        assert_eq!(Value::Object(body), json!({"a": {"x": 2, "z": 1, "y": [3]}, "b": 4}));
        add_sampling_and_options(
            &mut all,
            &Request { sampling: Map::from_iter([("b".to_string(), json!(5))]), ..request },
        );
        assert_eq!(Value::Object(all), json!({"a": {"x": 2, "z": 1, "y": [3]}, "b": 4, "hidden": 1}));
    }
}
