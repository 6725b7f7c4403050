//! Which addresses of the network are of public hosts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to a machine or a network of one's own, or to none: a page on the web must not lead the crawler
/// there.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_private_v4(inner),
            None => is_private_v6(address),
        },
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        // This network, and addresses shared by customers of a provider (RFC 6598).
        (0, ..) | (100, 64..=127, _) => true,
        // Protocols (RFC 6890), 6to4 relays, and benchmarks (RFC 2544).
        (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _) => true,
        // Many receivers, and addresses for later.
        (224.., ..) => true,
        _ => {
            address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_documentation()
        }
    }
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    // Only 2000::/3 is given to hosts; 2001:db8::/32 and 2001::/23 are for documents and protocols.
    let [first, second, ..] = address.segments();
    first & 0xe000 != 0x2000 || (first == 0x2001 && (second == 0x0db8 || second < 0x0200)) || first == 0x3fff
}

/// The address of version 4 that one of version 6 stands for: mapped, compatible, behind NAT64 or 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = address.segments();
    let of = |high: u16, low: u16| Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => of(high, low),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => of(high, low),
        [0x2002, high, low, ..] => of(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known_in_all_their_forms() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "fc00::1",
            "fe80::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in [
            "93.184.216.34",
            "172.15.0.1",
            "100.128.0.1",
            "2606:2800:220:1::1",
            "::ffff:8.8.8.8",
        ] {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
    }
}
