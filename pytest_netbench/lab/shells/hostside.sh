# Read by the shell of a host, see hostside.py. Takes requests, one a line, and answers each with one frame:
#   @NUMBER:BODY:DIGEST;
# Requests: + appends to a file, R runs a command, G gets a piece of a file, A repeats the answer, Q leaves.
D=$1 P= I= B= U=$(umask)
cd /
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH NETBENCH_DIR="$D"
unset HISTFILE ENV
T=$(stty -g 2>/dev/null)
stty -echo -ixon icanon isig noflsh icrnl 2>/dev/null
# messages of the kernel would stand in the answers; where they do, the digest tells
case $(tty) in /dev/ttyS*|/dev/ttyAMA*|/dev/hvc*|/dev/console) dmesg -n 1 2>/dev/null;; esac
have() { command -v "$1" >/dev/null 2>&1; }
if have base64; then E=base64; e() { base64; }
elif have od; then E=hex; e() { od -An -v -tx1; }
elif have hexdump; then E=hex; e() { hexdump -v -e '1/1 "%02x"'; }
else E=none; e() { :; }
fi
if have md5sum; then h() { md5sum; }; else h() { cat >/dev/null; echo -; }; fi
S=
if have setsid; then S=setsid; fi
# a shell starts what it does not wait for with signals ignored
if env --default-signal=INT,QUIT true 2>/dev/null; then S="$S env --default-signal=INT,QUIT"; fi
q() { stty "$T" 2>/dev/null; rm -rf "$D"; exit; }
k() { kill -9 "-$P" 2>/dev/null || kill -9 "$P" 2>/dev/null; }
z() { echo $(($(wc -c <"$D/$1"))); }
p() { dd if="$D/$1" bs=49152 skip="$2" count=1 2>/dev/null | e | tr -d ' \r\n'; }
a() { s=$(printf %s "$B" | h); printf '@%s:%s:%s;\n' "$1" "$B" "${s%% *}"; }
r() {
m=$1 N=$3
if [ "$2" -lt 100000 ]; then set -- -c " $(cat "$D/c")"; else set -- "$D/c"; fi
( umask "$U"; ulimit -f "$m"; exec $S sh "$@" ) <"$f" >"$D/o" 2>"$D/e" &
P=$!
wait "$P"; s=$?
if [ -n "$I" ]; then wait "$P"; t=$?; [ "$t" = 127 ] || s=$t; fi
k; P=
B=$N:$s:$(z o):$(z e):$(p o 0):$(p e 0)
}
trap 'I=1; [ -z "$P" ] || k' INT
trap '[ -z "$P" ] || k; q' HUP TERM
umask 077
: >"$D/c"; : >"$D/i"; : >"$D/o"; : >"$D/e"
B=$E:$(id -u); a "$2"
while :; do
op=
read -r op n w b c x || [ -n "$I" ] || q
I=
x=${x#=}
x=${x%=}
case $op in
+) printf %b "$x" >>"$D/$w"; B=; a "$n";;
R) printf %b "$x" >>"$D/c"
f=$D/i
if [ "$c" = - ]; then f=/dev/null c=0; fi
if [ "$(z c)" = "$b" ] && [ "$(z i)" = "$c" ]; then r "$w" "$b" "$n"; else B=$n:lost; fi
: >"$D/c"; : >"$D/i"; a "$n";;
G) B=$b:$(p "$w" "$b"); a "$n";;
A) a "$n";;
Q) q;;
esac
done
