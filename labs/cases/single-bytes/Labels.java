// SPDX-License-Identifier: MIT

/**
 * Writes address labels into a file for a printer.
 *
 *   java Labels direct|filled SECONDS
 */
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

public class Labels {
    private static void print(OutputStream out, String label) throws IOException {
        for (int i = 0; i < label.length(); i++)
            out.write(label.charAt(i));
        out.write('\n');
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
        long count = 0;
        OutputStream out = new FileOutputStream("labels.txt");
        if (args[0].equals("filled"))
            out = new BufferedOutputStream(out, 1 << 16);
        for (; System.nanoTime() < end && count < 3000000; count++)
            print(out, "Parcel " + count + ", Harbour Road " + count % 90);
        out.close();
        System.out.println("labels " + count);
    }
}
