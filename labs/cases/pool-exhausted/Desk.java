// SPDX-License-Identifier: MIT

/**
 * Twenty threads answer questions; an answer needs one of the connections to an archive.
 *
 *   java Desk 2|20
 */
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

public class Desk {
    private static BlockingQueue<Socket> free;

    private static int archiveRead(Socket s) throws Exception {
        s.getOutputStream().write('?');
        return s.getInputStream().read();
    }

    private static int question() throws Exception {
        Socket s = free.take();
        try {
            return archiveRead(s);
        } finally {
            free.put(s);
        }
    }

    private static void archive(Socket s) {
        try {
            while (s.getInputStream().read() >= 0) {
                Thread.sleep(150);
                s.getOutputStream().write('!');
            }
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        free = new ArrayBlockingQueue<>(n);
        for (int i = 0; i < n; i++) {
            free.put(new Socket(listener.getInetAddress(), listener.getLocalPort()));
            Socket s = listener.accept();
            new Thread(() -> archive(s), "archive-" + i).start();
        }
        for (int i = 0; i < 20; i++) {
            new Thread(() -> {
                try {
                    while (true)
                        question();
                } catch (Exception e) {
                    throw new RuntimeException(e);
                }
            }, "desk-" + i).start();
        }
    }
}
