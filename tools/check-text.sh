#!/bin/sh
# No machine paths, only made-up mail addresses, no trailing blanks, no replaced words.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
if git grep -nIE '/(work|farm)/(main|steering|shared|wt)|/tmp/bash_jobs' -- . ':!tools/check-text.sh'; then
	echo "machine paths"
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
