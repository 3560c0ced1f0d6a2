[
  (class_body) (enum_class_body) (protocol_body) (function_body) (computed_property) (computed_getter)
  (computed_setter) (lambda_literal) (array_literal) (dictionary_literal) (value_arguments)
  (if_statement) (guard_statement) (for_statement) (while_statement) (repeat_while_statement) (do_statement)
  (catch_block) (function_declaration) (init_declaration) (tuple_expression) (property_declaration)
] @indent
(switch_entry) @indent @outdent @extend
(switch_statement) @indent
(call_expression) @indent
(navigation_expression) @indent.chain
["}" ")" "]"] @outdent
[(multiline_comment) (multi_line_string_literal)] @literal
