[
  (block) (declaration_list) (field_declaration_list) (ordered_field_declaration_list)
  (enum_variant_list) (match_block) (field_initializer_list) (use_list) (token_tree) (token_tree_pattern)
  (arguments) (parameters) (type_arguments) (type_parameters) (array_expression) (tuple_expression)
  (parenthesized_expression) (tuple_pattern) (struct_pattern) (tuple_struct_pattern) (slice_pattern)
  (macro_definition) (where_clause)
  (let_declaration) (const_item) (static_item) (binary_expression) (match_arm)
  (assignment_expression) (compound_assignment_expr) (return_expression) (closure_expression) (field_initializer)
] @indent
(call_expression) @indent
(field_expression) @indent.chain
["}" ")" "]"] @outdent
(type_arguments ">" @outdent)
(type_parameters ">" @outdent)
(let_declaration value: (block) @outdent)
(match_arm value: (block) @outdent)
(closure_expression body: (block) @outdent)
[(string_literal) (raw_string_literal) (block_comment)] @literal
