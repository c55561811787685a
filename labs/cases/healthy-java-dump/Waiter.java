// SPDX-License-Identifier: MIT

/**
 * A pool of sixteen threads with little to do: a job each 50 ms.
 */
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class Waiter {
    private static volatile long sum;

    private static void serve(int n) {
        for (int i = 0; i < 200000; i++)
            sum += i * n;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(16);
        for (int n = 0;; n++) {
            int number = n;
            pool.submit(() -> serve(number));
            Thread.sleep(50);
        }
    }
}
