//! The task list, as models update it and front ends display it.
//!
//! Must not know any tool. Each list replaces the previous one.

use serde_json::Value;

use crate::base::json::json;

use crate::tools::contract::view::{PlanStep, StepProgress};

/// Parses a list of objects, with the text in field `text` and the state in `status`.
pub fn read(list: Option<&Value>, text: &str) -> Vec<PlanStep> {
    let rows = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let item = |row: &Value| {
        let progress = row.get("status").and_then(Value::as_str).and_then(StepProgress::parse);
        let words = row.get(text).and_then(Value::as_str)?.to_string();
        Some(PlanStep { text: words, progress: progress.unwrap_or(StepProgress::Pending) })
    };
    rows.iter().filter_map(item).collect()
}

/// Returns the error for a list with more than one step in progress.
pub fn find_problem(items: &[PlanStep]) -> Option<String> {
    let at_once = items.iter().filter(|item| item.progress == StepProgress::InProgress).count();
    (at_once > 1)
        .then(|| format!("{at_once} steps are in_progress; at most one may be. Send the list again."))
}

/// The details of a result that changed the list.
pub fn details(items: &[PlanStep]) -> Value {
    let rows = items.iter().map(|item| json!({"text": item.text, "status": item.progress.name()}));
    json!({"plan": rows.collect::<Vec<_>>()})
}

/// The list in such details.
pub fn from_details(details: Option<&Value>) -> Option<Vec<PlanStep>> {
    let list = details?.get("plan")?;
    Some(read(Some(list), "text"))
}

/// Returns one line for the model with the numbers of steps by state.
pub fn summary(items: &[PlanStep]) -> String {
    let count = |progress| items.iter().filter(|item| item.progress == progress).count();
    match (items.len(), count(StepProgress::Completed)) {
        (0, _) => "The list is empty.".to_string(),
        (all, done) => format!("{done}/{all} done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_items_roundtrip_in_details() {
        let list = json!([
            {"step": "look", "status": "completed"},
            {"step": "do", "status": "in_progress"},
            {"step": "check"},
            {"other": 1},
        ]);
        let items = read(Some(&list), "step");
        assert_eq!(items.len(), 3);
        assert_eq!(from_details(Some(&details(&items))), Some(items.clone()));
        assert_eq!(summary(&items), "1/3 done");
        assert_eq!(find_problem(&items), None);
        let twice = vec![items[1].clone(); 2];
        assert!(find_problem(&twice).unwrap().starts_with("2 steps"));
        assert_eq!(read(None, "step"), []);
        assert_eq!(from_details(None), None);
    }
}
