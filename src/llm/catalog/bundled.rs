//! The models that come with the program: packed text by provider, read when a provider is asked
//! about for the first time.
//!
//! Must not know who wants them. What is read stays read; a provider that nobody can ask costs nothing.

use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Provider id and packed file, sorted by id.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

static READ: LazyLock<Mutex<HashMap<&'static str, &'static [Value]>>> = LazyLock::new(Mutex::default);

/// What a file holds: fields that most models have, and the models. A model's own field wins, and
/// `null` takes a field away.
#[derive(Deserialize)]
struct File {
    shared: Map<String, Value>,
    models: Vec<Map<String, Value>>,
}

/// The providers that there are files for.
pub fn providers() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(id, _)| *id)
}

/// The models of a provider in pi's schema, without what the provider's own row says; none where
/// there is no file.
pub fn models(provider: &str) -> &'static [Value] {
    let Ok(at) = FILES.binary_search_by_key(&provider, |(id, _)| *id) else { return &[] };
    let (id, packed) = FILES[at];
    let mut read = READ.lock();
    // Kept for as long as the program runs, like the packed text itself.
    read.entry(id).or_insert_with(|| Vec::leak(unpack(packed)))
}

fn unpack(packed: &[u8]) -> Vec<Value> {
    let mut text = String::new();
    DeflateDecoder::new(packed).read_to_string(&mut text).expect("the build script packed it");
    let file: File = serde_json::from_str(&text).expect("each of the files is read by a test");
    let File { shared, models } = file;
    models.into_iter().map(|model| Value::Object(with(&shared, model))).collect()
}

fn with(shared: &Map<String, Value>, own: Map<String, Value>) -> Map<String, Value> {
    let mut all = shared.clone();
    for (key, value) in own {
        if value.is_null() {
            all.shift_remove(&key);
        } else {
            all.insert(key, value);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn a_models_own_fields_win_and_null_takes_away() {
        let shared = json!({"api": "a", "input": ["text"], "reasoning": true});
        let own = json!({"id": "m", "input": ["image"], "reasoning": null});
        let all = with(shared.as_object().unwrap(), own.as_object().unwrap().clone());
        assert_eq!(Value::Object(all), json!({"api": "a", "input": ["image"], "id": "m"}));
    }

    #[test]
    fn who_has_no_file_has_no_models() {
        assert!(models("nobody").is_empty());
        assert!(!models("anthropic").is_empty());
    }
}
