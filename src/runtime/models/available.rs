//! The list of usable models, shared between a session and its handles: servers on this machine are
//! discovered while it runs. Must not know how they are discovered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;

use crate::llm::model::Model;

/// The shared list. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct AvailableModels {
    models: Arc<RwLock<Vec<Arc<Model>>>>,
    /// Whether discovery of servers on this machine is still running.
    discovering: Arc<AtomicBool>,
}

impl AvailableModels {
    /// Creates the list.
    pub fn new(models: Vec<Arc<Model>>) -> Self {
        Self { models: Arc::new(RwLock::new(models)), discovering: Arc::default() }
    }

    /// Returns all models.
    pub fn all(&self) -> Vec<Arc<Model>> {
        self.models.read().clone()
    }

    /// Replaces the list, and returns the new one.
    pub fn set(&self, models: Vec<Arc<Model>>) -> Vec<Arc<Model>> {
        self.models.write().clone_from(&models);
        models
    }

    /// Whether discovery may still add models.
    pub fn is_discovering(&self) -> bool {
        self.discovering.load(Ordering::SeqCst)
    }

    /// Sets whether discovery may still add models.
    pub fn set_discovering(&self, awaited: bool) {
        self.discovering.store(awaited, Ordering::SeqCst);
    }

    /// Adds new models before the demo, which stays last; returns the full list if anything was new.
    pub fn add(&self, found: Vec<Arc<Model>>) -> Option<Vec<Arc<Model>>> {
        let mut models = self.models.write();
        let known = |model: &Model| models.iter().any(|m| m.provider == model.provider && m.id == model.id);
        let new: Vec<_> = found.into_iter().filter(|model| !known(model)).collect();
        if new.is_empty() {
            return None;
        }
        let end = models.iter().position(|m| m.provider == "demo").unwrap_or(models.len());
        models.splice(end..end, new);
        Some(models.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_discovered_are_added_once_before_demo() {
        let model = |provider: &str| Arc::new(Model::unknown(provider, "m", "a", "u"));
        let offered = AvailableModels::new(vec![model("a"), model("demo")]);
        let twin = offered.clone();
        assert_eq!(offered.add(vec![model("a")]), None);
        assert!(offered.add(vec![model("ollama"), model("a")]).is_some());
        let ids: Vec<_> = twin.all().iter().map(|m| m.provider.clone()).collect();
        assert_eq!(ids, ["a", "ollama", "demo"]);
    }
}
