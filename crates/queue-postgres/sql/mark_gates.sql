-- In: queue. Marks it as one that has gates, which `claim_lines.sql` claims from. The mark stays.
UPDATE {schema}.queue SET has_gates = true WHERE queue = $1 AND NOT has_gates;
