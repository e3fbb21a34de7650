-- In: seq, how many. All but that many of the last attempts of a life go.
DELETE FROM queue_attempt WHERE seq = ?1 AND epoch <= (
  SELECT epoch FROM queue_attempt WHERE seq = ?1 ORDER BY epoch DESC LIMIT 1 OFFSET ?2
);
