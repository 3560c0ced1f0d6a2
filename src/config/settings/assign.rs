//! Sets the fields of settings from file values, which were validated before.

use std::collections::BTreeMap;

use crate::config::kind::{Limit, TokenBudget, Value};

pub(super) fn text(value: Value, into: &mut String) {
    if let Value::Text(text) = value {
        *into = text;
    }
}

pub(super) fn optional(value: Value, into: &mut Option<String>) {
    if let Value::Text(text) = value {
        *into = Some(text);
    }
}

pub(super) fn flag(value: &Value, into: &mut bool) {
    if let Value::Flag(flag) = value {
        *into = *flag;
    }
}

pub(super) fn number(value: &Value, into: &mut usize) {
    if let Value::Number(number) = value {
        *into = usize::try_from(*number).unwrap_or(*into);
    }
}

pub(super) fn numbers(value: Value, into: &mut Vec<usize>) {
    if let Value::Numbers(numbers) = value {
        *into = numbers.into_iter().filter_map(|number| usize::try_from(number).ok()).collect();
    }
}

pub(super) fn limits(value: Value, into: &mut BTreeMap<String, Limit>) {
    if let Value::Limits(limits) = value {
        into.extend(limits);
    }
}

pub(super) fn budgets(value: Value, into: &mut BTreeMap<String, TokenBudget>) {
    if let Value::Budgets(budgets) = value {
        into.extend(budgets);
    }
}
