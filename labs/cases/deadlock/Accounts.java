// SPDX-License-Identifier: MIT

/**
 * Moves money between accounts, for some time, then waits to be stopped.
 *
 *   java Accounts given|sorted
 */
public class Accounts {
    private static class Account {
        final int number;
        long money = 1000;

        Account(int number) {
            this.number = number;
        }
    }

    private static void move(Account from, Account to, boolean sorted) throws Exception {
        Account first = sorted && to.number < from.number ? to : from;
        Account second = first == from ? to : from;
        synchronized (first) {
            Thread.sleep(1);
            synchronized (second) {
                from.money--;
                to.money++;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        boolean sorted = args[0].equals("sorted");
        Account a = new Account(1), b = new Account(2);
        for (int i = 0; i < 2; i++) {
            boolean forth = i == 0;
            new Thread(() -> {
                try {
                    while (true)
                        move(forth ? a : b, forth ? b : a, sorted);
                } catch (Exception e) {
                    throw new RuntimeException(e);
                }
            }, "teller-" + i).start();
        }
    }
}
