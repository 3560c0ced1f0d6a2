(function_declaration) @function.around
(function_definition) @function.around
(parameters (_) @parameter.inside)
(arguments (_) @parameter.inside)
(comment) @comment.around
