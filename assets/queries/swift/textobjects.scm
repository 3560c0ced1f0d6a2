(function_declaration) @function.around
(init_declaration) @function.around
(lambda_literal) @function.around
(class_declaration) @class.around
(protocol_declaration) @class.around
(function_declaration (parameter) @parameter.inside)
(value_arguments (value_argument) @parameter.inside)
(comment) @comment.around
(multiline_comment) @comment.around
((function_declaration name: (simple_identifier) @name) @test.around (#match? @name "^test"))
