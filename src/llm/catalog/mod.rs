//! Catalog of providers and models: advisory data, read from `assets/` on first use.
//!
//! Must not know credentials or dialects. Unknown model ids pass through.

pub mod bundled;
pub mod info;
pub mod list_parser;
pub mod model_list;
pub mod table;
pub mod user;

pub use info::ProviderInfo;
pub use model_list::ModelLists;
pub use table::Catalog;
pub use user::UserModels;
