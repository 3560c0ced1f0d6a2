[
  (block) (declaration_list) (enum_member_declaration_list) (accessor_list) (switch_body) (initializer_expression)
  (anonymous_object_creation_expression) (argument_list) (parameter_list) (bracketed_argument_list)
  (attribute_list) (switch_expression) (collection_expression) (property_pattern_clause)
  (if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (using_statement) (lock_statement)
  (local_declaration_statement) (field_declaration) (assignment_expression) (return_statement)
  (binary_expression) (conditional_expression) (lambda_expression) (arrow_expression_clause)
] @indent
(switch_section) @indent @extend
[
  (break_statement) (return_statement) (continue_statement) (throw_statement) (goto_statement)
] @extend.prevent-once
(invocation_expression) @indent
(member_access_expression) @indent.chain
["}" ")" "]" "else"] @outdent
(implicit_array_creation_expression (initializer_expression) @outdent)
(array_creation_expression (initializer_expression) @outdent)
(object_creation_expression (initializer_expression) @outdent)
(implicit_object_creation_expression (initializer_expression) @outdent)
(if_statement (block) @outdent)
(for_statement (block) @outdent)
(foreach_statement (block) @outdent)
(while_statement (block) @outdent)
(do_statement (block) @outdent)
(do_statement "while" @outdent)
(using_statement (block) @outdent)
(lock_statement (block) @outdent)
(lambda_expression (block) @outdent)
[
  (preproc_if) (preproc_else) (preproc_elif) (preproc_define) (preproc_region) (preproc_endregion) "#endif"
] @margin
[(comment) (verbatim_string_literal) (raw_string_literal)] @literal
