select pg_sleep(0.8);
update stock set n = n + 100 where product <= 3;
