-- In: queue, partition, leases, waiting. Of one whose front stays, so that no index is opened.
UPDATE queue_partition SET leases = ?3, waiting = ?4 WHERE queue = ?1 AND partition = ?2;
