(method) @function.around
(singleton_method) @function.around
(lambda) @function.around
(class) @class.around
(singleton_class) @class.around
(module) @class.around
(method_parameters (_) @parameter.inside)
(block_parameters (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(comment) @comment.around
((method name: (identifier) @name) @test.around (#match? @name "^test_"))
((call method: (identifier) @name) @test.around (#any-of? @name "it" "describe" "context" "specify"))
