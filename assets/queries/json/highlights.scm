; A key names a member.
(pair key: (string) @variable.other.member)
