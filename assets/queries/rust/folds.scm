[
  (block) (declaration_list) (field_declaration_list) (enum_variant_list) (match_block)
  (use_list) (array_expression) (field_initializer_list) (arguments) (parameters)
  (token_tree) (block_comment)
] @fold
