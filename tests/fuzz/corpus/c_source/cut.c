static f(g
static int a(