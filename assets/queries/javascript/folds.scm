[
  (statement_block) (class_body) (object) (array) (switch_body) (arguments)
  (formal_parameters) (named_imports) (template_string) (comment)
] @fold
