(function_declaration body: (_) @function.inside) @function.around
(method_declaration body: (_) @function.inside) @function.around
(func_literal body: (_) @function.inside) @function.around
(type_declaration (type_spec type: (_) @class.inside)) @class.around
(parameter_list (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(comment) @comment.around
