explain (analyze, buffers) select country, sum(cents) from payment join customer on customer.id = customer group by country;
