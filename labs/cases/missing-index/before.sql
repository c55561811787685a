set max_parallel_workers_per_gather = 0;
explain (analyze, buffers) select * from parcel where receiver = 1234;
