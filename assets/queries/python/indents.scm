[
  (function_definition) (class_definition) (if_statement) (for_statement) (while_statement)
  (with_statement) (try_statement) (match_statement) (case_clause)
] @indent @extend
[(elif_clause) (else_clause) (except_clause) (finally_clause)] @indent @extend @outdent
[
  (list) (dictionary) (set) (tuple) (argument_list) (parameters) (lambda_parameters)
  (parenthesized_expression) (subscript) (generator_expression)
  (list_comprehension) (dictionary_comprehension) (set_comprehension)
  (tuple_pattern) (list_pattern) (import_from_statement)
] @indent
[
  (return_statement) (break_statement) (continue_statement) (raise_statement) (pass_statement)
] @extend.prevent-once
[")" "]" "}"] @outdent
(string) @literal
