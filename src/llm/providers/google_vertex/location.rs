//! URLs of Vertex AI: project and location. Pure.

use crate::llm::access::{Access, Variables};

/// Default API version for base URLs without one.
const VERSION: &str = "v1";

/// Parameters of the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// A custom base URL; `None` for Google's own.
    pub base: Option<String>,
    /// The project, if a variable or the login names it.
    pub project: Option<String>,
    /// The location: a region, `us`, `eu` or `global`.
    pub location: String,
}

impl Endpoint {
    /// Returns the parameters from the provider's data, its login and the environment.
    pub fn find(access: &Access, surroundings: &Variables) -> Self {
        let of = |names: &[&str]| names.iter().find_map(|name| surroundings.var(name)).map(str::to_string);
        let account = |name: &str| access.account.get(name).filter(|value| !value.is_empty()).cloned();
        let base = access.base_url.trim_end_matches('/');
        // The template in the data means Google's own URL.
        let chosen = !base.is_empty() && !base.contains("{location}");
        Self {
            base: chosen.then(|| base.to_string()),
            project: account("project").or_else(|| of(&["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"])),
            location: account("location")
                .or_else(|| of(&["GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"]))
                .unwrap_or_else(|| "global".to_string()),
        }
    }

    /// Returns the URL for a request with a key, which implies its project.
    pub fn url_with_key(&self, model: &str) -> String {
        let root = self.base.clone().unwrap_or_else(|| "https://aiplatform.googleapis.com".to_string());
        format!("{}/{}", versioned(&root), method(model))
    }

    /// Returns the URL for a request with a token. A custom base URL that contains a project is complete.
    pub fn url_of_project(&self, project: &str, model: &str) -> String {
        let root = self.base.clone().unwrap_or_else(|| format!("https://{}", host(&self.location)));
        if root.contains("/projects/") {
            return format!("{root}/{}", method(model));
        }
        let location = &self.location;
        format!("{}/projects/{project}/locations/{location}/{}", versioned(&root), method(model))
    }
}

fn host(location: &str) -> String {
    match location {
        "global" => "aiplatform.googleapis.com".to_string(),
        "us" | "eu" => format!("aiplatform.{location}.rep.googleapis.com"),
        region => format!("{region}-aiplatform.googleapis.com"),
    }
}

fn method(model: &str) -> String {
    let path = match model.split_once('/') {
        Some(_) if model.starts_with("publishers/") => model.to_string(),
        Some((publisher, name)) => format!("publishers/{publisher}/models/{name}"),
        None => format!("publishers/google/models/{model}"),
    };
    format!("{path}:streamGenerateContent?alt=sse")
}

fn versioned(root: &str) -> String {
    let path = root.split_once("://").map_or(root, |(_, rest)| rest);
    let is_version = |segment: &str| {
        let rest = segment.strip_prefix('v').unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_digit())
    };
    if path.split('/').skip(1).any(is_version) { root.to_string() } else { format!("{root}/{VERSION}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    fn place(base: &str, vars: &[(&str, &str)]) -> Endpoint {
        let vars: HashMap<_, _> = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
        let access = Access { base_url: base.into(), ..Access::default() };
        Endpoint::find(&access, &Variables { vars: Arc::new(vars), home: None })
    }

    #[test]
    fn vertex_url_follows_location() {
        let end = "publishers/google/models/m:streamGenerateContent?alt=sse";
        for (location, host) in [
            ("", "aiplatform.googleapis.com"),
            ("global", "aiplatform.googleapis.com"),
            ("eu", "aiplatform.eu.rep.googleapis.com"),
            ("europe-west4", "europe-west4-aiplatform.googleapis.com"),
        ] {
            let vars = [("GOOGLE_CLOUD_LOCATION", location), ("GCLOUD_PROJECT", "p")];
            let place = place("https://{location}-aiplatform.googleapis.com", &vars);
            let named = if location.is_empty() { "global" } else { location };
            let project = place.project.clone().unwrap();
            let expected = format!("https://{host}/v1/projects/p/locations/{named}/{end}");
            assert_eq!(place.url_of_project(&project, "m"), expected);
            assert_eq!(place.url_with_key("m"), format!("https://aiplatform.googleapis.com/v1/{end}"));
        }
    }

    #[test]
    fn vertex_url_with_custom_base_url() {
        let end = "publishers/google/models/m:streamGenerateContent?alt=sse";
        let of = |base: &str| place(base, &[]).url_of_project("p", "m");
        assert_eq!(of("http://h/"), format!("http://h/v1/projects/p/locations/global/{end}"));
        assert_eq!(of("http://h/v1beta1"), format!("http://h/v1beta1/projects/p/locations/global/{end}"));
        let whole = "http://gateway/v1/projects/q/locations/r";
        assert_eq!(of(whole), format!("{whole}/{end}"));
        assert_eq!(place("http://h", &[]).url_with_key("m"), format!("http://h/v1/{end}"));
        let other = place("http://h/v1", &[]).url_with_key("mistral/x");
        assert_eq!(other, "http://h/v1/publishers/mistral/models/x:streamGenerateContent?alt=sse");
    }
}
