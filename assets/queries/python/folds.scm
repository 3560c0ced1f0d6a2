[
  (function_definition) (class_definition) (if_statement) (for_statement) (while_statement)
  (with_statement) (try_statement) (match_statement) (dictionary) (list) (argument_list)
  (import_from_statement) (string)
] @fold
