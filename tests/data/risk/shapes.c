/* Made up to hold every rule of the metrics; not meant to run. */
#define READ_ONCE(x) (x)

struct block { int id; struct block *next; };
static int known(int a);
extern void *lookup(const char *name, int len);

static struct block *find_block(struct block *list, int id)
{
	while (list) {
		if (list->id == id)
			return list;
		list = list->next;
	}
	return 0;
}

static int no_arguments(void)
{
	int x = 1;

	x++;
	return x;
}

static int short_one(int a)
{
	int b = a;
	return b;
}

static int six_lines(int a)
{
	int b;

	b = a;
	return b; }

static int _hidden(int a)
{
	int seen = known(a);

	/* if a word stands here, the old rules count it */
	return seen;
}

static int known(int a)
{
	int r = a;

	r += _only_below(r);
	return r;
}

static int chooses(int a, int b, struct block *one)
{
	int total = 0;
	int i, *p;
	unsigned int u = 3;

	if (a > 0 && b > 0) {
		total = _hidden(a);
	} else if (b < 0) {
		int inner;
		goto out;
	} else if ((a & 1) || (b & 2)) {
		int other = 2;
		total += other;
	}
#ifdef CONFIG_MORE
	for (i = 0; i < b; i++)
		total += READ_ONCE(one->id);
#else
	for (i = 0; i < a; i++)
		total += i ? one->id : 0;
#endif
	do {
		switch (total) {
		case 1:
		case 2:
			total--;
			break;
		default:
			total = 0;
		}
	} while (total > 0);
	p = &total;
	*p += u;
out:
	return total;
}

static int recursive(int depth, int (*next)(int))
{
	if (depth <= 0)
		return next(0);

	return recursive(depth - 1, next) + known(depth);
}

int uses_values(struct block *b, char *to, const char *from, int len)
{
	int (*callback)(int) = known;
	int checked = len;

	lookup(from, len);
	recursive(3, known);
	b->next = find_block(b, callback(1));
	lock_freeze(b);
	unlock_block(b);
	memcpy(to, from, checked);
	if (len < 16)
		memcpy(to, from, len);
	return len;
}

void *later(struct block *b)
{
	void *f;

	f = lookup;
	b->next->id = uses_values(b, f, "x,y.z", 1);
	return f;
}

SYSCALL_DEFINE2(pick, int, fd, unsigned int, flags)
{
	if (fd < 0 || !flags)
		return -1;

	return known(fd) ? chooses(fd, 1, 0) : 0;
}

static int annotated(int a) __acquires(lock) __must_hold(&other)
{
	int b = a;

	lock_it(b);
	return b;
}

int OVS_EXCLUDED(mutex) before_name(int a)
{
	int b = a;

	a += b;
	return a;
}
#if 0
int never_built(int a)
{
	if (a)
		a = 1;
	return a;
}
#endif
