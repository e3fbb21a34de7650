-- Takes migration 1 back, and with it every job. The schema itself stays, since it may hold more.
DROP FUNCTION {schema}.refuse_lost_race();
DROP FUNCTION {schema}.claim_in_turn, {schema}.take_partition_slips, {schema}.next_fronts, {schema}.lease_fronts,
  {schema}.look_at_partitions, {schema}.lock_turns, {schema}.limit_of;
DROP VIEW {schema}.job;
DROP TABLE {schema}.slip, {schema}.end_signal, {schema}.gate, {schema}.tally, {schema}.total, {schema}.feed, {schema}.series, {schema}.worker, {schema}.finished, {schema}.lease, {schema}.ready, {schema}.attempt, {schema}.tag, {schema}.body,
  {schema}.partition_slip, {schema}.partition, {schema}.turn, {schema}.queue_limit, {schema}.lane, {schema}.line, {schema}.queue, {schema}.clock;
DROP SEQUENCE {schema}.life;
DROP FUNCTION {schema}.slip_of_waiting, {schema}.slip_of_lease, {schema}.place;
