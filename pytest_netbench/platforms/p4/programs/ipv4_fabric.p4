// IPv4 fabric of a data centre: longest-prefix forwarding, equal-cost paths by a hash of the flow, and answers to ARP
// requests for the gateways of subnets. A packet whose time to live runs out is dropped; no ICMP error is sent.

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_ARP = 0x0806;
const bit<16> ARP_REQUEST = 1;
const bit<16> ARP_REPLY = 2;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<32> PORTS = 64;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header arp_t {
    bit<16> hardware_type;
    bit<16> protocol_type;
    bit<8> hardware_length;
    bit<8> protocol_length;
    bit<16> operation;
    bit<48> sender_mac;
    bit<32> sender_address;
    bit<48> target_mac;
    bit<32> target_address;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_words;
    bit<8> traffic_class;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header l4_ports_t {
    bit<16> source;
    bit<16> destination;
}

struct metadata_t {
    bit<16> group;
    bit<16> bucket;
    bit<16> source_port;
    bit<16> destination_port;
}

struct headers_t {
    ethernet_t ethernet;
    arp_t arp;
    ipv4_t ipv4;
    l4_ports_t l4_ports;
}

parser FabricParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_ARP: parse_arp;
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_arp {
        packet.extract(hdr.arp);
        transition accept;
    }

    // A packet with options or a fragment is forwarded by its addresses alone.
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_words, hdr.ipv4.fragment_offset, hdr.ipv4.flags & 1, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): parse_l4_ports;
            (5, 0, 0, PROTOCOL_UDP): parse_l4_ports;
            default: accept;
        }
    }

    state parse_l4_ports {
        packet.extract(hdr.l4_ports);
        meta.source_port = hdr.l4_ports.source;
        meta.destination_port = hdr.l4_ports.destination;
        transition accept;
    }
}

control FabricVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_words == 5, {
            hdr.ipv4.version, hdr.ipv4.header_words, hdr.ipv4.traffic_class, hdr.ipv4.total_length,
            hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live,
            hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
        }, hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control FabricIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(PORTS, CounterType.packets_and_bytes) received;
    counter(PORTS, CounterType.packets_and_bytes) dropped;
    direct_counter(CounterType.packets_and_bytes) routed;
    register<bit<48>>(PORTS) last_received_us;

    action drop() {
        dropped.count((bit<32>) standard.ingress_port);
        mark_to_drop(standard);
    }

    action answer(bit<48> mac) {
        hdr.ethernet.destination = hdr.arp.sender_mac;
        hdr.ethernet.source = mac;
        bit<32> asked = hdr.arp.target_address;
        hdr.arp.operation = ARP_REPLY;
        hdr.arp.target_mac = hdr.arp.sender_mac;
        hdr.arp.target_address = hdr.arp.sender_address;
        hdr.arp.sender_mac = mac;
        hdr.arp.sender_address = asked;
        standard.egress_spec = standard.ingress_port;
    }

    action forward(bit<48> mac, bit<9> port) {
        hdr.ethernet.destination = mac;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
        standard.egress_spec = port;
    }

    action ecmp(bit<16> group, bit<16> size) {
        meta.group = group;
        hash(meta.bucket, HashAlgorithm.crc16, (bit<16>) 0, {
            hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, meta.source_port, meta.destination_port
        }, size);
    }

    table gateways {
        key = { hdr.arp.target_address: exact; }
        actions = { answer; drop; }
        default_action = drop();
        size = 256;
    }

    table ipv4_lpm {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; ecmp; drop; }
        default_action = drop();
        counters = routed;
        size = 1024;
    }

    table ecmp_members {
        key = { meta.group: exact; meta.bucket: exact; }
        actions = { forward; drop; }
        default_action = drop();
        size = 1024;
    }

    apply {
        received.count((bit<32>) standard.ingress_port);
        last_received_us.write((bit<32>) standard.ingress_port, standard.ingress_global_timestamp);
        if (hdr.arp.isValid() && hdr.arp.operation == ARP_REQUEST) {
            gateways.apply();
        } else if (hdr.ipv4.isValid() && hdr.ipv4.time_to_live > 1 && standard.checksum_error == 0) {
            switch (ipv4_lpm.apply().action_run) {
                ecmp: { ecmp_members.apply(); }
            }
        } else {
            drop();
        }
    }
}

control FabricEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(PORTS, CounterType.packets_and_bytes) sent;

    action rewrite(bit<48> mac) {
        hdr.ethernet.source = mac;
    }

    table port_macs {
        key = { standard.egress_port: exact; }
        actions = { rewrite; NoAction; }
        default_action = NoAction();
        size = 64;
    }

    apply {
        if (hdr.ipv4.isValid()) {
            port_macs.apply();
        }
        sent.count((bit<32>) standard.egress_port);
    }
}

control FabricCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_words == 5, {
            hdr.ipv4.version, hdr.ipv4.header_words, hdr.ipv4.traffic_class, hdr.ipv4.total_length,
            hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live,
            hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
        }, hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control FabricDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.arp);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.l4_ports);
    }
}

V1Switch(FabricParser(), FabricVerify(), FabricIngress(), FabricEgress(), FabricCompute(), FabricDeparser()) main;
