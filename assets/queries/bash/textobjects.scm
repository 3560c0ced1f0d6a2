(function_definition) @function.around
(comment) @comment.around
