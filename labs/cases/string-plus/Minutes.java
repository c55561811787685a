// SPDX-License-Identifier: MIT

/**
 * The minutes of a meeting, put together from what was said.
 *
 *   java Minutes plus|builder SECONDS
 */
public class Minutes {
    private static String joined(String[] said) {
        String text = "";
        for (String line : said)
            text += line;
        return text;
    }

    private static String built(String[] said) {
        StringBuilder text = new StringBuilder();
        for (String line : said)
            text.append(line);
        return text.toString();
    }

    private static int write(String[] said, boolean plus) {
        String text = plus ? joined(said) : built(said);
        return text.length();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
        boolean plus = args[0].equals("plus");
        String[] said = new String[6000];
        for (int i = 0; i < said.length; i++)
            said[i] = "Speaker " + i % 7 + " asks for the floor.\n";
        long size = 0, count = 0;
        for (; System.nanoTime() < end; count++)
            size += write(said, plus);
        System.out.println("minutes " + count + " " + size % 2);
    }
}
