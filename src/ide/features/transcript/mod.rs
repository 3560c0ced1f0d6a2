//! The transcript: items of the conversation, their layout, colors of code in them.

use crate::ide::core::damage::Part;
use crate::ide::core::feature::{Feature, FeatureEvent};
use std::cell::RefCell;

pub mod agents;
pub mod cards;
pub mod code_blocks;
pub mod commands;
pub mod copy;
pub mod diagrams;
pub mod earlier;
pub mod edited_turn;
pub mod focus;
pub mod items;
pub mod layout;
pub mod lines;
pub mod long_texts;
pub mod mouse;
pub mod named_files;
pub mod pane;
pub mod places;
pub mod retry;
pub mod search;
pub mod selection;
pub mod timing;
pub mod turns;
pub mod view;
pub mod welcome;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS, named_files::COMMANDS, agents::COMMANDS],
    panes: &[&pane::PANE],
    pickers: &[&named_files::PICKER],
    stop: focus::escape,
    slots: &[
        |_| Box::new(items::Transcript::default()),
        |_| Box::new(RefCell::<view::TranscriptView>::default()),
        |_| Box::new(named_files::NamedFiles::default()),
        |_| Box::new(agents::Agents::default()),
        |_| Box::new(edited_turn::EditedTurn::default()),
    ],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent => {
            code_blocks::after_frame(cx);
            earlier::after_frame(cx);
            long_texts::after_frame(cx);
            if cx.state.is_accessible() && cx.state.slots[items::TRANSCRIPT].note_shown() {
                cx.state.damage.add(Part::Transcript);
            }
        }
        FeatureEvent::ConversationReplaced { is_other_session } => {
            edited_turn::on_conversation_replaced(cx, is_other_session);
        }
        FeatureEvent::BeforeSleep => timing::update(cx),
        FeatureEvent::DeadlineReached => {
            retry::tick(cx);
            mouse::tick(cx);
            timing::tick(cx);
        }
        _ => {}
    },
    deadline: |state| timing::deadline(state).into_iter().chain(mouse::deadline(state)).min(),
    ..Feature::new("transcript")
};
