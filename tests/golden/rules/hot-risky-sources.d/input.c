/* SPDX-License-Identifier: MIT */
int next_edge(int a)
{
	return a + 1;
}

int draw_edge(int a, int b)
{
	int sum = 0;

	for (int i = 0; i < a; i++) {
		if (i & 1) {
			while (b > i)
				b -= i ? i : 1;
		} else if (b) {
			sum += next_edge(b);
		}
	}
	return sum;
}

int swap_face(int a)
{
	return -a;
}

int trim_line(int a)
{
	return a / 2;
}

int read_face(int a)
{
	return a * 3;
}
