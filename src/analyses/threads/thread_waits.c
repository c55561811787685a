/* SPDX-License-Identifier: MIT */
/*
 * Sources of the table: nptl and resolv of glibc; libstdc++, libc++, boost; runtime and sync of
 * Go; java.util.concurrent and sun.nio of OpenJDK; threading.py of CPython; storage/innobase of
 * MySQL; kernel/locking, kernel/sched, fs and net of Linux; System.Threading of .NET.
 */
#include "analyses/threads/thread_waits.h"

#include "analyses/roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "core/threads.h"

#define WAIT_ROLE_PLUMBING 100u /* neither a kind nor a place */
#define WAIT_ROLE_START    101u /* the outermost frames */
#define WAIT_ROLE_PLACE    102u

/* clang-format off */
static const struct {
	uint8_t role;
	const char *patterns; /* of names without arguments; the first matching row counts */
} wait_roles[] = {
	{ WAIT_ROLE_START, "start_thread|clone|clone3|__clone*|_start|__libc_start_*|thread_start|runtime.goexit|"
		"runtime.main|java.lang.Thread.run*|_pthread_start|ret_from_fork*|kthread|_bootstrap*|"
		"secondary_startup*|BaseThreadInitThunk|RtlUserThreadStart|execute_native_thread_routine*|"
		"std::thread::_*|std::__invoke*|boost::*thread_data*|<module>" },
	{ THREAD_WAIT_DNS, "getaddrinfo|gethostbyname*|*getaddrinfo|gaih_*|__res_*|res_nsend|res_send*|*nss_dns_*|send_dg|"
		"send_vc|*InetAddress*.lookup*|*lookupAllHostAddr|*InetAddress.get*ByName*|*InetAddress.getAddress*|"
		"net.(*Resolver).*|net.cgoLookup*|net.lookup*|getnameinfo|gethostbyaddr*" },
	{ THREAD_WAIT_CONNECT, "connect|__connect*|__libc_connect|*socketConnect*|*Socket.connect*|*SocketImpl.*connect*|"
		"*SocketChannelImpl.*onnect*|net.(*Dialer).*|net.(*sysDialer).*|inet_stream_connect|__inet_stream_connect|"
		"inet_wait_for_connect|net.(*netFD).connect|*Net.connect*|*Net.pollConnect*" },
	{ THREAD_WAIT_CHILD, "wait4|*_wait4*|waitpid|*_waitpid*|waitid|*_waitid|do_wait|wait3|*Process*.waitFor*|"
		"os/exec.(*Cmd).Wait|os.(*Process).*ait*|pclose|*_pclose|g_spawn_sync|system|do_system|*libc_system" },
	{ THREAD_WAIT_JOIN, "*pthread_*join*|std::thread::join|boost::thread::join*|*Thread.join*|QThread::wait|g_thread_join|"
		"sync.(*WaitGroup).Wait|*JoinHandle*::join|*thread*::join|join|*Thread.Join*" },
	{ THREAD_WAIT_FILE_LOCK, "flock|*fcntl|*fcntl64*|__fcntl*|fcntl_setlk*|do_lock_file_wait|locks_lock_inode_wait|lockf*|"
		"do_fcntl|*FileChannelImpl.lock*|*FileDispatcherImpl.lock*" },
	{ THREAD_WAIT_DISK, "*fsync|*fdatasync*|msync|*_msync|sync_file_range|syncfs|pread*|pwrite*|*libc_pread*|*libc_pwrite*|"
		"io_schedule*|*wait_on_page*|folio_wait*|*wait_on_buffer*|submit_bio_wait|jbd2_log_wait_commit|"
		"jbd2_complete_transaction|ext4_sync_file|xfs_file_fsync|xfs_log_*|*FileDispatcherImpl.force*|*FileChannelImpl.force|"
		"os.(*File).Sync|balance_dirty_pages*|blkdev_issue*|rq_qos_wait|wbt_wait|blk_mq_get_tag|os_file_flush*|"
		"os_file_fsync*|io_wait*|bit_wait_io|filemap_fault|*FileDispatcherImpl.p*" },
	{ THREAD_WAIT_SLEEP, "*nanosleep*|sleep|__sleep|usleep|__usleep|msleep*|*Thread.sleep*|time.Sleep|timeSleep|"
		"g_usleep|QThread::*sleep|Sleep|SleepEx|*this_thread::sleep*|os_thread_sleep|pg_usleep|*Thread.Sleep*" },
	{ THREAD_WAIT_POOL, "*Pool.getConnection*|*Pool.borrowObject*|*Pool*.borrow*|*Pool.acquire*|*ConnectionPool*.get*|"
		"*DataSource.getConnection*|database/sql.(*DB).conn|database/sql.(*DB).Query*|*ConnectionHandler.*|"
		"*HikariPool*|*ConcurrentBag.borrow|*PoolingHttpClientConnectionManager*|*AbstractConnPool*|*QueuePool*" },
	{ THREAD_WAIT_IDLE, "*ThreadPoolExecutor.getTask|*ThreadPoolExecutor.runWorker|*ThreadPoolExecutor$Worker.run|"
		"*BlockingQueue.take*|*BlockingQueue.poll|*BlockingDeque.take*|*DelayQueue.take|*DelayedWorkQueue.*|"
		"*ForkJoinPool.await*|*ForkJoinPool.scan|*ForkJoinPool.runWorker|*ForkJoinWorkerThread.run|*SynchronousQueue*|"
		"*TimerThread.*|*ReferenceQueue.remove*|*waitForReferencePendingList|*processPendingReferences|"
		"*TaskQueue.take|*Finalizer$FinalizerThread.run|*ReferenceHandler.run|*TransferQueue.take*|"
		"worker_thread|rcu_gp_kthread|kswapd|kcompactd|runtime.gcBgMarkWorker*|runtime.bg*|runtime.forcegchelper|"
		"runtime.runfinq|queue.get|*concurrent/futures*|_worker|smpboot_thread_fn|rescuer_thread|"
		"*safe_halt*|*default_idle*|do_idle|cpu_startup_entry|arch_cpu_idle|intel_idle*|cpuidle_*|poll_idle|mwait_idle*" },
	{ THREAD_WAIT_GC, "*SafepointSynchronize::*|*SafepointMechanism*|*VMThread::execute*|runtime.gcParkAssist|"
		"runtime.gcAssistAlloc*|runtime.stopTheWorld*|*RareDisablePreemptiveGC*|*GCHeap*::WaitUntil*|"
		"SVR::*|WKS::*|*SuspendEE*|rb_gc_*|runtime.gcStart*|runtime.GC" },
	{ THREAD_WAIT_EVENT, "pause|*libc_pause|*sigsuspend|*sigwait*|*sigtimedwait*|semop|*semtimedop|msgrcv|*libc_msgrcv|mq_*receive|"
		"*pthread_cond_*|*condition_variable*::wait*|*condition_variable*|QWaitCondition::wait|g_cond_wait*|"
		"uv_cond_*|os_event::wait*|os_event_wait*|absl::*CondVar::*|absl::*Mutex::Await*|sync.(*Cond).Wait|"
		"sync.runtime_notifyListWait|*Object.wait*|*ConditionObject.*|*ConditionNode.*|*CountDownLatch.await|*Semaphore.acquire|"
		"*FutureTask.*get|*FutureTask.awaitDone|*CompletableFuture.*|*CompletableFuture$*|*sem_wait*|*sem_timedwait*|*sem_clockwait*|"
		"do_futex_wait*|*new_sem_wait*|WaitForSingleObject*|WaitForMultipleObjects*|NtWaitFor*|SleepConditionVariable*|"
		"__psynch_cvwait|*semaphore_wait*|dispatch_semaphore_wait*|dispatch_group_wait*|wait_for_completion*|__wait_for_common|"
		"wait_event*|prepare_to_wait*|do_wait_for_common|do_wait_intr*|*Monitor.*Wait*|*WaitHandle.*|*SemaphoreSlim.*|"
		"*ManualResetEvent*|std::*future*::*|std::__*future*|*Task.*Wait*|*Condvar::wait*|*CyclicBarrier.*|*Exchanger.*|"
		"cv_wait*|__cv_wait*|cv_timedwait*|__cv_timedwait*|pthread_barrier_wait|*pthread_barrier_wait|*Event.wait|*Condition.wait|std::*latch*|std::*barrier*|*Parker::park" },
	{ THREAD_WAIT_LOCK, "*pthread_mutex_*lock*|*lll_*lock*|_L_*lock_*|*pthread_rwlock_*|pthread_spin_lock|"
		"std::*lock_guard*|std::*unique_lock*|std::*shared_lock*|std::*scoped_lock*|std::*mutex*::*|__gthread_*mutex_lock*|boost::*mutex*::*|"
		"boost::*unique_lock*|boost::*lock_guard*|absl::*Mutex*|folly::*Mutex*|QMutex*|QBasicMutex*|QReadWriteLock*|QReadLocker*|QWriteLocker*|"
		"g_mutex_lock*|g_rec_mutex_lock*|g_rw_lock_*|uv_mutex_lock|uv_rwlock_*|ut_delay|sync_array_wait_event|rw_lock_*lock*|pfs_rw_lock_*|"
		"TTASEventMutex*|PolicyMutex*|mutex_enter*|pfs_mutex_enter*|mtr_t::*lock*|MDL_wait::*|MDL_context::acquire_lock*|"
		"LWLockAcquire*|ProcSleep|LockAcquire*|WaitOnLock|ProcWaitForSignal|s_lock|PyThread_acquire_lock*|take_gil|PyEval_RestoreThread|"
		"PyEval_Acquire*|sync.(*Mutex).*|sync.(*RWMutex).*|*/sync.(*Mutex).*|*/sync.(*RWMutex).*|sync.runtime_Sem*|internal/sync.*|*ReentrantLock*ock|*ReentrantLock$*|"
		"*ReentrantReadWriteLock*ock|*AbstractQueuedSynchronizer.*|*AbstractQueuedLongSynchronizer.*|*StampedLock.*|parking_lot*|"
		"std::sync::*utex*::lock*|std::sys::*mutex*|*Mutex<*>::lock*|*CriticalSection*|ObjectMonitor::*enter*|Monitor::lock*|"
		"*Monitor.*Enter*|__psynch_mutexwait|__psynch_rw*|_pthread_mutex_*|os_unfair_lock*|_os_unfair*|__ulock_wait*|"
		"mutex_lock*|__mutex_lock*|rwsem_down_*|down_read*|down_write*|__down*|down|down_interruptible|_raw_*lock*|*queued_*lock_slowpath|"
		"schedule_preempt_disabled|rt_mutex_*|__rt_mutex*|percpu_down_*|__percpu_down*|*::lock|*::Lock|*::lock_shared|*.lock|*.Lock|*::ScopedLock|"
		"*::MutexLock|*::Mutex::*|*::AutoLock|*_mutex_lock|*_mutex_acquire|*mutex_enter|lock_sock*|__lock_sock|*SpinLock*|*spin_lock*|chain_mutex_lock" },
	{ THREAD_WAIT_POLL, "poll|*__poll*|ppoll*|select|*__select*|pselect*|*epoll_wait*|*epoll_pwait*|kevent*|do_poll*|do_sys_poll|ep_poll|"
		"do_select|core_sys_select|g_main_context_*|g_main_loop_run|g_poll*|uv__io_poll|uv_run|event_base_*|*EPoll*|*KQueue*|"
		"*SelectorImpl.*|*Selector.select*|*NioEventLoop.*select*|runtime.netpoll*|internal/poll.*|mach_msg*|CFRunLoop*|__CFRunLoop*|"
		"io_getevents*|QEventDispatcher*|ev_run|aeApiPoll|aeProcessEvents|schedule_hrtimeout_range*|io_cqring_wait|io_uring_enter*|"
		"WaitEventSet*|PollEvents|epoll_event_loop*|select.select|_poll|selectors.select" },
	{ THREAD_WAIT_SOCKET, "recv|*libc_recv*|recvfrom*|recvmsg*|__recv*|*SocketInputStream.*|*SocketDispatcher.*|*NioSocketImpl.*|"
		"net.(*conn).*|net.(*netFD).*|*SSLSocket*|SSL_read*|SSL_do_handshake|vio_*|my_net_read*|net_read_*|sk_wait_data|wait_woken|"
		"tcp_recvmsg*|inet_recvmsg|sock_recvmsg*|sock_read_iter|unix_stream_*|__skb_wait*|send|sendto|sendmsg|sk_stream_wait*|"
		"*SocketOutputStream.*|accept|accept4|*__accept*|*libc_accept*|inet_csk_accept|inet_accept|*ServerSocket.*ccept|"
		"*PlainSocketImpl.*|crypto/tls.(*Conn).Read*|pqReadData|pqWait*|pqsecure_*|secure_read" },
	{ THREAD_WAIT_READ, "ioctl|*_ioctl|read|__read*|*libc_read|write|__write*|*libc_write|pipe_read|pipe_write|pipe_wait*|anon_pipe_*|wait_for_partner|"
		"*FileInputStream.read*|n_tty_read|tty_read|syscall.read|syscall.Read|syscall.write|os.(*File).Read|os.(*File).Write|"
		"new_sync_read|vfs_read|ksys_read|vfs_write|ksys_write|_IO_new_file_*|_IO_file_*|fgets|getc*|_IO_default_*|__underflow|readv|writev" },
	{ WAIT_ROLE_PLUMBING, "sys_futex*|futex*|*futex_*|__internal_syscall_cancel|__syscall_cancel*|syscall|__schedule|schedule|schedule_timeout*|do_syscall*|"
		"entry_SYSCALL*|x64_sys*|*_sys_*|do_futex|runtime.gopark*|runtime.chan*|runtime.selectgo*|runtime.sem*|runtime.note*|"
		"runtime.block|runtime.systemstack*|runtime.mcall|__kernel_vsyscall|_dl_sysinfo*|context_switch|*Unsafe.park|*LockSupport.park*|"
		"*__skip_wakeups*|hrtimer_*|do_nanosleep|__ulock*|kernel_init_freeable|el0*|invoke_syscall*|do_el0*|el0t*|KiFastSystemCall*|"
		"internal/runtime/syscall*|syscall.Syscall*|syscall.RawSyscall*|syscall.syscall*|runtime.entersyscall*|wait|_wait|"
		"[HelperMethodFrame*|[Native*|acquire|io_schedule_*" },
};
/* clang-format on */

void thread_roles_fini(struct thread_roles *r)
{
	VEC_FREE(&r->by_sym);
}

/* "boost::mutex::lock()" without its parameters: patterns have names only. */
static struct str wait_base_name(struct str name)
{
	size_t colon = str_find(name, STR("::"));
	int depth = 0;

	if (colon == name.len)
		return name;
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] == '<')
			depth++;
		else if (name.p[i] == '>' && depth > 0 && name.p[i - 1] != '-')
			depth--;
		else if (name.p[i] == '(' && depth == 0 && i > 0 &&
			 !str_starts(str_skip(name, i), STR("(anonymous")) && name.p[i - 1] != ':')
			return str_sub(name, 0, i);
	}
	return name;
}

/* What the common table of roles says of a function that this one does not know. */
static uint8_t wait_common_role(struct str name, struct str module, enum symbol_space space)
{
	switch (role_of_name(name, module, space)) {
	case ROLE_SPIN:
	case ROLE_LOCK_SLOW:
	case ROLE_LOCK:
		return THREAD_WAIT_LOCK;
	case ROLE_WAIT:
		return THREAD_WAIT_EVENT;
	case ROLE_SLEEP:
		return THREAD_WAIT_SLEEP;
	case ROLE_POLL:
		return THREAD_WAIT_POLL;
	case ROLE_ACCEPT:
	case ROLE_NET_IO:
		return THREAD_WAIT_SOCKET;
	case ROLE_DNS:
		return THREAD_WAIT_DNS;
	case ROLE_FSYNC:
		return THREAD_WAIT_DISK;
	case ROLE_ALLOCATE:
	case ROLE_FREE:
	case ROLE_SYSCALL:
		return WAIT_ROLE_PLUMBING;
	default:
		return WAIT_ROLE_PLACE;
	}
}

static uint8_t wait_role(const struct symbols *symbols, sym_id sym)
{
	struct str name = wait_base_name(symbols_canonical(symbols, sym));

	if (str_eq(name, STR("??")))
		return WAIT_ROLE_PLUMBING;
	for (size_t i = 0; i < ARRAY_LEN(wait_roles); i++) {
		if (str_glob(str_of(wait_roles[i].patterns), name))
			return wait_roles[i].role;
	}
	return wait_common_role(symbols_name(symbols, sym), symbols_module(symbols, sym),
				(enum symbol_space)symbols_get(symbols, sym)->space);
}

static uint8_t wait_role_of(struct thread_roles *r, const struct symbols *symbols, sym_id sym)
{
	while (r->by_sym.len <= sym.v)
		*VEC_PUSH(&r->by_sym) = 0;
	if (!r->by_sym.data[sym.v])
		r->by_sym.data[sym.v] = (uint16_t)(wait_role(symbols, sym) + 1);
	return (uint8_t)(r->by_sym.data[sym.v] - 1);
}

bool thread_is_own(const struct capture *c, sym_id sym)
{
	return wait_role(capture_symbols(c), sym) == WAIT_ROLE_PLACE;
}

bool thread_is_allocator(const struct symbols *symbols, sym_id sym)
{
	return str_glob(STR("malloc|free|calloc|realloc|*libc_malloc|*libc_free|*libc_calloc|"
			    "*libc_realloc|_int_malloc|_int_free|_int_realloc|malloc_consolidate|"
			    "sysmalloc|tcache_*|operator new*|operator delete*|je_*|tc_malloc*|"
			    "tc_free*|mi_malloc*|mi_free*|arena_get*"),
			symbols_canonical(symbols, sym));
}

/* The kind of wait from the state that a runtime prints. */
static enum thread_wait wait_of_state(struct str state)
{
	static const struct {
		const char *pattern;
		enum thread_wait kind;
	} states[] = {
		{ "chan send*", THREAD_WAIT_SEND },
		{ "chan receive*", THREAD_WAIT_RECEIVE },
		{ "select*", THREAD_WAIT_SELECT },
		{ "IO wait*", THREAD_WAIT_SOCKET },
		{ "semacquire*|sync.Mutex.Lock*|sync.RWMutex*", THREAD_WAIT_LOCK },
		{ "sync.Cond*", THREAD_WAIT_EVENT },
		{ "sync.WaitGroup*", THREAD_WAIT_JOIN },
		{ "sleep*", THREAD_WAIT_SLEEP },
		{ "GC *|finalizer wait*|force gc*", THREAD_WAIT_IDLE },
		{ "BLOCKED*|waiting for monitor entry*", THREAD_WAIT_LOCK },
		{ "idle*", THREAD_WAIT_EVENT },
	};

	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		if (str_glob(str_of(states[i].pattern), state))
			return states[i].kind;
	}
	return THREAD_WAIT_NONE;
}

/*
 * The wait that the name of the place says it is in, where nothing below is known: "extent_wait",
 * "queue_lock". A thread that runs may be anywhere in such a function.
 */
static uint8_t wait_of_words(const struct symbols *symbols, sym_id sym)
{
	struct str name = wait_base_name(symbols_canonical(symbols, sym));

	if (str_glob(STR("*_wait|*_wait_range|*_wait_common|*_wait_for_*|wait_for_*|*_wait_on_*|"
			 "wait_on_*|*::wait|*::Wait|*::waitFor*|*::WaitFor*"),
		     name))
		return THREAD_WAIT_EVENT;
	if (str_glob(STR("*_lock|*_qlock|*_lock_sh|*_lock_ex|*_rdlock|*_wrlock"), name))
		return THREAD_WAIT_LOCK;
	return THREAD_WAIT_NONE;
}

/* An outer wrapper is more specific than its callee, except when a lock is taken again. */
static uint8_t wait_join(uint8_t inner, uint8_t outer)
{
	bool is_retaken = inner == THREAD_WAIT_LOCK && outer == THREAD_WAIT_EVENT;

	return is_retaken || outer == THREAD_WAIT_KINDS ? inner : outer;
}

void thread_wait_from(struct thread_roles *roles, const struct capture *c,
		      const struct thread_row *row, uint32_t from, struct thread_seen *ret)
{
	const struct thread_frame *frames = threads_frames(c->threads, row);
	const struct symbols *symbols = capture_symbols(c);

	*ret = (struct thread_seen){ .wants = INDEX_NONE, .place = row->n_frames, .entry = from };
	for (uint32_t i = from; i < row->n_frames; i++) {
		uint8_t role = wait_role_of(roles, symbols, frames[i].sym);

		if (role == WAIT_ROLE_START)
			break;
		if (role == WAIT_ROLE_PLACE) {
			ret->place = i;
			break;
		}
		ret->entry = i;
		if (role == WAIT_ROLE_PLUMBING)
			continue;
		ret->kind = ret->kind ? wait_join(ret->kind, role) : role;
		if (role == THREAD_WAIT_LOCK && !ret->lock)
			ret->lock = frames[i].object;
	}
	if (ret->kind != THREAD_WAIT_LOCK)
		ret->lock = 0;
}

/* A monitor of a JVM, or the object that one of its locks parks on. */
static void wait_printed_lock(const struct capture *c, const struct thread_row *row,
			      struct thread_seen *ret)
{
	const struct thread_lock *locks = threads_locks(c->threads, row);

	for (uint32_t i = 0; i < row->n_locks; i++) {
		struct str type = strings_get(capture_strings(c), locks[i].type);
		bool is_lock = str_glob(STR("*ReentrantLock*|*ReentrantReadWriteLock*"), type);

		if (locks[i].kind == THREAD_LOCK_HELD)
			continue;
		if (locks[i].kind == THREAD_LOCK_WANTED || is_lock) {
			ret->kind = THREAD_WAIT_LOCK;
			ret->lock = locks[i].address;
		}
		return;
	}
}

void thread_wait_of(struct thread_roles *roles, const struct capture *c,
		    const struct thread_row *row, struct thread_seen *ret)
{
	struct str state = strings_get(capture_strings(c), row->state_text);
	enum thread_wait said = wait_of_state(state);

	thread_wait_from(roles, c, row, 0, ret);
	if (said && (ret->kind == THREAD_WAIT_NONE || said == THREAD_WAIT_SEND ||
		     said == THREAD_WAIT_RECEIVE || said == THREAD_WAIT_SELECT))
		ret->kind = (uint8_t)said;
	wait_printed_lock(c, row, ret);
	if (row->state == THREAD_READY)
		ret->kind = THREAD_WAIT_CPU;
	if (row->n_frames == 0 && ret->kind == THREAD_WAIT_NONE)
		ret->kind = THREAD_WAIT_IDLE;
	if (ret->kind == THREAD_WAIT_NONE && row->state != THREAD_RUNNING &&
	    ret->place < row->n_frames)
		ret->kind = wait_of_words(capture_symbols(c),
					  threads_frames(c->threads, row)[ret->place].sym);
	/* The generic names of the table are no wait if the thread is printed as running. */
	if (row->state == THREAD_RUNNING && ret->kind == THREAD_WAIT_LOCK && ret->entry == 0 &&
	    !ret->lock)
		ret->kind = THREAD_WAIT_NONE;
}

static const struct {
	const char *name;
	const char *object;
} wait_words[THREAD_WAIT_KINDS] = {
	[THREAD_WAIT_NONE] = { "none", "nothing" },
	[THREAD_WAIT_LOCK] = { "lock", "a lock" },
	[THREAD_WAIT_EVENT] = { "event", "a signal of another thread" },
	[THREAD_WAIT_JOIN] = { "join", "the end of another thread" },
	[THREAD_WAIT_CHILD] = { "child", "the end of a child process" },
	[THREAD_WAIT_SLEEP] = { "sleep", "a fixed time (it sleeps)" },
	[THREAD_WAIT_POLL] = { "poll", "events of file descriptors" },
	[THREAD_WAIT_SOCKET] = { "socket", "the network" },
	[THREAD_WAIT_CONNECT] = { "connect", "a connection to be made" },
	[THREAD_WAIT_DNS] = { "dns", "a DNS answer" },
	[THREAD_WAIT_DISK] = { "disk", "the disk" },
	[THREAD_WAIT_READ] = { "read", "input or output of a file or pipe" },
	[THREAD_WAIT_FILE_LOCK] = { "file-lock", "a file lock" },
	[THREAD_WAIT_SEND] = { "send", "a receiver of a channel" },
	[THREAD_WAIT_RECEIVE] = { "receive", "a sender of a channel" },
	[THREAD_WAIT_SELECT] = { "select", "one of several channels" },
	[THREAD_WAIT_POOL] = { "pool", "an object of a pool" },
	[THREAD_WAIT_GC] = { "gc", "the garbage collector" },
	[THREAD_WAIT_IDLE] = { "idle", "work" },
	[THREAD_WAIT_CPU] = { "cpu", "a CPU" },
};

const char *thread_wait_object(enum thread_wait kind)
{
	return (unsigned int)kind < THREAD_WAIT_KINDS ? wait_words[kind].object : "nothing";
}

const char *thread_wait_name(enum thread_wait kind)
{
	return (unsigned int)kind < THREAD_WAIT_KINDS ? wait_words[kind].name : "none";
}
