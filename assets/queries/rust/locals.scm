[
  (function_item) (closure_expression) (block) (for_expression) (match_arm) (if_expression) (while_expression)
] @local.scope
(parameter pattern: (identifier) @local.parameter)
(parameter pattern: (mut_pattern (identifier) @local.parameter))
(parameter pattern: (tuple_pattern (identifier) @local.parameter))
(parameter pattern: (reference_pattern (identifier) @local.parameter))
(closure_parameters (identifier) @local.parameter)
(closure_parameters (tuple_pattern (identifier) @local.parameter))
(closure_parameters (reference_pattern (identifier) @local.parameter))
(let_declaration pattern: (identifier) @local.definition) @local.anew
(let_declaration pattern: (mut_pattern (identifier) @local.definition)) @local.anew
(let_declaration pattern: (tuple_pattern (identifier) @local.definition)) @local.anew
(let_declaration pattern: (slice_pattern (identifier) @local.definition)) @local.anew
(let_declaration pattern: (tuple_struct_pattern (identifier) @local.definition)) @local.anew
(for_expression pattern: (identifier) @local.definition)
(for_expression pattern: (tuple_pattern (identifier) @local.definition))
((match_pattern (identifier) @local.definition) (#match? @local.definition "^[_a-z]"))
(match_pattern (tuple_pattern (identifier) @local.definition))
(match_pattern (tuple_struct_pattern (identifier) @local.definition))
(captured_pattern (identifier) @local.definition)
((let_condition pattern: (identifier) @local.definition) (#match? @local.definition "^[_a-z]"))
(let_condition pattern: (tuple_pattern (identifier) @local.definition))
(let_condition pattern: (tuple_struct_pattern (identifier) @local.definition))
(identifier) @local.reference
(token_tree (identifier) @local.token)
(string_literal) @local.text
(tuple_struct_pattern type: (identifier) @local.none)
(macro_invocation macro: (identifier) @local.none)
(function_item name: (identifier) @local.none)
(const_item name: (identifier) @local.none)
(static_item name: (identifier) @local.none)
(scoped_identifier name: (identifier) @local.none)
(scoped_identifier path: (identifier) @local.none)
(use_declaration (identifier) @local.none)
(attribute (identifier) @local.none)
(shorthand_field_initializer (identifier) @local.unsure)
(shorthand_field_identifier) @local.unsure
