drop table if exists stock;
create table stock (product int primary key, n int);
insert into stock select n, 1000 from generate_series(1, 1000) n;
