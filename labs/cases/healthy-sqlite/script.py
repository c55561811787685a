# SPDX-License-Identifier: MIT
"""Statements of a small shop: orders come in by transactions, others are looked up and changed."""
print("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
print("CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INT, item TEXT, price REAL, state INT);")
print("CREATE INDEX orders_customer ON orders(customer);")
for n in range(20000):
    print("BEGIN;")
    for i in range(5):
        number = n * 5 + i
        print("INSERT INTO orders VALUES(%d, %d, 'item %d', %d.5, 0);" % (
            number, number * 7919 % 5000, number % 300, number % 90))
    print("SELECT count(*), sum(price) FROM orders WHERE customer = %d;" % (n * 31 % 5000))
    print("UPDATE orders SET state = 1 WHERE id = %d;" % (n * 3))
    print("SELECT item, price FROM orders WHERE id = %d;" % (n * 2))
    print("COMMIT;")
