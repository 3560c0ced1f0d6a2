(interface_declaration) @class.around
(enum_declaration) @class.around
(abstract_class_declaration) @class.around
(type_alias_declaration) @class.around
