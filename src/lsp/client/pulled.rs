//! Diagnostics that a server gives only when it is asked (`textDocument/diagnostic`, LSP 3.17).

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::incoming::FileDiagnostics;
use super::{Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::diagnostics;
use crate::lsp::uri;

const METHOD: &str = "textDocument/diagnostic";

impl Client {
    /// Asks for the diagnostics of an open text, and of files that depend on it as the server likes. Also returns the version
    /// of the text if its diagnostics are as before; then they are left out.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn pull_diagnostics(
        &self,
        path: &Path,
    ) -> Result<(Vec<FileDiagnostics>, Option<u64>), QuestionError> {
        let asked = self.text(path).ok_or(QuestionError::NotOpen)?;
        let uri = uri::of_path(path).ok_or(QuestionError::NotOpen)?;
        let params = {
            let shared = self.shared.lock();
            let options = shared.capabilities.options(METHOD).ok_or(QuestionError::NotOffered)?;
            let mut params = json!({ "textDocument": { "uri": uri } });
            if options["identifier"].is_string() {
                params["identifier"] = options["identifier"].clone();
            }
            if let Some(id) = shared.documents.get(path).and_then(|known| known.result_id.as_deref()) {
                params["previousResultId"] = id.into();
            }
            params
        };
        let mut report: Value = self.connection.request(METHOD, params, self.timeout).await?;
        let related = report["relatedDocuments"].take();
        let encoding = self.encoding();
        let mut found = Vec::new();
        let is_unchanged = report["kind"] == "unchanged";
        if !is_unchanged {
            if let Some(known) = self.shared.lock().documents.get_mut(path) {
                known.result_id = report["resultId"].as_str().map(String::from);
            }
            let (diagnostics, total) = diagnostics::decode(report["items"].take());
            let ranges = diagnostics.iter().map(|one| asked.text.offsets(one.range, encoding)).collect();
            let text = Some((asked.version, ranges));
            found.push(FileDiagnostics {
                path: path.to_path_buf(),
                text,
                diagnostics,
                total,
                is_pulled: true,
            });
        }
        if let Value::Object(related) = related {
            let others =
                related.into_iter().filter_map(|(address, report)| Some((uri::to_path(&address)?, report)));
            found.extend(others.filter_map(|(path, report)| self.related(path, report)));
        }
        Ok((found, is_unchanged.then_some(asked.version)))
    }

    /// Decodes the report about another file.
    fn related(&self, path: PathBuf, mut report: Value) -> Option<FileDiagnostics> {
        if report["kind"] == "unchanged" {
            return None;
        }
        let (diagnostics, total) = diagnostics::decode(report["items"].take());
        let encoding = self.encoding();
        let text = self.text(&path).map(|known| {
            let ranges = diagnostics.iter().map(|one| known.text.offsets(one.range, encoding)).collect();
            (known.version, ranges)
        });
        Some(FileDiagnostics { path, text, diagnostics, total, is_pulled: true })
    }
}
