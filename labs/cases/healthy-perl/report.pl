# SPDX-License-Identifier: MIT
# report - sums of a log of visits by page
use strict;
use warnings;

my (%visits, %bytes);
my $end = time() + $ARGV[0];
my $n = 0;
while (time() < $end) {
    for my $i (1 .. 1000) {
        $n++;
        my $line = sprintf("10.0.0.%d GET /page/%d 200 %d", $n % 250, $n * 7 % 300, $n % 9000);
        my ($host, undef, $page, $status, $size) = split / /, $line;
        next if $status != 200;
        $visits{$page}++;
        $bytes{$page} += $size;
    }
}
print scalar(keys %visits), " pages\n";
