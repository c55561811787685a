#!/bin/sh
# No paths of this machine, only made-up mail addresses, no trailing blanks, no replaced words.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
# where this checkout and the captures next to it are: nobody else has them there
here=$(pwd -P)
shared=${ASSAY_SHARED:-$(dirname "$here")/shared}
# a longer path, such as /src/assay of a checkout in /assay, is another one
begins='\(^\|[^[:alnum:]_.-]\)'
literal() { printf '%s' "$1" | sed 's/[][\.*^$]/\\&/g'; }
if git grep -nIG -e "$begins$(literal "$here")/" -e "$begins$(literal "$shared")/" -- .; then
	echo "paths of this machine"
	bad=1
fi
if git grep -nIE '[A-Za-z0-9._-]+@[A-Za-z0-9-]+\.(com|org|net|edu|de|io)\b' -- . ':!LICENSE' \
	':!tools/check-text.sh' | grep -vE '@([a-z0-9-]+\.)*example\.(com|org|net)'; then
	echo "mail addresses (made-up ones use example.org)"
	bad=1
fi
if git grep -nIE '[[:blank:]]+$' -- 'src' 'tools' '*.md' '*.build' 'Makefile'; then
	echo "trailing blanks"
	bad=1
fi
python3 tools/check-words.py || bad=1
exit $bad
