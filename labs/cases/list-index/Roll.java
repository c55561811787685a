// SPDX-License-Identifier: MIT

/**
 * Marks on a roll of pupils: the average of each class, again and again.
 *
 *   java Roll linked|array SECONDS
 */
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

public class Roll {
    private static long average(List<Integer> marks) {
        long sum = 0;
        for (int i = 0; i < marks.size(); i++)
            sum += marks.get(i);
        return sum / marks.size();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
        List<Integer> marks = args[0].equals("linked") ? new LinkedList<>() : new ArrayList<>();
        for (int i = 0; i < 6000; i++)
            marks.add(i % 15);
        long sum = 0, count = 0;
        for (; System.nanoTime() < end; count++)
            sum += average(marks);
        System.out.println("averages " + count + " " + sum % 2);
    }
}
