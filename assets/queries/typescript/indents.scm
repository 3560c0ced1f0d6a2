[
  (interface_body) (enum_body) (object_type) (type_parameters) (type_arguments)
  (union_type) (intersection_type) (type_alias_declaration)
] @indent
(type_parameters ">" @outdent)
(type_arguments ">" @outdent)
