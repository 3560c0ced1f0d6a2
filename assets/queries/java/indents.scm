[
  (block) (class_body) (interface_body) (enum_body) (annotation_type_body) (constructor_body) (module_body)
  (switch_block) (array_initializer) (element_value_array_initializer)
  (argument_list) (annotation_argument_list) (formal_parameters) (parenthesized_expression) (resource_specification)
  (if_statement) (for_statement) (enhanced_for_statement) (while_statement) (do_statement)
  (local_variable_declaration) (field_declaration) (assignment_expression) (return_statement)
  (method_invocation) (binary_expression) (ternary_expression) (lambda_expression)
] @indent
[(switch_block_statement_group) (switch_rule)] @indent @extend
[
  (break_statement) (return_statement) (continue_statement) (throw_statement) (yield_statement)
] @extend.prevent-once
["}" ")" "]" "else"] @outdent
(if_statement consequence: (block) @outdent)
(if_statement alternative: (block) @outdent)
(for_statement body: (block) @outdent)
(enhanced_for_statement body: (block) @outdent)
(while_statement body: (block) @outdent)
(do_statement body: (block) @outdent)
(do_statement "while" @outdent)
(lambda_expression body: (block) @outdent)
[(block_comment) (string_literal)] @literal
