(function_definition) @function.around
(class_definition) @class.around
(trait_definition) @class.around
(object_definition) @class.around
(enum_definition) @class.around
(parameters (_) @parameter.inside)
(class_parameters (_) @parameter.inside)
(arguments (_) @parameter.inside)
(comment) @comment.around
(block_comment) @comment.around
