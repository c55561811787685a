begin;
update stock set n = n + 100 where product <= 3;
select pg_sleep(0.8);
commit;
