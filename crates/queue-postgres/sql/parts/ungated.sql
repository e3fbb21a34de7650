ungated AS (
  DELETE FROM {schema}.gate AS a USING gone AS p
  WHERE p.flags & 16 <> 0 AND a.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND a.seq BETWEEN p.seq AND p.seq
),
unsigned AS (
  DELETE FROM {schema}.end_signal AS a USING gone AS p
  WHERE p.flags & 96 <> 0 AND a.queue = ANY (ARRAY[$2 + (p.seq * 0)::integer]) AND a.seq BETWEEN p.seq AND p.seq
),
