//! Azure deployments: URL, API version, deployment name. Pure: the environment is passed in.

use crate::llm::access::Variables;

/// Default version of the API.
const VERSION: &str = "v1";
/// Hosts whose API has its own path prefix.
const HOSTS: [&str; 3] = [".openai.azure.com", ".cognitiveservices.azure.com", ".ai.azure.com"];

/// Returns the root URL: the base URL, or one made from the resource's name.
pub fn url(base: &str, surroundings: &Variables) -> Option<String> {
    let base = match (base.trim(), surroundings.var("AZURE_OPENAI_RESOURCE_NAME")) {
        ("", Some(resource)) => format!("https://{resource}.openai.azure.com"),
        ("", None) => return None,
        (base, _) => base.to_string(),
    };
    let version = surroundings.var("AZURE_OPENAI_API_VERSION").unwrap_or(VERSION);
    Some(format!("{}/responses?api-version={version}", root(&base)))
}

/// Returns the deployment of a model: its id, unless `model=deployment,…` has another.
pub fn deployment(model: &str, surroundings: &Variables) -> Option<String> {
    let map = surroundings.var("AZURE_OPENAI_DEPLOYMENT_NAME_MAP")?;
    let mut pairs = map.split(',').filter_map(|pair| pair.split_once('='));
    let named = pairs.find(|(known, _)| known.trim() == model).map(|(_, name)| name.trim().to_string());
    named.filter(|name| !name.is_empty())
}

fn root(base: &str) -> String {
    let base = base.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let (scheme, rest) = base.split_once("://").unwrap_or(("https", base));
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
    let host = authority.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let path = path.strip_suffix("/responses").unwrap_or(path);
    if HOSTS.iter().any(|known| host.ends_with(known)) && matches!(path, "" | "openai" | "openai/v1") {
        return format!("{scheme}://{authority}/openai/v1");
    }
    if path.is_empty() { format!("{scheme}://{authority}") } else { format!("{scheme}://{authority}/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    fn vars(pairs: &[(&str, &str)]) -> Variables {
        let vars: HashMap<_, _> = pairs.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
        Variables { vars: Arc::new(vars), home: None }
    }

    #[test]
    fn azure_url_from_any_base_url() {
        let none = vars(&[]);
        let azure = "https://mine.openai.azure.com/openai/v1/responses?api-version=v1";
        for base in [
            "https://mine.openai.azure.com",
            "https://mine.openai.azure.com/",
            "https://mine.openai.azure.com/openai",
            "https://mine.openai.azure.com/openai/v1/responses?api-version=v1",
            "mine.openai.azure.com",
        ] {
            assert_eq!(url(base, &none).as_deref(), Some(azure), "{base}");
        }
        for (base, expected) in [
            (
                "https://x.ai.azure.com/api/projects/p",
                "https://x.ai.azure.com/api/projects/p/responses?api-version=v1",
            ),
            ("http://127.0.0.1:9", "http://127.0.0.1:9/responses?api-version=v1"),
            ("https://gate.example/azure/", "https://gate.example/azure/responses?api-version=v1"),
        ] {
            assert_eq!(url(base, &none).as_deref(), Some(expected));
        }
        assert_eq!(url(" ", &none), None);
        let set = vars(&[("AZURE_OPENAI_RESOURCE_NAME", "mine"), ("AZURE_OPENAI_API_VERSION", "preview")]);
        let expected = "https://mine.openai.azure.com/openai/v1/responses?api-version=preview";
        assert_eq!(url("", &set).as_deref(), Some(expected));
        assert_eq!(url("http://h/x", &set).as_deref(), Some("http://h/x/responses?api-version=preview"));
    }

    #[test]
    fn azure_deployment_is_mapped_from_model_id() {
        let map = vars(&[("AZURE_OPENAI_DEPLOYMENT_NAME_MAP", "gpt-5=five, gpt-6 = my six ,odd,gpt-7=")]);
        assert_eq!(deployment("gpt-5", &map).as_deref(), Some("five"));
        assert_eq!(deployment("gpt-6", &map).as_deref(), Some("my six"));
        assert_eq!(deployment("gpt-7", &map), None);
        assert_eq!(deployment("odd", &map), None);
        assert_eq!(deployment("gpt-5", &vars(&[])), None);
    }
}
