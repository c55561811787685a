int f(int a)
{
#if A
	if (a) {
#else
	{
#endif
	}
}
