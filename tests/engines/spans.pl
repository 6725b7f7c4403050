# Where expressions match in texts, in bytes, as Perl finds it: see spans.py.
#
# usage: spans.pl EXPRESSIONS TEXT...

use strict;
use warnings FATAL => 'all';
use utf8;
use Encode qw(encode);

sub content {
    my ($path) = @_;
    open(my $file, '<:encoding(UTF-8)', $path) or die "$path: $!";
    local $/;
    return scalar <$file>;
}

my ($expressions, @paths) = @ARGV;
my @expressions = map { qr/$_/ } grep { $_ ne '' && !/^#/ } split(/\n/, content($expressions));
my @texts = map { content($_) } @paths;
for my $i (0 .. $#expressions) {
    for my $j (0 .. $#texts) {
        my @found;
        while ($texts[$j] =~ /$expressions[$i]/g) {
            push @found, [$-[0], $+[0]];
        }
        next unless @found;
        my $bytes = sub { length(encode('UTF-8', substr($texts[$j], 0, $_[0]))) };
        print join(' ', $i, $j, map { $bytes->($_->[0]) . '-' . $bytes->($_->[1]) } @found), "\n";
    }
}
