import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';

/** The address blocks of one zone, each as `10.0.0.0/16` or `fd00:1::/32`. */
interface ZoneBlocks {
  readonly zone: string;
  readonly cidrs: readonly string[];
}

/** Finds the zone of a peer by its address. */
export type ZoneOfAddress = (address: string) => string | undefined;

interface Blocks {
  readonly prefixBits: number;
  readonly zone: string;
  readonly list: BlockList;
}

const mappedPrefix = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const mappedPrefixBits = 96;

/**
 * Returns the zone whose block contains an address. The narrowest block wins; of equal blocks the first. IPv4-mapped
 * IPv6 (`::ffff:10.0.0.1`), as a dual-stack listener reports it, counts as IPv4.
 */
export function zonesByAddress(zones: readonly ZoneBlocks[]): ZoneOfAddress {
  const blocks = { ipv4: [] as Blocks[], ipv6: [] as Blocks[] };
  for (const { zone, cidrs } of zones) {
    for (const cidr of cidrs) {
      const { family, network, prefixBits } = parseCidr(cidr);
      const list = new BlockList();
      list.addSubnet(network, prefixBits, family);
      blocks[family].push({ prefixBits, zone, list });
    }
  }
  // The sort is stable.
  for (const family of Object.values(blocks)) family.sort((a, b) => b.prefixBits - a.prefixBits);
  return (address) => {
    // A link-local address carries the name of its interface.
    const bare = address.replace(mappedPrefix, '').replace(/%.*$/, '');
    const family = familyOf(bare);
    if (family === undefined || blocks[family].length === 0) return undefined;
    const parsed = new SocketAddress({ address: bare, family });
    return blocks[family].find(({ list }) => list.check(parsed))?.zone;
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
}

function parseCidr(cidr: string) {
  const [written = '', bits = ''] = cidr.split('/');
  const isMapped = mappedPrefix.test(written) && Number(bits) >= mappedPrefixBits;
  const network = isMapped ? written.replace(mappedPrefix, '') : written;
  const prefixBits = Number(bits) - (isMapped ? mappedPrefixBits : 0);
  const family = familyOf(network);
  if (family === undefined || !/^\d+$/.test(bits) || prefixBits > (family === 'ipv4' ? 32 : 128)) {
    throw new RangeError(`${cidr} is not a CIDR such as 10.0.0.0/16`);
  }
  return { family, network, prefixBits };
}
