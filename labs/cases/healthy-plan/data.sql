drop table if exists payment, customer;
create table customer (id int primary key, country text);
create table payment (id serial primary key, customer int references customer, cents int);
insert into customer select n, 'country ' || n % 20 from generate_series(1, 5000) n;
insert into payment (customer, cents) select n % 5000 + 1, n from generate_series(1, 200000) n;
analyze customer;
analyze payment;
