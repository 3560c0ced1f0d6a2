; The target of a rule is what it makes.
(rule (targets (word) @function))
