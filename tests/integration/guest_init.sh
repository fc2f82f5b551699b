#!/bin/sh
# The first process of a guest: a Linux host with a login at its serial console.
export PATH=/usr/sbin:/usr/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs run /run
mkdir -m 755 /run/frr
chown frr:frr /run/frr /etc/frr
modprobe -a virtio_pci virtio_net
hostname guest
ip link set lo up
# as nodes of `netns` have them
while read -r name value; do echo "$value" >"/proc/sys/$name"; done <<EOF
net/ipv6/conf/all/accept_dad 0
net/ipv6/conf/default/accept_dad 0
net/ipv6/conf/default/dad_transmits 0
net/ipv6/conf/default/router_solicitations 0
net/ipv4/icmp_ratelimit 0
net/ipv6/icmp/ratelimit 0
net/ipv4/igmp_max_memberships 1000
net/ipv4/ping_group_range 0 2147483647
EOF
# ended by power off, else by a login that ends
while :; do setsid getty -L 115200 ttyS0 vt100; done
