-- In: queue. Writes only where that has changed.
UPDATE queue_name SET has_kinds = NOT has_kinds
WHERE queue = ?1 AND has_kinds <> EXISTS (SELECT 1 FROM queue_kind WHERE queue_kind.queue = ?1);
