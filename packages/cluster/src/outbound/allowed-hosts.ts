import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { guardedLookup, isPublicAddress } from './public-address.ts';

/** A host that a tenant has named and that the operator does not allow. The message is one line, for tenants. */
export class HostRefused extends Error {
  override readonly name = 'HostRefused';
}

/** One entry of the operator's list. */
interface HostRule {
  /** `undefined` for all ports. */
  readonly port: number | undefined;
  matchesName(name: string): boolean;
  matchesAddress(address: string): boolean;
}

const never = () => false;
const words: Readonly<Record<string, (address: string) => boolean>> = {
  public: isPublicAddress,
  loopback: blockOf([
    ['127.0.0.0', 8],
    ['::1', 128],
  ]),
};

/**
 * Addresses that only an entry with the address itself allows, never a name: the services of this machine and of its
 * platform that answer without a password, and groups of machines.
 */
const guarded = blockOf([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::', 32],
]);

const hostName = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/;

/** Returns why a text is no entry of a list of allowed hosts. */
export function problemOfHostRule(text: string): string | undefined {
  return parseRule(text) === undefined
    ? 'public, loopback, a host name, *. and a domain, an address or a network is needed, with a port or without'
    : undefined;
}

/**
 * The hosts that the operator lets configurations of tenants name. `public` stands for all addresses of the public
 * internet and `loopback` for those of this machine; anything else is a name, the names below a domain
 * (`*.example.com`), an address or a network (`10.0.0.0/8`), each with an optional port.
 *
 * A name is resolved once, its addresses are checked, and the connection is made to one of them. So a name that
 * resolves to something else a moment later has no effect.
 */
export class AllowedHosts {
  /** Entries as the operator wrote them. */
  readonly entries: readonly string[];
  readonly #rules: readonly HostRule[];
  readonly #resolve: typeof systemLookup;

  /** Throws `RangeError` for an entry that is none. */
  constructor(entries: readonly string[], resolve: typeof systemLookup = systemLookup) {
    this.entries = entries;
    this.#resolve = resolve;
    this.#rules = entries.map((entry) => {
      const rule = parseRule(entry);
      if (rule === undefined) throw new RangeError(`${entry}: ${problemOfHostRule(entry)}`);
      return rule;
    });
  }

  /**
   * Returns why no connection to a host is allowed, as far as it can be known without resolving its name, in words that
   * follow the field that names it. A port that is not given is any.
   */
  problemOf(host: string, port?: number): string | undefined {
    const bare = bareHost(host);
    if (isIP(bare) !== 0) return this.#isAllowed('', bare, port) ? undefined : addressRule;
    const rules = this.#rulesOf(port);
    if (rules.some((rule) => rule.matchesName(bare))) return undefined;
    if (/(?:^|\.)localhost$/.test(bare))
      return rules.some((rule) => rule.matchesAddress('127.0.0.1')) ? undefined : addressRule;
    // Its addresses are checked when it is connected to.
    return rules.some(({ matchesName }) => matchesName === never) ? undefined : nameRule;
  }

  /** The `lookup` of a connection to a host. Throws `HostRefused` if the host cannot be allowed. */
  lookupFor(host: string, port: number): LookupFunction {
    const problem = this.problemOf(host, port);
    if (problem !== undefined) throw new HostRefused(`the host ${host} ${problem}`);
    const name = bareHost(host);
    const guard = guardedLookup((address) => this.#isAllowed(name, address, port), this.#resolve);
    return (hostname, options, done) =>
      guard(hostname, options, (error, ...found) => {
        const isRefused = error?.name === 'AddressRefused';
        done(isRefused ? new HostRefused(`the host ${host} ${resolvedRule}`) : error, ...found);
      });
  }

  #isAllowed(name: string, address: string, port: number | undefined): boolean {
    const plain = embeddedIpv4(address) ?? address;
    const rules = this.#rulesOf(port);
    if (rules.some((rule) => rule.matchesAddress(plain))) return true;
    return !guarded(plain) && rules.some((rule) => rule.matchesName(name));
  }

  #rulesOf(port: number | undefined): readonly HostRule[] {
    return this.#rules.filter((rule) => rule.port === undefined || port === undefined || rule.port === port);
  }
}

const remedy = 'the operator allows hosts by -allowedTargetHosts';
const addressRule = `is an address that Weir may not connect to; ${remedy}`;
const nameRule = `is not a host that Weir may connect to; ${remedy}`;
const resolvedRule = `has no address that Weir may connect to; ${remedy}`;

function parseRule(text: string): HostRule | undefined {
  const entry = text.trim().toLowerCase();
  const isOf = Object.hasOwn(words, entry) ? words[entry] : undefined;
  if (isOf !== undefined) return { port: undefined, matchesName: never, matchesAddress: isOf };
  const [, inBrackets, host, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const place = inBrackets ?? host ?? entry;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const [, network, bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(place) ?? [];
  const family = isIP(network ?? '');
  if (family !== 0) {
    const bitsMax = family === 4 ? 32 : 128;
    const length = bits === undefined ? bitsMax : Number(bits);
    if (length > bitsMax) return undefined;
    return { port, matchesName: never, matchesAddress: blockOf([[network!, length]]) };
  }
  // A name of digits and dots is an address in another notation.
  if (inBrackets !== undefined || !hostName.test(place) || /^[\dx.]+$/.test(place)) return undefined;
  const domain = place.startsWith('*.') ? place.slice(1) : undefined;
  const matchesName = (name: string) =>
    domain === undefined ? name === place : name.length > domain.length && name.endsWith(domain);
  return { port, matchesName, matchesAddress: never };
}

function blockOf(networks: readonly (readonly [network: string, bits: number])[]) {
  const block = new BlockList();
  for (const [network, bits] of networks) block.addSubnet(network, bits, isIPv6(network) ? 'ipv6' : 'ipv4');
  return (address: string) => isIP(address) !== 0 && block.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** The IPv4 address that an IPv6 address stands for, and to which the system connects. */
function embeddedIpv4(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  // As a URL, it is in one notation.
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostInUrl(`[${address}]`)) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}

/** A host as a connection reads it: numbers such as `0x7f000001` are addresses, too. */
function bareHost(host: string): string {
  const trimmed = host.trim().toLowerCase();
  const inUrl = hostInUrl(isIPv6(trimmed) ? `[${trimmed}]` : trimmed);
  return (inUrl === '' ? trimmed : inUrl).replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function hostInUrl(host: string): string {
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : '';
}
