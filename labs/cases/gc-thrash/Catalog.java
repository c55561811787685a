// SPDX-License-Identifier: MIT

/**
 * A shop's catalog in memory, that requests read and render.
 *
 *   java -Xmx40m Catalog SECONDS
 */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Catalog {
    private final Map<Integer, List<String>> pages = new HashMap<>();

    private void load(int products) {
        for (int i = 0; i < products; i++) {
            List<String> page = new ArrayList<>();
            for (int j = 0; j < 8; j++)
                page.add("attribute " + j + " of product " + i);
            pages.put(i, page);
        }
    }

    private int render(int product) {
        StringBuilder html = new StringBuilder();
        for (String attribute : pages.get(product))
            html.append("<li>").append(attribute).append("</li>");
        return html.toString().length();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        Catalog catalog = new Catalog();
        int products = 30000;
        catalog.load(products);
        Thread[] workers = new Thread[3];
        for (int w = 0; w < workers.length; w++) {
            final int first = w;
            workers[w] = new Thread(() -> {
                long length = 0;
                for (int i = first; System.nanoTime() < end; i++)
                    length += catalog.render(i % products);
                if (length == 0)
                    System.out.println("nothing rendered");
            }, "request-" + w);
            workers[w].start();
        }
        for (Thread t : workers)
            t.join();
    }
}
