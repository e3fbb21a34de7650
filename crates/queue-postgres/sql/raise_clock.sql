-- In: time, slack. Store time never goes back behind the mark, whoever asks (I24). A mark that is
-- nearly there is left alone, so that many handles write it no more often than one.
UPDATE {schema}.clock SET mark = $1 WHERE mark < $1 - $2::bigint;
