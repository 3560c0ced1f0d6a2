(function_definition) @function.around
(struct_specifier) @class.around
(union_specifier) @class.around
(enum_specifier) @class.around
(parameter_list (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(comment) @comment.around
