//! Questions about call and type hierarchies. Each is one step: what is related to one item.

use std::path::Path;

use serde_json::Value;

use super::{Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::hierarchy::{self, HierarchyItem, RelatedItem};

/// How an item is related to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It calls it.
    Caller,
    /// It is called by it.
    Callee,
    /// It is a type from which it is derived.
    Supertype,
    /// It is a type that is derived from it.
    Subtype,
}

impl Relation {
    /// Returns the method that finds what is at a position, under which servers offer it.
    pub fn prepare_method(self) -> &'static str {
        match self {
            Self::Caller | Self::Callee => "textDocument/prepareCallHierarchy",
            Self::Supertype | Self::Subtype => "textDocument/prepareTypeHierarchy",
        }
    }

    fn method(self) -> &'static str {
        match self {
            Self::Caller => "callHierarchy/incomingCalls",
            Self::Callee => "callHierarchy/outgoingCalls",
            Self::Supertype => "typeHierarchy/supertypes",
            Self::Subtype => "typeHierarchy/subtypes",
        }
    }
}

impl Client {
    /// Asks for the items at an offset of a text.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn hierarchy_items(
        &self,
        relation: Relation,
        path: &Path,
        offset: usize,
    ) -> Result<Vec<HierarchyItem>, QuestionError> {
        let (answer, _) = self.ask_at(relation.prepare_method(), path, offset, Value::Null).await?;
        Ok(hierarchy::decode_items(answer))
    }

    /// Asks for what is related to an item.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn related_items(
        &self,
        relation: Relation,
        item: &HierarchyItem,
    ) -> Result<Vec<RelatedItem>, QuestionError> {
        let params = json!({ "item": item.sent });
        let answer: Value = self.connection.request(relation.method(), params, self.timeout).await?;
        Ok(match relation {
            Relation::Caller | Relation::Callee => hierarchy::decode_calls(answer),
            Relation::Supertype | Relation::Subtype => {
                let related = hierarchy::decode_items(answer).into_iter();
                related.map(|item| RelatedItem { item, calls: Vec::new() }).collect()
            }
        })
    }
}
