# One GET request for `qs_wait_http`: HOST PORT AUTHORITY TARGET SECONDS BODY_FILE.
# Runs on its own with what perl-base has: no HTTP::Tiny. Prints `status N` or `error WHY`.
use strict;
use warnings;
use IO::Socket::INET;

my ($host, $port, $authority, $target, $seconds, $body_file) = @ARGV;
my $most = 16 * 1024 * 1024;
$SIG{PIPE} = 'IGNORE';
$SIG{ALRM} = sub { finish("error no answer within $seconds s") };
alarm $seconds;

sub finish {
    print "$_[0]\n";
    exit 0;
}

my $socket = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Proto => 'tcp');
if (!$socket) {
    my $why = "$@ $!";
    finish("error connection refused") if $why =~ /refused/;
    finish("error cannot resolve $host") if $why =~ /Bad hostname/;
    finish("error request failed ($@)");
}
# HTTP/1.0, so that the body is not sent in chunks and ends with the connection.
syswrite $socket, join "\r\n", "GET $target HTTP/1.0", "Host: $authority",
    "User-Agent: quickstarted-check", "Accept: */*", "Connection: close", "", "";

my $raw = '';
while (length $raw <= $most + 65536) {
    my $got = sysread $socket, $raw, 65536, length $raw;
    last if !$got;
}
finish("error connection closed without an answer") if $raw eq '';
finish("error not an HTTP answer") if $raw !~ m{\AHTTP/\S+ ([1-9]\d\d)\b};
my $status = $1;
my ($head, $body) = split /\r?\n\r?\n/, $raw, 2;
$body = '' if !defined $body;
open my $file, '>:raw', $body_file or finish("error request failed (cannot write $body_file)");
print {$file} $body;
close $file;
if ($head =~ /^Content-Length:\s*(\d+)/im && length $body < $1 && length $body <= $most) {
    finish("error connection closed in the middle of the answer");
}
finish("status $status");
