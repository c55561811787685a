/* SPDX-License-Identifier: MIT */
/*
 * The kind of each call, by its name. Sources: man pages of sections 2 and 3; syscalls(2) for older
 * names.
 */
#include "analyses/syscalls/syscalls.h"

#include "base/str.h"

static const struct {
	const char *name;
	const char *calls;
	bool is_library;
	enum syscall_waits waits;
} kinds_table[SYSCALL_KINDS] = {
	[SYSCALL_KIND_OTHER] = { "other calls", "", false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_LOOKUP] = { "path look-ups",
				  "stat|lstat|stat64|lstat64|newfstatat|fstatat|fstatat64|statx|"
				  "oldstat|"
				  "access|faccessat|faccessat2|eaccess|readlink|readlinkat|"
				  "getxattr|"
				  "lgetxattr|listxattr|statfs|statfs64|name_to_handle_at|getcwd|"
				  "chdir",
				  false, SYSCALL_WAITS_RARELY },
	[SYSCALL_KIND_OPEN] = { "opening and closing files",
				"open|openat|openat2|creat|close|close_range|closefrom|"
				"open_by_handle_at",
				false, SYSCALL_WAITS_RARELY },
	[SYSCALL_KIND_DIRECTORY] = { "reading directories",
				     "getdents|getdents64|getdirentries*|readdir", false,
				     SYSCALL_WAITS_RARELY },
	[SYSCALL_KIND_IO] = { "reads and writes",
			      "read|write|pread|pread64|pwrite|pwrite64|readv|writev|preadv*|"
			      "pwritev*|"
			      "sendfile|sendfile64|splice|tee|copy_file_range|readahead|fadvise64*",
			      false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_SEEK] = { "seeking", "lseek|_llseek|llseek", false, SYSCALL_WAITS_NEVER },
	[SYSCALL_KIND_SYNC] = { "flushing files to storage",
				"fsync|fdatasync|sync|syncfs|sync_file_range*|msync", false,
				SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_MOUNT] = { "mounting",
				 "mount|umount|umount2|move_mount|fsopen|fsmount|fsconfig|"
				 "open_tree|mount_setattr|pivot_root|unshare|setns",
				 false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_NAMES] = { "changing files and directories",
				 "unlink|unlinkat|rename|renameat*|mkdir|mkdirat|rmdir|link|linkat|"
				 "symlink*|chmod|fchmod*|chown|fchown*|lchown|utime*|mknod*|"
				 "setxattr|fsetxattr",
				 false, SYSCALL_WAITS_RARELY },
	[SYSCALL_KIND_SIZES] = { "changing sizes of files",
				 "fallocate|posix_fallocate*|ftruncate*|truncate*", false,
				 SYSCALL_WAITS_RARELY },
	[SYSCALL_KIND_FUTEX] = { "futexes",
				 "futex|futex_*|umtx_op|_umtx_op|ulock_*|__ulock_*|lwp_park|psynch_"
				 "*|"
				 "semop|semtimedop|lwp_mutex_*|lwp_cond_*",
				 false, SYSCALL_WAITS_ALWAYS },
	[SYSCALL_KIND_CLOCK] = { "reading the clock",
				 "gettimeofday|clock_gettime|clock_gettime64|time|clock_getres|"
				 "times",
				 false, SYSCALL_WAITS_NEVER },
	[SYSCALL_KIND_MEMORY] = { "changing the memory map",
				  "brk|mmap|mmap2|munmap|mremap|madvise|mprotect|mlock*|munlock*|"
				  "mbind|"
				  "set_mempolicy|pkey_mprotect|mincore|sbrk|break|obreak",
				  false, SYSCALL_WAITS_RARELY },
	[SYSCALL_KIND_POLL] = { "polling",
				"poll|ppoll*|select|_newselect|pselect6*|epoll_wait|epoll_pwait*|"
				"kevent|"
				"kqueue|port_get*|pollsys",
				false, SYSCALL_WAITS_ALWAYS },
	[SYSCALL_KIND_REGISTER] = { "registering descriptors with epoll",
				    "epoll_ctl|epoll_create*|inotify_*|fanotify_*", false,
				    SYSCALL_WAITS_NEVER },
	[SYSCALL_KIND_YIELD] = { "giving up the CPU", "sched_yield|lwp_yield|yield", false,
				 SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_SLEEP] = { "sleeping", "nanosleep|clock_nanosleep*|usleep|sleep", false,
				 SYSCALL_WAITS_ALWAYS },
	[SYSCALL_KIND_TIMER] = { "setting timers",
				 "setitimer|getitimer|alarm|timer_*|timerfd_*|eventfd*", false,
				 SYSCALL_WAITS_NEVER },
	[SYSCALL_KIND_PROCESS] = { "starting processes and threads",
				   "fork|vfork|clone|clone3|execve|execveat|pipe|pipe2|spawn*|"
				   "rfork|"
				   "set_robust_list|set_tid_address|arch_prctl|exit|exit_group|"
				   "prlimit64",
				   false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_WAIT] = { "waiting for child processes", "wait4|waitid|waitpid|wait", false,
				SYSCALL_WAITS_ALWAYS },
	[SYSCALL_KIND_SIGNAL] = { "signals",
				  "rt_sigprocmask|rt_sigaction|rt_sigreturn|sigreturn|sigprocmask|"
				  "sigaction|kill|tkill|tgkill|sigaltstack|rt_sigqueueinfo|"
				  "rt_tgsigqueueinfo|rt_sigpending|signalfd*",
				  false, SYSCALL_WAITS_NEVER },
	[SYSCALL_KIND_SIGNAL_WAIT] = { "waiting for signals",
				       "pause|rt_sigsuspend|sigsuspend|rt_sigtimedwait*|"
				       "sigtimedwait|sigwaitinfo|sigwait",
				       false, SYSCALL_WAITS_ALWAYS },
	[SYSCALL_KIND_NETWORK] = { "messages",
				   "send|sendto|sendmsg|sendmmsg|recv|recvfrom|recvmsg|recvmmsg*",
				   false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_SOCKET] = { "setting up sockets",
				  "socket|socketpair|connect|accept|accept4|bind|listen|setsockopt|"
				  "getsockopt|getsockname|getpeername|shutdown",
				  false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_DESCRIPTOR] = { "asking about descriptors",
				      "fcntl|fcntl64|dup|dup2|dup3|fstat|fstat64|fstatfs*", false,
				      SYSCALL_WAITS_RARELY },
	[SYSCALL_KIND_DEVICE] = { "ioctl", "ioctl", false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_IDENTITY] = { "asking for ids",
				    "getpid|gettid|getppid|getuid*|geteuid*|getgid*|getegid*|"
				    "getpgrp|"
				    "getpgid|getsid|getresuid|getrusage|sched_getaffinity|getcpu|"
				    "getpriority|uname|sysinfo|getrlimit|ugetrlimit|capget|"
				    "sched_getscheduler|sched_getparam",
				    false, SYSCALL_WAITS_NEVER },
	[SYSCALL_KIND_SETTING] = { "settings of the process",
				   "prctl|umask|setuid*|setgid*|setreuid*|setregid*|setresuid*|"
				   "setresgid*|setgroups*|setfsuid*|setfsgid*|setpgid|setsid|"
				   "setrlimit|setpriority|sched_set*|capset|personality|ioprio_set",
				   false, SYSCALL_WAITS_NEVER },
	[SYSCALL_KIND_TRACE] = { "inspecting other processes",
				 "ptrace|process_vm_readv|process_vm_writev|perf_event_open|bpf|"
				 "kcmp",
				 false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_AIO] = { "asynchronous I/O",
			       "io_submit|io_getevents|io_pgetevents|io_uring_enter|io_setup|aio_*",
			       false, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_FILE_LOCK] = { "file locks", "flock|lockf", false, SYSCALL_WAITS_ALWAYS },
	[SYSCALL_KIND_LIB_LOCK] = { "locks and condition variables",
				    "pthread_mutex_*|pthread_cond_*|pthread_rwlock_*|pthread_spin_*"
				    "|"
				    "sem_*|__pthread_mutex_*|mtx_*|cnd_*|pthread_once",
				    true, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_LIB_ALLOC] = { "memory allocation",
				     "malloc|free|calloc|realloc|memalign|posix_memalign|"
				     "aligned_alloc|reallocarray|operator new*|operator delete*|"
				     "_Znw*|_Zna*|_Zdl*|_Zda*|"
				     "g_malloc*|g_free|g_slice_*|strdup|strndup|cfree",
				     true, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_LIB_STRING] = { "string and memory functions",
				      "str*|mem*|wcs*|wmem*|__str*|__mem*|bcmp|bcopy|bzero|index|"
				      "rindex|"
				      "is*|to*er|__ctype_*",
				      true, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_LIB_FORMAT] = { "formatting and parsing",
				      "*printf|*printf_chk|*scanf|ato*|puts|fputs*|putchar|strto*",
				      true, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_LIB_FILE] = { "buffered file access",
				    "fgetc*|getc*|fputc*|putc*|ungetc|fgets*|fread*|fwrite*|"
				    "getline|"
				    "getdelim|fopen*|fclose|fseek*|ftell*|fflush*|feof*|ferror*|"
				    "_IO_getc|_IO_putc|readdir*|opendir|closedir|__overflow|"
				    "__uflow|fileno*|read|write|open*|close|lseek*|stat*|lstat*|"
				    "fstat*|"
				    "access",
				    true, SYSCALL_WAITS_OFTEN },
	[SYSCALL_KIND_LIB_LOCALE] = { "locale and translation",
				      "setlocale|*gettext|iconv*|mbrtowc|wcrtomb|mbstowcs|wcstombs|"
				      "btowc|"
				      "nl_langinfo|strcoll|strxfrm|localeconv",
				      true, SYSCALL_WAITS_OFTEN },
};

enum syscall_kind syscall_kind_of(struct str name, bool is_library)
{
	/*
	 * search from the last line to the first, because general kinds come before special ones in
	 * the table. Kinds of library calls are at its end
	 */
	for (size_t i = SYSCALL_KINDS - 1; i > 0; i--) {
		if (kinds_table[i].is_library == is_library &&
		    str_glob(str_of(kinds_table[i].calls), name))
			return (enum syscall_kind)i;
	}
	return SYSCALL_KIND_OTHER;
}

enum syscall_kind syscall_kind_of_call(struct str name, struct str args, bool is_library)
{
	/*
	 * commands of fcntl() that lock a part of a file: fcntl(2), "Advisory record locking" and
	 * "Open file description locks"
	 */
	if (!is_library && str_glob(STR("fcntl|fcntl64"), name) &&
	    (str_contains(args, STR("F_SETLK")) || str_contains(args, STR("F_OFD_SETLK"))))
		return SYSCALL_KIND_FILE_LOCK;
	if (is_library || !str_eq(name, STR("restart_syscall")))
		return syscall_kind_of(name, is_library);
	/*
	 * strace prints "<... resuming interrupted poll ...>". Old versions print "system call"
	 * instead of the name
	 */
	args = str_ltrim(args);
	if (!str_take(&args, STR("<... resuming interrupted ")))
		return SYSCALL_KIND_OTHER;
	return syscall_kind_of(str_sub(args, 0, str_find(args, STR(" ..."))), is_library);
}

const char *syscall_kind_name(enum syscall_kind kind)
{
	return kinds_table[kind].name;
}

bool syscall_is_idle(struct str name, enum syscall_kind kind)
{
	return kinds_table[kind].waits == SYSCALL_WAITS_ALWAYS ||
	       str_glob(STR("accept|accept4|io_getevents|restart_syscall"), name);
}

bool syscall_kind_sleeps(enum syscall_kind kind)
{
	return kinds_table[kind].waits == SYSCALL_WAITS_ALWAYS;
}

enum syscall_waits syscall_kind_waits(enum syscall_kind kind)
{
	return kinds_table[kind].waits;
}
