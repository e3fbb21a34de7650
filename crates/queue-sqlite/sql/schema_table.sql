-- Records which migrations a file has seen. Made before the first of them.
CREATE TABLE queue_schema (
  version    INTEGER PRIMARY KEY,
  applied_at TEXT NOT NULL
) STRICT;
