#!/bin/sh
# Prints the hosts of a build by several processes, for `gleaner build --hosts`: one line HOST:PORT per process, in the
# order of their numbers (`--process`).
#
#     hosts.sh slurm [PORT]
#         the nodes of the current Slurm job, once for each of their tasks: task 0 is process 0
#     hosts.sh numbered NAME COUNT [DOMAIN [PORT]]
#         NAME-0.DOMAIN, NAME-1.DOMAIN and so on: pods of an indexed Job, containers of Compose (no DOMAIN, or "")
#
# Processes on one node have PORT, PORT + 1 and so on.
set -eu

# The port of processes if none is given.
default_port=2101

fail() {
    echo "hosts.sh: $1" >&2
    exit 2
}

# The value of a variable that Slurm sets.
slurm_says() {
    eval "value=\${$1:-}"
    [ -n "$value" ] || fail "$1 is not set: run this in a Slurm job, such as infra/slurm.sbatch"
    echo "$value"
}

# Tasks per node are written as in 2(x3),1: three nodes with two tasks, one with one.
slurm() {
    port=$1
    nodes=$(slurm_says SLURM_JOB_NODELIST)
    tasks=$(slurm_says SLURM_TASKS_PER_NODE)
    names=$(scontrol show hostnames "$nodes") || fail "scontrol cannot tell the nodes of $nodes"
    echo "$names" | awk -v tasks="$tasks" -v port="$port" '
        BEGIN {
            items = split(tasks, item, ",")
            for (i = 1; i <= items; i++) {
                times = 1
                count = item[i]
                if (match(count, /\(x[0-9]+\)$/)) {
                    times = substr(count, RSTART + 2, RLENGTH - 3)
                    count = substr(count, 1, RSTART - 1)
                }
                for (; times > 0; times--) on[nodes++] = count
            }
        }
        { for (k = 0; k < on[NR - 1]; k++) print $1 ":" port + k }
        END {
            if (NR != nodes) {
                print "hosts.sh: " NR " nodes, and tasks for " nodes " (" tasks ")" > "/dev/stderr"
                exit 2
            }
        }'
}

numbered() {
    name=$1 count=$2 domain=$3 port=$4
    case $count in
        '' | *[!0-9]* | 0) fail "'$count' is no number of processes" ;;
    esac
    number=0
    while [ "$number" -lt "$count" ]; do
        echo "$name-$number${domain:+.$domain}:$port"
        number=$((number + 1))
    done
}

case ${1:-} in
    slurm) slurm "${2:-$default_port}" ;;
    numbered)
        [ $# -ge 3 ] || fail "numbered needs a NAME and a COUNT"
        numbered "$2" "$3" "${4:-}" "${5:-$default_port}"
        ;;
    *) fail "use: hosts.sh slurm [PORT], or hosts.sh numbered NAME COUNT [DOMAIN [PORT]]" ;;
esac
