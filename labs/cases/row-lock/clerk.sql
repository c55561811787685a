\set product random(1, 3)
update stock set n = n - 1 where product = :product;
