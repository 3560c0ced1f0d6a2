; A key names a member.
(block_mapping_pair key: (flow_node (plain_scalar (string_scalar) @variable.other.member)))
(block_mapping_pair key: (flow_node [(double_quote_scalar) (single_quote_scalar)] @variable.other.member))
(flow_mapping (_ key: (flow_node (plain_scalar (string_scalar) @variable.other.member))))
(flow_mapping (_ key: (flow_node [(double_quote_scalar) (single_quote_scalar)] @variable.other.member)))
