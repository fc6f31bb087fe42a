#!/bin/sh
# Ridge's ceilings against likwid-bench's on this machine, in turns: DRAM read against `load` (the best of load, load_avx, load_avx512),
# FP64 and FP32 FMA against peakflops_avx512_fma and peakflops_sp_avx512_fma. Prints each round and the medians of the ratios.
#   bench/ceilings.sh BUILD_FOLDER [ROUNDS] [THREADS]
set -eu
build=$1 rounds=${2:-9} threads=${3:-1}
command -v likwid-bench >/dev/null || { echo "likwid-bench is missing (Debian: likwid)" >&2; exit 77; }

number() { # the value after a name, of what stands on stdin
    sed -n "s|^$1:*[[:space:]]*||p" | head -n 1
}
likwid() { # kernel size what
    likwid-bench -t "$1" -w "S0:$2:$threads" -s 1 2>/dev/null | number "$3"
}

i=0
while [ "$i" -lt "$rounds" ]; do
    i=$((i + 1))
    load=$(for kernel in load load_avx load_avx512; do likwid $kernel 1GB MByte/s; done | sort -g | tail -n 1)
    d64=$(likwid peakflops_avx512_fma 16kB MFlops/s)
    ours=$("$build/bench-ceilings" "$threads" 1)
    d32=$(likwid peakflops_sp_avx512_fma 16kB MFlops/s)
    echo "$ours load $load likwid64 $d64 likwid32 $d32"
done | awk '
    { print; read[NR] = $2 / $12; fp64[NR] = $4 / $14; fp32[NR] = $6 / $16; cycle[NR] = $10 }
    function median(a, n,   i, j, t) {
        for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j >= 1 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    END {
        printf "medians: DRAM read / likwid load %.3f, fp64 FMA / likwid %.3f, fp32 FMA / likwid %.3f, fp32 FLOP per cycle %.2f\n",
            median(read, NR), median(fp64, NR), median(fp32, NR), median(cycle, NR)
    }'
