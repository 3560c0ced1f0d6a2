//! The favorite models on the event loop. They are the user's, for all folders and windows.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::ide::core::context::{Cx, TaskError, answer_or_error};
use crate::ide::core::slots::Slot;
use crate::ide::features::models::store::{FavoriteStore, ModelId};
use crate::llm::model::Model;

/// Slot of the feature's state.
pub const FAVORITES: Slot<Favorites> = Slot::new();

/// The favorites.
#[derive(Debug)]
pub struct Favorites {
    /// The models, oldest first; also those that are not available now.
    pub models: Vec<ModelId>,
    store: Arc<FavoriteStore>,
    /// Number of changes that are not written yet: until then what was read may be older.
    writing: usize,
}

impl ModelId {
    /// Returns the names of a model.
    pub fn of(model: &Model) -> Self {
        Self { provider: model.provider.clone(), id: model.id.clone() }
    }

    /// Whether it names this model.
    pub fn is(&self, model: &Model) -> bool {
        self.provider == model.provider && self.id == model.id
    }
}

impl Favorites {
    /// Returns favorites that are not read yet.
    pub fn new(state: &Path) -> Self {
        Self { models: Vec::new(), store: Arc::new(FavoriteStore::new(state)), writing: 0 }
    }

    /// Whether a model is one.
    pub fn has(&self, model: &Model) -> bool {
        self.models.iter().any(|known| known.is(model))
    }
}

/// Reads the favorites, which another window may have changed.
pub fn load(cx: &mut Cx<'_>) {
    let store = Arc::clone(&cx.state.slots[FAVORITES].store);
    cx.tasks.spawn_blocking("models.load-favorites", move || store.get(), on_known);
}

/// Makes a model a favorite, or no longer.
pub fn set(cx: &mut Cx<'_>, model: &ModelId, is_favorite: bool) {
    let favorites = &mut cx.state.slots[FAVORITES];
    favorites.models.retain(|known| known != model);
    if is_favorite {
        favorites.models.push(model.clone());
    }
    favorites.writing += 1;
    let (store, model) = (Arc::clone(&favorites.store), model.clone());
    cx.tasks.spawn_blocking(
        "models.keep-favorite",
        move || store.set(model, is_favorite),
        |cx, known| {
            cx.state.slots[FAVORITES].writing -= 1;
            on_known(cx, known);
        },
    );
}

fn on_known(cx: &mut Cx<'_>, known: Result<io::Result<Vec<ModelId>>, TaskError>) {
    match answer_or_error(cx, "keep favorite models", known) {
        Some(Ok(models)) if cx.state.slots[FAVORITES].writing == 0 => {
            cx.state.slots[FAVORITES].models = models;
        }
        Some(Err(error)) => cx.state.set_error(format!("Cannot keep favorite models: {error}")),
        Some(Ok(_)) | None => {}
    }
}
