-- In: queue, tag, two seqs. Out: the jobs between them that have the tag, the oldest first.
FROM queue_tag AS tagged
CROSS JOIN queue_job AS job ON job.key = (tagged.queue << 40) + tagged.seq
LEFT JOIN queue_life AS life ON life.seq = tagged.seq
WHERE tagged.queue = ?1 AND tagged.tag = ?2 AND tagged.seq > ?3 AND tagged.seq < ?4
ORDER BY tagged.seq;
