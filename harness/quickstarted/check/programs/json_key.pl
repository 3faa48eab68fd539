# `--json` of `qs_wait_http`: BODY_FILE KEY WANTED.
# Runs on its own with perl's JSON::PP. Exit code 1 and why when it does not hold.
use strict;
use warnings;
use JSON::PP;

my ($body_file, $key, $wanted_text) = @ARGV;
my $json = JSON::PP->new->utf8->allow_nonref->canonical;

sub wrong {
    print "$_[0]\n";
    exit 1;
}

sub parse {
    my ($text) = @_;
    my @value = eval { $json->decode($text) };
    return $@ ? () : @value;
}

# [value] when there is one.
sub find {
    my ($value, $path) = @_;
    for my $part (split /\./, $path, -1) {
        if (ref $value eq 'HASH' && exists $value->{$part}) { $value = $value->{$part} }
        elsif (ref $value eq 'ARRAY' && $part =~ /\A[0-9]+\z/ && $part < @$value) { $value = $value->[$part] }
        else { return }
    }
    return [$value];
}

# Numbers are written without quotes; only then 1 is 1.0.
sub is_number { return $json->encode($_[0]) =~ /\A-?[0-9]/ }

sub same {
    my ($one, $other) = @_;
    return !defined $one && !defined $other if !defined $one || !defined $other;
    return 0 if ref $one ne ref $other;
    if (ref $one eq 'HASH') {
        return 0 if keys %$one != keys %$other;
        for my $name (keys %$one) {
            return 0 if !exists $other->{$name} || !same($one->{$name}, $other->{$name});
        }
        return 1;
    }
    if (ref $one eq 'ARRAY') {
        return 0 if @$one != @$other;
        for my $index (0 .. $#$one) { return 0 if !same($one->[$index], $other->[$index]) }
        return 1;
    }
    return 0 if !ref $one && is_number($one) != is_number($other);
    return !ref $one && is_number($one) ? $one == $other : $one eq $other;
}

open my $file, '<:raw', $body_file or wrong("cannot read $body_file");
my $text = do { local $/; <$file> };
$text = '' if !defined $text;
$text =~ s/\A\xEF\xBB\xBF//;
my @body = parse($text);
wrong("body is not JSON") if !@body;
my $utf8_key = $key;
utf8::decode($utf8_key);
my $found = find($body[0], $utf8_key);
wrong("body has no $key") if !$found;
my @wanted = parse($wanted_text);
if (!@wanted) {
    my $decoded = $wanted_text;
    utf8::decode($decoded);
    @wanted = ($decoded);
}
if (!same($found->[0], $wanted[0])) {
    wrong("$key is " . $json->encode($found->[0]) . ", wanted $wanted_text");
}
