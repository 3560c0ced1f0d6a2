; A key names a member wherever it stands; only a table's own name is a type.
(pair (bare_key) @variable.other.member)
(pair (quoted_key) @variable.other.member)
(pair (dotted_key (bare_key) @variable.other.member))
(table (bare_key) @type)
(table_array_element (bare_key) @type)
