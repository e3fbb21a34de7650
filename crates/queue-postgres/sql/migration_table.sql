-- Records which migrations a schema has seen. Made before the first of them.
CREATE TABLE {schema}.migration (
  version    integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
