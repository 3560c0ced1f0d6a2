[
  (block) (import_spec_list) (field_declaration_list) (interface_type) (literal_value)
  (argument_list) (parameter_list) (comment)
] @fold
