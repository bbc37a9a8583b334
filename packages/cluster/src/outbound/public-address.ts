import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

/** Whether a connection to this address (not a name) is allowed. */
export type AllowedAddress = (address: string) => boolean;

/** Special-purpose IPv4 addresses: RFC 6890 and its successors, and the service of a cloud at a public address. */
const specialIpv4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** The public part of IPv6, except for ranges that embed IPv4, tunnels and documentation. */
const publicIpv6: readonly [network: string, bits: number] = ['2000::', 3];
const specialIpv6: readonly [network: string, bits: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, bits] of specialIpv4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of specialIpv6) special.addSubnet(network, bits, 'ipv6');
const global = new BlockList();
global.addSubnet(...publicIpv6, 'ipv6');

/**
 * Whether an address is on the public internet. Otherwise a user who may name an address for this process to call could
 * reach services behind the firewall: the metadata service of a cloud, or a database without a password.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv6(address)) return global.check(address, 'ipv6') && !special.check(address, 'ipv6');
  return !special.check(address, 'ipv4');
}

/** The host of a URL, if it is an address and not a name. */
export function addressIn(url: string): string | undefined {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? undefined : host;
}

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor(host: string) {
    super(`${host} is not on the public internet, or requests to it are not allowed`);
  }
}

/**
 * Resolves names for a connection, and returns only allowed addresses. The connection uses exactly these addresses, so
 * a name that resolves differently a moment later (DNS rebinding) has no effect.
 */
export function guardedLookup(
  isAllowed: AllowedAddress,
  resolve: typeof systemLookup = systemLookup,
): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) return done(new AddressRefused(hostname), []);
      if (options.all === true) return done(null, allowed);
      return done(null, first.address, first.family);
    });
  };
}
