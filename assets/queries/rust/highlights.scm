; Finer names than the grammar's own query has.
(mutable_specifier) @keyword.storage.modifier
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(enum_variant name: (identifier) @type.enum.variant)
(parameter pattern: (identifier) @variable.parameter)
(closure_parameters (identifier) @variable.parameter)
(field_declaration name: (field_identifier) @variable.other.member)
(integer_literal) @constant.numeric.integer
(float_literal) @constant.numeric.float
(boolean_literal) @constant.builtin.boolean
(char_literal) @constant.character
(escape_sequence) @constant.character.escape
(line_comment (doc_comment)) @comment.line.documentation
(block_comment (doc_comment)) @comment.block.documentation
