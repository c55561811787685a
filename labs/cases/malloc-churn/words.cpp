// SPDX-License-Identifier: MIT
/*
 * words - count long words of a text
 *
 *   words list|view SECONDS
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <string_view>

template <typename T>
__attribute__((noinline)) static std::list<T> line_split(std::string_view line)
{
	std::list<T> words;
	size_t at = 0;
	while (at < line.size()) {
		size_t end = line.find(' ', at);
		if (end == line.npos)
			end = line.size();
		words.emplace_back(line.substr(at, end - at));
		at = end + 1;
	}
	return words;
}

__attribute__((noinline)) static unsigned line_count_list(std::string_view line)
{
	unsigned n = 0;
	for (const std::string &word : line_split<std::string>(line))
		n += word.size() > 18;
	return n;
}

__attribute__((noinline)) static unsigned line_count_view(std::string_view line)
{
	unsigned n = 0;
	size_t began = 0;
	for (size_t i = 0; i <= line.size(); i++)
		if (i == line.size() || line[i] == ' ') {
			n += i - began > 18;
			began = i + 1;
		}
	return n;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bool list = std::string(argv[1]) == "list";
	std::string line;
	for (int i = 0; i < 40; i++)
		line += i % 3 ? "incomprehensibilities " : "extraterritorialities ";
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	unsigned long n = 0, lines = 0;
	while (std::chrono::steady_clock::now() < end) {
		for (int i = 0; i < 100; i++)
			n += list ? line_count_list(line) : line_count_view(line);
		lines += 100;
	}
	printf("lines %lu %lu\n", lines, n & 1);
	return 0;
}
