-- In: milliseconds, as text. Ends this session once its client has taken nothing of what it was
-- sent for so long, unless somebody set another limit.
SELECT set_config('tcp_user_timeout', $1, false) WHERE current_setting('tcp_user_timeout') = '0';
