[
  (compound_statement) (field_declaration_list) (enumerator_list) (initializer_list)
  (argument_list) (parameter_list) (preproc_if) (preproc_ifdef) (comment)
] @fold
