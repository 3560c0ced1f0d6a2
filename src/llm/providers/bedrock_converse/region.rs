//! Region and URL of a Bedrock request. Pure.

use crate::llm::access::{Access, Variables};
use crate::llm::auth::token_request::percent_encode;

/// Default region.
const DEFAULT_REGION: &str = "us-east-1";

/// A region and its URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The region, such as `eu-west-1`.
    pub region: String,
    /// Root URL of the API, without a trailing slash.
    pub root: String,
}

/// Returns the region from a source other than the profile: the model's id, the login, or the environment.
pub fn named_region(model: &str, access: &Access, around: &Variables) -> Option<String> {
    let of_id = || {
        let mut parts = model.split(':');
        let arn = parts.next() == Some("arn");
        let (_, service, region) = (parts.next()?, parts.next()?, parts.next()?);
        (arn && service == "bedrock" && !region.is_empty()).then(|| region.to_string())
    };
    let of_login = || access.account.get("region").filter(|region| !region.is_empty()).cloned();
    let of_vars =
        || around.var("AWS_REGION").or_else(|| around.var("AWS_DEFAULT_REGION")).map(str::to_string);
    of_id().or_else(of_login).or_else(of_vars)
}

impl Region {
    /// Returns region and URL, given the configured region. Amazon's own URL in the data is a template for
    /// all regions; any other URL is used unchanged.
    pub fn find(region: Option<String>, access: &Access, around: &Variables) -> Self {
        let base = access.base_url.trim_end_matches('/');
        let own = region_in_url(base);
        let region = region.or_else(|| own.map(str::to_string)).unwrap_or_else(|| DEFAULT_REGION.to_string());
        let chosen = around.var("AWS_ENDPOINT_URL_BEDROCK_RUNTIME").map(str::to_string);
        let custom = !base.is_empty() && own.is_none() && !base.contains("{region}");
        let chosen = chosen.or_else(|| custom.then(|| base.to_string()));
        let end = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        let root = chosen.unwrap_or_else(|| format!("https://bedrock-runtime.{region}.{end}"));
        Self { root: root.trim_end_matches('/').to_string(), region }
    }

    /// Returns the URL of a model.
    pub fn url(&self, model: &str) -> String {
        format!("{}/model/{}/converse-stream", self.root, percent_encode(model))
    }
}

/// Returns the region in one of Amazon's own URLs.
fn region_in_url(base: &str) -> Option<&str> {
    let host = base.strip_prefix("https://")?;
    let rest =
        host.strip_prefix("bedrock-runtime-fips.").or_else(|| host.strip_prefix("bedrock-runtime."))?;
    let region = rest.strip_suffix(".amazonaws.com").or_else(|| rest.strip_suffix(".amazonaws.com.cn"))?;
    (!region.contains(['.', '{', '/'])).then_some(region)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    fn place(base: &str, model: &str, vars: &[(&str, &str)]) -> (String, String) {
        let vars: HashMap<_, _> = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
        let around = Variables { vars: Arc::new(vars), home: None };
        let access = Access { base_url: base.into(), ..Access::default() };
        let place = Region::find(named_region(model, &access, &around), &access, &around);
        (place.region, place.root)
    }

    #[test]
    fn bedrock_region_and_endpoint_resolution() {
        let east = "https://bedrock-runtime.us-east-1.amazonaws.com";
        let at =
            |region: &str| (region.to_string(), format!("https://bedrock-runtime.{region}.amazonaws.com"));
        assert_eq!(place("", "m", &[]), at("us-east-1"));
        assert_eq!(
            place(east, "m", &[("AWS_REGION", "eu-west-1"), ("AWS_DEFAULT_REGION", "x")]),
            at("eu-west-1")
        );
        assert_eq!(place("https://bedrock-runtime.ap-south-1.amazonaws.com/", "m", &[]), at("ap-south-1"));
        let arn = "arn:aws:bedrock:eu-north-1:123:inference-profile/x";
        assert_eq!(place(east, arn, &[("AWS_REGION", "eu-west-1")]), at("eu-north-1"));
        let china = "https://bedrock-runtime.cn-north-1.amazonaws.com.cn".to_string();
        assert_eq!(place(east, "m", &[("AWS_REGION", "cn-north-1")]), ("cn-north-1".into(), china));
        let own = ("eu-west-1".to_string(), "http://proxy:1/x".to_string());
        assert_eq!(place("http://proxy:1/x/", "m", &[("AWS_REGION", "eu-west-1")]), own);
        let var = [("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://proxy:1/x"), ("AWS_REGION", "eu-west-1")];
        assert_eq!(place(east, "m", &var), own);
    }

    #[test]
    fn bedrock_url_encodes_model_id() {
        let place = Region { region: String::new(), root: "http://h".into() };
        assert_eq!(place.url("a.b-v1:0"), "http://h/model/a.b-v1%3A0/converse-stream");
        assert!(place.url("arn:aws:x/y").contains("arn%3Aaws%3Ax%2Fy"));
    }
}
