// SPDX-License-Identifier: MIT

/**
 * Renders pages, and keeps memory tidy after each few of them.
 *
 *   java Pages tidy|plain SECONDS
 */
import java.util.ArrayList;
import java.util.List;

public class Pages {
    private static final List<byte[]> cache = new ArrayList<>();

    private static int render(int number) {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < 2000; i++)
            page.append("<p>").append(number + i).append("</p>");
        return page.length();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
        for (int i = 0; i < 60; i++)
            cache.add(new byte[1 << 20]);
        long size = 0;
        int n = 0;
        for (; System.nanoTime() < end; n++) {
            size += render(n);
            if (args[0].equals("tidy") && n % 20 == 0)
                System.gc();
        }
        System.out.println("pages " + n + " " + size % 2);
    }
}
