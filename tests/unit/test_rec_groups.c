/* SPDX-License-Identifier: MIT */
/* Control groups by path, name, unit and container, in plain folders. */
#include "unit.h"

#include "base/status.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define WEB  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define DB   "0123ffff89abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define CRIO "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static const char *const folders[] = {
	"sys",
	"sys/system.slice",
	"sys/system.slice/nginx.service",
	"sys/system.slice/nginx.service/worker",
	"sys/system.slice/batch.service",
	"sys/system.slice/docker-" WEB ".scope",
	"sys/system.slice/docker-" WEB ".scope/init",
	"sys/user.slice",
	"sys/user.slice/batch.service",
	"sys/docker",
	"sys/docker/" DB,
	"sys/kubepods",
	"sys/kubepods/crio-" CRIO ".scope",
	"sys/kubepods/crio-conmon-" CRIO ".scope",
	"sys/default",
	"sys/default/redis",
	"docker",
	"docker/" WEB,
};

static char top[64];

static int begin(void **state)
{
	char path[320];
	FILE *f;

	(void)state;
	(void)snprintf(top, sizeof(top), "groups-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", top, folders[i]);
		if (mkdir(path, 0700) < 0)
			return -1;
	}
	(void)snprintf(path, sizeof(path), "%s/docker/" WEB "/config.v2.json", top);
	f = fopen(path, "w");
	if (!f)
		return -1;
	(void)fputs("{\"Config\":{\"Image\":\"x\"},\"Name\":\"/web-1\"}\n", f);
	(void)fclose(f);
	return 0;
}

static int drop_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int end(void **state)
{
	(void)state;
	return nftw(top, drop_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct error why;

/* The group that @name denotes, as a path below the root; otherwise the error message. */
static const char *find(enum record_group_kind kind, const char *name)
{
	static char text[320];
	struct record_group g = { kind, name };
	char root[80];
	char docker[80];
	char *path = NULL;

	(void)snprintf(root, sizeof(root), "%s/sys", top);
	(void)snprintf(docker, sizeof(docker), "%s/docker", top);
	if (rec_groups_find(root, docker, &g, &path, &why) < 0)
		return why.msg;
	(void)snprintf(text, sizeof(text), "%s", path + strlen(root));
	free(path);
	return text;
}

static void a_path_is_taken_as_proc_and_as_the_mount_point_have_it(void **state)
{
	char path[160];

	(void)state;
	assert_string_equal(find(RECORD_GROUP_PATH, "/system.slice"), "/system.slice");
	assert_string_equal(find(RECORD_GROUP_PATH, "system.slice/nginx.service"),
			    "/system.slice/nginx.service");
	(void)snprintf(path, sizeof(path), "%s/sys/user.slice", top);
	assert_string_equal(find(RECORD_GROUP_PATH, path), "/user.slice");
	assert_string_equal(find(RECORD_GROUP_PATH, "/"), "");
}

static void the_end_of_a_path_is_a_name_and_must_be_one_group(void **state)
{
	(void)state;
	assert_string_equal(find(RECORD_GROUP_PATH, "worker"),
			    "/system.slice/nginx.service/worker");
	assert_non_null(strstr(find(RECORD_GROUP_PATH, "batch.service"), "several control groups"));
	assert_string_equal(find(RECORD_GROUP_PATH, "user.slice/batch.service"),
			    "/user.slice/batch.service");
	/* the end of a path component is not a component */
	assert_non_null(strstr(find(RECORD_GROUP_PATH, "inx.service"), "did you mean nginx"));
}

static void a_path_does_not_lead_out_of_the_hierarchy(void **state)
{
	(void)state;
	assert_non_null(strstr(find(RECORD_GROUP_PATH, "../docker"), "no control group"));
}

static void a_unit_is_a_service_unless_it_says_otherwise(void **state)
{
	(void)state;
	assert_string_equal(find(RECORD_GROUP_UNIT, "nginx"), "/system.slice/nginx.service");
	assert_string_equal(find(RECORD_GROUP_UNIT, "user.slice"), "/user.slice");
	assert_non_null(strstr(find(RECORD_GROUP_UNIT, "ngins"), "did you mean nginx?"));
	assert_non_null(strstr(find(RECORD_GROUP_UNIT, "x"), "which has 6: "));
	assert_non_null(
		strstr(find(RECORD_GROUP_UNIT, "nginy.service"), "did you mean nginx.service?"));
}

static void a_container_is_its_id_the_beginning_of_it_or_its_name(void **state)
{
	(void)state;
	assert_string_equal(find(RECORD_GROUP_CONTAINER, WEB),
			    "/system.slice/docker-" WEB ".scope");
	assert_string_equal(find(RECORD_GROUP_CONTAINER, "01234"),
			    "/system.slice/docker-" WEB ".scope");
	assert_string_equal(find(RECORD_GROUP_CONTAINER, "0123f"), "/docker/" DB);
	assert_string_equal(find(RECORD_GROUP_CONTAINER, "web-1"),
			    "/system.slice/docker-" WEB ".scope");
	assert_string_equal(find(RECORD_GROUP_CONTAINER, "redis"), "/default/redis");
	assert_string_equal(find(RECORD_GROUP_CONTAINER, "fedcba"),
			    "/kubepods/crio-" CRIO ".scope");
	assert_non_null(strstr(find(RECORD_GROUP_CONTAINER, "0123"), "several control groups"));
	/* three digits are too short for an id: they may be a name */
	assert_non_null(strstr(find(RECORD_GROUP_CONTAINER, "fed"), "no container 'fed'"));
	assert_non_null(strstr(why.msg, "which has 3: "));
}

static void version_1_with_perf_events_is_the_hierarchy_before_version_2(void **state)
{
	static const char v2[] =
		"30 1 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 none rw\n";
	static const char both[] =
		"30 1 0:26 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n"
		"31 1 0:27 / /sys/fs/cgroup/cpu rw - cgroup none rw,cpu\n"
		"32 1 0:28 / /sys/fs/cgroup/perf_event rw master:9 - cgroup none rw,perf_event\n";
	char path[64];

	(void)state;
	assert_true(rec_groups_root(v2, path, sizeof(path)));
	assert_string_equal(path, "/sys/fs/cgroup");
	assert_true(rec_groups_root(both, path, sizeof(path)));
	assert_string_equal(path, "/sys/fs/cgroup/perf_event");
	assert_false(
		rec_groups_root("31 1 0:27 / /cpu rw - cgroup none rw,cpu\n", path, sizeof(path)));
	assert_false(rec_groups_root("bad\n\n - cgroup2", path, sizeof(path)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_taken_as_proc_and_as_the_mount_point_have_it),
		cmocka_unit_test(the_end_of_a_path_is_a_name_and_must_be_one_group),
		cmocka_unit_test(a_path_does_not_lead_out_of_the_hierarchy),
		cmocka_unit_test(a_unit_is_a_service_unless_it_says_otherwise),
		cmocka_unit_test(a_container_is_its_id_the_beginning_of_it_or_its_name),
		cmocka_unit_test(version_1_with_perf_events_is_the_hierarchy_before_version_2),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
