/* SPDX-License-Identifier: MIT */
/* Names of C++, Rust, Java and Go as people write them: inputs, plain names, families, last parts.
 */
#include "unit.h"

#include "analyses/plain_name.h"
#include "base/status.h"
#include "base/str.h"

static const struct {
	const char *name, *plain, *family, *last;
} rows[] = {
	{ "f", "f", "", "f" },
	{ "std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back",
	  "std::vector", "push_back" },
	{ "std::__1::vector<int>::push_back(int&&)", "std::vector::push_back", "std::vector",
	  "push_back" },
	{ "std::__cxx11::basic_string<char>::append(char const*)", "std::basic_string::append",
	  "std::basic_string", "append" },
	{ "std::__2::f", "std::f", "std", "f" },
	{ "std::__ndk1::f(int)", "std::f", "std", "f" },
	{ "std::__debug::vector<int>::at(int)", "std::vector::at", "std::vector", "at" },
	{ "std::__cxx1998::vector<int>::at(int)", "std::vector::at", "std::vector", "at" },
	{ "std::_V2::system_clock::now()", "std::system_clock::now", "std::system_clock", "now" },
	{ "a::my__1::f", "a::my__1::f", "a::my__1", "f" },
	{ "a__1::f", "a__1::f", "a__1", "f" },
	{ "(anonymous namespace)::f(int)", "f", "", "f" },
	{ "{anonymous}::f(int)", "f", "", "f" },
	{ "ns::(anonymous namespace)::f(int)", "ns::f", "ns", "f" },
	{ "void f<int>(int)", "f", "", "f" },
	{ "unsigned long g<int>(int, long) const", "g", "", "g" },
	{ "operator<<(std::ostream&, int)", "operator<<", "", "operator<<" },
	{ "std::operator<<<char>(std::ostream&, char)", "std::operator<<", "std", "operator<<" },
	{ "bool operator< <int>(int, int)", "operator<", "", "operator<" },
	{ "bool operator<=<int>(int)", "operator<=", "", "operator<=" },
	{ "A::operator<=>(A const&)", "A::operator<=>", "A", "operator<=>" },
	{ "A::operator<<=(int)", "A::operator<<=", "A", "operator<<=" },
	{ "A::operator>>=(int)", "A::operator>>=", "A", "operator>>=" },
	{ "A::operator->*(int)", "A::operator->*", "A", "operator->*" },
	{ "A::operator->() const", "A::operator->", "A", "operator->" },
	{ "A::operator>>(int)", "A::operator>>", "A", "operator>>" },
	{ "A::operator>=(int)", "A::operator>=", "A", "operator>=" },
	{ "A::operator==(int)", "A::operator==", "A", "operator==" },
	{ "A::operator!=(int)", "A::operator!=", "A", "operator!=" },
	{ "A::operator&&(int)", "A::operator&&", "A", "operator&&" },
	{ "A::operator||(int)", "A::operator||", "A", "operator||" },
	{ "A::operator++(int)", "A::operator++", "A", "operator++" },
	{ "A::operator--()", "A::operator--", "A", "operator--" },
	{ "A::operator+=(int)", "A::operator+=", "A", "operator+=" },
	{ "A::operator-=(int)", "A::operator-=", "A", "operator-=" },
	{ "A::operator+(int)", "A::operator+", "A", "operator+" },
	{ "A::operator*()", "A::operator*", "A", "operator*" },
	{ "A::operator,(int)", "A::operator,", "A", "operator," },
	{ "A::operator~()", "A::operator~", "A", "operator~" },
	{ "A::operator()(int)", "A::operator()", "A", "operator()" },
	{ "A::operator[](int)", "A::operator[]", "A", "operator[]" },
	{ "A::operator new(unsigned long)", "A::operator new", "A", "operator new" },
	{ "A::operator bool() const", "A::operator bool", "A", "operator bool" },
	{ "operator new(unsigned long)", "operator new", "", "operator new" },
	{ "myoperator<int>(int)", "myoperator", "", "myoperator" },
	{ "std::function<void (int)>::operator()(int) const", "std::function::operator()",
	  "std::function", "operator()" },
	{ "f(int)::{lambda(char)#1}::operator()(char) const", "f::{lambda#1}::operator()",
	  "f::{lambda#1}", "operator()" },
	{ "f(int)#2", "f#2", "f", "2" },
	{ "f(int).isra.0", "f", "", "f" },
	{ "f(int) [clone .cold]", "f", "", "f" },
	{ "foo.part.3", "foo", "", "foo" },
	{ "foo.constprop.0", "foo", "", "foo" },
	{ "<alloc::vec::Vec<T> as core::ops::Drop>::drop", "alloc::vec::Vec::drop",
	  "alloc::vec::Vec", "drop" },
	{ "<&mut T as core::fmt::Debug>::fmt", "T::fmt", "T", "fmt" },
	{ "<&T as core::fmt::Debug>::fmt", "T::fmt", "T", "fmt" },
	{ "<*const T as core::fmt::Debug>::fmt", "T::fmt", "T", "fmt" },
	{ "<dyn core::any::Any as core::fmt::Debug>::fmt", "core::any::Any::fmt", "core::any::Any",
	  "fmt" },
	{ "<mut X as Y>::z", "X::z", "X", "z" },
	{ "<T as >::f", "T::f", "T", "f" },
	{ "<T>::method", "T::method", "T", "method" },
	{ "<<T as A>::B as C>::d", "T::d", "T", "d" },
	{ "<<T as A>::B>::d", "T::d", "T", "d" },
	{ "<alloc::vec::Vec<T, A> as core::iter::Extend<&T>>::extend", "alloc::vec::Vec::extend",
	  "alloc::vec::Vec", "extend" },
	{ "<Foo as Fn(A) -> B>::call", "Foo::call", "Foo", "call" },
	{ "core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place",
	  "core::ptr", "drop_in_place" },
	{ "alloc::vec::Vec::<u8>::push", "alloc::vec::Vec::push", "alloc::vec::Vec", "push" },
	{ "<unclosed", "<unclosed", "", "<unclosed" },
	{ "a<b", "a", "", "a" },
	{ "a(b", "a", "", "a" },
	{ "x->y", "x->y", "", "x->y" },
	{ "A::f(B->C)", "A::f", "A", "f" },
	{ "java/util/HashMap.get", "java.util.HashMap.get", "java.util.HashMap", "get" },
	{ "Ljava/util/HashMap;::get", "java.util.HashMap.get", "java.util.HashMap", "get" },
	{ "Ljava/util/HashMap;.get", "java.util.HashMap.get", "java.util.HashMap", "get" },
	{ "Ljava/util/HashMap;get", "java.util.HashMap.get", "java.util.HashMap", "get" },
	{ "java/util/hash.get", "java/util/hash.get", "java/util/hash", "get" },
	{ "java/util/Map", "java.util.Map", "java.util", "Map" },
	{ "java/util/A", "java.util.A", "java.util", "A" },
	{ "java/util/Z", "java.util.Z", "java.util", "Z" },
	{ "java/util/@x", "java/util/@x", "", "java/util/@x" },
	{ "java/util/[x", "java/util/[x", "", "java/util/[x" },
	{ "/A", "/A", "", "/A" },
	{ "a/", "a/", "", "a/" },
	{ "a/B", "a.B", "a", "B" },
	{ "a/B c", "a/B c", "", "a/B c" },
	{ "La/B;", "a.B.", "a.B", "" },
	{ "Lx/Y;::z", "x.Y.z", "x.Y", "z" },
	{ "La/B;::m(int)", "a.B.m", "a.B", "m" },
	{ "java.util.HashMap.get_[j]", "java.util.HashMap.get", "java.util.HashMap", "get" },
	{ "do_syscall_64_[k]", "do_syscall_64", "", "do_syscall_64" },
	{ "f_[0]", "f", "", "f" },
	{ "f_[1]", "f", "", "f" },
	{ "f_[2]", "f_[2]", "", "f_[2]" },
	{ "f_[k]_[j]", "f", "", "f" },
	{ "runtime.(*mheap).alloc", "runtime.(*mheap).alloc", "runtime.(*mheap)", "alloc" },
	{ "net/http.(*Server).Serve", "net/http.(*Server).Serve", "net/http.(*Server)", "Serve" },
	{ "a.f(x) y", "a.f", "a", "f" },
	{ "a.f(x):y", "a.f:y", "a", "f:y" },
	{ "a.f(x){y", "a.f{y", "a", "f{y" },
	{ "a.f(x}y)}z", "a.f}z", "a", "f}z" },
	{ "a.f(x)#y", "a.f#y", "a.f", "y" },
	{ "void (anonymous namespace)::f<int>(int)", "f", "", "f" },
	{ "int f(int) ", "f", "", "f" },
	{ "std::enable_if<true, int>::type f<int>(int)", "f", "", "f" },
	{ "decltype(auto) f<int>()", "f", "", "f" },
	{ "A$B::f(int)", "A$B::f", "A$B", "f" },
	{ "$operator+(int)", "$operator+", "", "$operator+" },
	{ "x operator+(int)", "operator+", "", "operator+" },
	{ "_operator<a>", "_operator", "", "_operator" },
	{ "0operator<a>", "0operator", "", "0operator" },
	{ "9operator<a>", "9operator", "", "9operator" },
	{ "zoperator<a>", "zoperator", "", "zoperator" },
	{ "Zoperator<a>", "Zoperator", "", "Zoperator" },
	{ "Aoperator<a>", "Aoperator", "", "Aoperator" },
	{ "aoperator<a>", "aoperator", "", "aoperator" },
	{ "-operator<a", "-operator<a", "", "-operator<a" },
	{ "f::<T>", "f", "", "f" },
	{ ":<T>", ":", "", ":" },
	{ "decltype ((x.y)()) ns::f<int>(int)", "ns::f", "ns", "f" },
	{ "mydecltype(auto) x", "mydecltype", "", "mydecltype" },
	{ "a decltype(b) c<d>(e)", "c", "", "c" },
	{ "a:<T>b", "a:b", "", "a:b" },
	{ "::<T>x", "x", "", "x" },
	{ "std::operator new(int)", "std::operator new", "std", "operator new" },
};

static void names_lose_their_types_arguments_and_versions(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plain_name p;
		struct str s = plain_name_make(&p, str_of(rows[i].name));

		if (str_eq(s, str_of(rows[i].plain)) &&
		    str_eq(plain_name_family(s), str_of(rows[i].family)) &&
		    str_eq(plain_name_last(s), str_of(rows[i].last)))
			continue;
		print_error("%s: " STR_FMT ", family " STR_FMT ", last " STR_FMT "\n", rows[i].name,
			    STR_ARG(s), STR_ARG(plain_name_family(s)), STR_ARG(plain_name_last(s)));
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void a_name_longer_than_its_room_is_cut(void **state)
{
	struct plain_name p;
	char name[sizeof(p.text) + 8];

	(void)state;
	memset(name, 'x', sizeof(name));
	for (size_t n = sizeof(p.text) - 2; n <= sizeof(p.text) + 2; n++) {
		struct str s = plain_name_make(&p, (struct str){ name, n });

		assert_int_equal(s.len, n < sizeof(p.text) ? n : sizeof(p.text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lose_their_types_arguments_and_versions),
		cmocka_unit_test(a_name_longer_than_its_room_is_cut),
	};

	return cmocka_run_group_tests_name("plain_name", tests, NULL, NULL);
}
