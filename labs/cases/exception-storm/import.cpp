/* SPDX-License-Identifier: MIT */
/*
 * import - read a table of measurements in which many fields are empty
 *
 *   import throw|check SECONDS
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

struct column {
	double sum = 0;
	uint64_t n = 0;
	uint64_t n_empty = 0;
};

static std::vector<std::string> split(const std::string &line)
{
	std::vector<std::string> fields;
	size_t from = 0;
	for (;;) {
		size_t to = line.find(';', from);
		fields.push_back(line.substr(from, to - from));
		if (to == std::string::npos)
			return fields;
		from = to + 1;
	}
}

__attribute__((noinline)) static void add_field(column &c, const std::string &field)
{
	try {
		c.sum += std::stod(field);
		c.n++;
	} catch (const std::invalid_argument &) {
		c.n_empty++;
	}
}

__attribute__((noinline)) static void add_checked(column &c, const std::string &field)
{
	if (field.empty() || field == "n/a") {
		c.n_empty++;
		return;
	}
	c.sum += strtod(field.c_str(), nullptr);
	c.n++;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bool checks = std::string(argv[1]) == "check";
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	std::vector<column> columns(8);
	uint64_t n_lines = 0;
	while (std::chrono::steady_clock::now() < end) {
		std::string line;
		for (size_t i = 0; i < columns.size(); i++) {
			line += (n_lines + i) % 3 == 0 ? "n/a"
						       : std::to_string(n_lines + i) + ".25";
			line += i + 1 < columns.size() ? ";" : "";
		}
		std::vector<std::string> fields = split(line);
		for (size_t i = 0; i < fields.size(); i++)
			(checks ? add_checked : add_field)(columns[i], fields[i]);
		n_lines++;
	}
	printf("lines %lu sum %g\n", static_cast<unsigned long>(n_lines), columns[0].sum);
	return 0;
}
