//! Text objects of a map with modes: for an operator that waits, or to be selected.

use crate::ide::core::context::{Command, command};
use crate::ide::editor::modal::moves::{object, syntax_object};
use crate::syntax::objects::Object as Node;
use crate::text::modal::objects::Object;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.inside-word", "The inside of a word", |cx| object(cx, Object::Word(false), false)),
    command("vim.around-word", "A word, with the space around", |cx| object(cx, Object::Word(false), true)),
    command("vim.inside-big-word", "The inside of a word between spaces", |cx| {
        object(cx, Object::Word(true), false);
    }),
    command("vim.around-big-word", "A word between spaces, with the space around", |cx| {
        object(cx, Object::Word(true), true);
    }),
    command("vim.inside-sentence", "The inside of a sentence", |cx| object(cx, Object::Sentence, false)),
    command("vim.around-sentence", "A sentence, with the space around", |cx| {
        object(cx, Object::Sentence, true);
    }),
    command("vim.inside-paragraph", "The inside of a paragraph", |cx| object(cx, Object::Paragraph, false)),
    command("vim.around-paragraph", "A paragraph, with the space around", |cx| {
        object(cx, Object::Paragraph, true);
    }),
    command("vim.inside-parentheses", "What is in parentheses", |cx| {
        object(cx, Object::Brackets('('), false);
    }),
    command("vim.around-parentheses", "Parentheses and what is in them", |cx| {
        object(cx, Object::Brackets('('), true);
    }),
    command("vim.inside-brackets", "What is in square brackets", |cx| {
        object(cx, Object::Brackets('['), false);
    }),
    command("vim.around-brackets", "Square brackets and what is in them", |cx| {
        object(cx, Object::Brackets('['), true);
    }),
    command("vim.inside-braces", "What is in braces", |cx| object(cx, Object::Brackets('{'), false)),
    command("vim.around-braces", "Braces and what is in them", |cx| object(cx, Object::Brackets('{'), true)),
    command("vim.inside-angles", "What is in angle brackets", |cx| object(cx, Object::Brackets('<'), false)),
    command("vim.around-angles", "Angle brackets and what is in them", |cx| {
        object(cx, Object::Brackets('<'), true);
    }),
    command("vim.inside-quotes", "What is in double quotes", |cx| object(cx, Object::Quotes('"'), false)),
    command("vim.around-quotes", "Double quotes and what is in them", |cx| {
        object(cx, Object::Quotes('"'), true);
    }),
    command("vim.inside-single-quotes", "What is in single quotes", |cx| {
        object(cx, Object::Quotes('\''), false);
    }),
    command("vim.around-single-quotes", "Single quotes and what is in them", |cx| {
        object(cx, Object::Quotes('\''), true);
    }),
    command("vim.inside-backticks", "What is in backticks", |cx| object(cx, Object::Quotes('`'), false)),
    command("vim.around-backticks", "Backticks and what is in them", |cx| {
        object(cx, Object::Quotes('`'), true);
    }),
    command("vim.inside-tags", "What is in tags", |cx| object(cx, Object::Tags, false)),
    command("vim.around-tags", "Tags and what is in them", |cx| object(cx, Object::Tags, true)),
    command("vim.around-function", "The function around the cursor", |cx| {
        syntax_object(cx, Node::Function, true);
    }),
    command("vim.inside-function", "The inside of the function here", |cx| {
        syntax_object(cx, Node::Function, false);
    }),
    command("vim.around-class", "The class or structure around the cursor", |cx| {
        syntax_object(cx, Node::Class, true);
    }),
    command("vim.inside-class", "The inside of the class or structure here", |cx| {
        syntax_object(cx, Node::Class, false);
    }),
    command("vim.around-parameter", "The parameter or argument around the cursor", |cx| {
        syntax_object(cx, Node::Parameter, true);
    }),
    command("vim.inside-parameter", "The inside of the parameter or argument here", |cx| {
        syntax_object(cx, Node::Parameter, false);
    }),
    command("vim.around-comment", "The comment around the cursor", |cx| {
        syntax_object(cx, Node::Comment, true);
    }),
    command("vim.inside-comment", "The inside of the comment here", |cx| {
        syntax_object(cx, Node::Comment, false);
    }),
    command("vim.around-test", "The test around the cursor", |cx| syntax_object(cx, Node::Test, true)),
    command("vim.inside-test", "The inside of the test here", |cx| syntax_object(cx, Node::Test, false)),
];
