-- In: mark of the handle. Out: store time.
SELECT {now};
