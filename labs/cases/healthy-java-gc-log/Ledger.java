// SPDX-License-Identifier: MIT

/**
 * Entries of accounts, some of which are kept.
 *
 *   java Ledger SECONDS
 */
import java.util.ArrayDeque;

public class Ledger {
    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        ArrayDeque<String> last = new ArrayDeque<>();
        long sum = 0;
        for (long n = 0; System.nanoTime() < end; n++) {
            last.add("entry " + n);
            if (last.size() > 50000)
                last.remove();
            for (int i = 0; i < 300; i++)
                sum = sum * 31 + i * n;
        }
        System.out.println("entries " + last.size() + " " + sum % 2);
    }
}
