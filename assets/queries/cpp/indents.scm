[
  (compound_statement) (field_declaration_list) (enumerator_list) (initializer_list)
  (parameter_list) (argument_list) (template_parameter_list) (template_argument_list)
  (parenthesized_expression) (condition_clause) (requirement_seq) (lambda_capture_specifier)
  (if_statement) (else_clause) (for_statement) (for_range_loop) (while_statement) (do_statement)
  (declaration) (init_declarator) (assignment_expression) (return_statement)
] @indent
(case_statement) @indent @extend
[
  (break_statement) (return_statement) (goto_statement) (continue_statement) (throw_statement)
] @extend.prevent-once
(call_expression) @indent
(field_expression) @indent.chain
["}" ")" "]"] @outdent
(template_parameter_list ">" @outdent)
(template_argument_list ">" @outdent)
(access_specifier) @outdent
(if_statement consequence: (compound_statement) @outdent)
(if_statement alternative: (else_clause) @outdent)
(else_clause (compound_statement) @outdent)
(else_clause (if_statement) @outdent)
(for_statement body: (compound_statement) @outdent)
(for_range_loop body: (compound_statement) @outdent)
(while_statement body: (compound_statement) @outdent)
(do_statement body: (compound_statement) @outdent)
(do_statement "while" @outdent)
(init_declarator value: (initializer_list) @outdent)
(case_statement (compound_statement) @outdent)
[
  (preproc_include) (preproc_def) (preproc_function_def) (preproc_call)
  (preproc_if) (preproc_ifdef) (preproc_else) (preproc_elif) "#endif"
] @margin
[(comment) (string_literal) (raw_string_literal)] @literal
