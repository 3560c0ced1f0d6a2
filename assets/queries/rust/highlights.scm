; Rust. Only chains of nodes, so that nothing has to be compiled before the first colours; of two
; patterns for one node the later wins.

; Names by what they look like.
(type_identifier) @type
(primitive_type) @type.builtin
(field_identifier) @variable.other.member
((identifier) @constructor (#match? @constructor "^[A-Z]"))
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(self) @variable.builtin
(lifetime (identifier) @label)

; Names by where they stand.
(scoped_identifier path: (identifier) @type (#match? @type "^[A-Z]"))
(scoped_identifier path: (scoped_identifier name: (identifier) @type) (#match? @type "^[A-Z]"))
(scoped_type_identifier path: (identifier) @type (#match? @type "^[A-Z]"))
(scoped_type_identifier path: (scoped_identifier name: (identifier) @type) (#match? @type "^[A-Z]"))
(struct_pattern type: (scoped_type_identifier name: (type_identifier) @constructor))
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(enum_variant name: (identifier) @type.enum.variant)
(parameter (identifier) @variable.parameter)
(closure_parameters (identifier) @variable.parameter)
(field_declaration name: (field_identifier) @variable.other.member)

; Calls, of plain, qualified and generic names.
([
  (call_expression function: (identifier) @function)
  (call_expression function: (scoped_identifier name: (identifier) @function))
  (generic_function function: (identifier) @function)
  (generic_function function: (scoped_identifier name: (identifier) @function))
] (#not-match? @function "^[A-Z]"))
[
  (call_expression function: (field_expression field: (field_identifier) @function.method))
  (generic_function function: (field_expression field: (field_identifier) @function.method))
]
(macro_invocation macro: [
  (identifier) @function.macro
  (scoped_identifier name: (identifier) @function.macro)
])
(macro_invocation "!" @function.macro)
(function_item name: (identifier) @function)
(function_signature_item name: (identifier) @function)
(macro_definition name: (identifier) @function.macro)

; Comments.
(line_comment) @comment.line
(block_comment) @comment.block
(line_comment (doc_comment)) @comment.line.documentation
(block_comment (doc_comment)) @comment.block.documentation

; Values.
[(string_literal) (raw_string_literal)] @string
(char_literal) @constant.character
(escape_sequence) @constant.character.escape
(boolean_literal) @constant.builtin.boolean
(integer_literal) @constant.numeric.integer
(float_literal) @constant.numeric.float
[(attribute_item) (inner_attribute_item)] @attribute

; Words.
[
  "as" "async" "await" "break" "const" "continue" "default" "dyn" "else" "enum" "extern" "fn" "for"
  "gen" "if" "impl" "in" "let" "loop" "macro_rules!" "match" "mod" "move" "pub" "raw" "ref" "return"
  "static" "struct" "trait" "type" "union" "unsafe" "use" "where" "while" "yield" (crate) (super)
] @keyword
(mutable_specifier) @keyword.storage.modifier
[
  (use_list (self) @keyword)
  (scoped_use_list (self) @keyword)
  (scoped_identifier (self) @keyword)
]

; Signs.
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
[(type_arguments ["<" ">"] @punctuation.bracket) (type_parameters ["<" ">"] @punctuation.bracket)]
["::" ":" "." "," ";"] @punctuation.delimiter
["*" "&" "'"] @operator
