[
  (template_body) (block) (case_block) (enum_body) (arguments) (parameters) (class_parameters) (type_parameters)
  (parenthesized_expression) (tuple_expression) (for_expression) (namespace_selectors)
  (indented_block) (val_definition) (var_definition) (function_definition) (if_expression)
] @indent
(call_expression) @indent
(field_expression) @indent.chain
(case_clause) @indent @extend
["}" ")" "]" "else"] @outdent
(function_definition body: (block) @outdent)
(val_definition value: (block) @outdent)
(if_expression consequence: (block) @outdent)
(if_expression alternative: (block) @outdent)
[(block_comment) (string) (interpolated_string)] @literal
