// SPDX-License-Identifier: MIT

/** Products as text over HTTP, by the server of the JDK. */
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

public class Service {
    private final Map<Integer, String> products = new ConcurrentHashMap<>();

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        int id = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
        String text = "{\"id\": " + id + ", \"name\": \"" + products.get(id) + "\"}\n";
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    public static void main(String[] args) throws IOException {
        Service service = new Service();
        for (int i = 0; i < 1000; i++)
            service.products.put(i, "product " + i);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 8082), 0);
        server.createContext("/product/", service::answer);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }
}
