drop table if exists parcel;
create table parcel (id serial primary key, receiver int, state text);
insert into parcel (receiver, state) select n::bigint * 7919 % 40000, 'sent' from generate_series(1, 400000) n;
analyze parcel;
