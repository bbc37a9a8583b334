import { SocketAddress } from 'node:net';
import { securityLimits } from '../limits.ts';

/** Header of version 2 of the PROXY protocol. */
export interface ProxyHeader {
  /** Address of the client; `undefined` for a LOCAL command or an unspecified source. */
  readonly source: { readonly address: string; readonly port: number } | undefined;
  /** Whether the command is LOCAL: a connection of the proxy itself, such as a health check. */
  readonly isLocal: boolean;
  /** TLV fields, by type. */
  readonly fields: ReadonlyMap<number, Buffer>;
}

type ParsedProxyHeader =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed'; readonly problem: string }
  | { readonly kind: 'header'; readonly header: ProxyHeader; readonly bytes: number };

const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const versionOneSignature = Buffer.from('PROXY ', 'latin1');
/** Signature, version with command, family with protocol, length. */
const headBytes = signature.length + 4;

const commands = { local: 0, proxy: 1 } as const;
const streamProtocol = 1;
/** A TLV field begins with a type and a length of two bytes. */
const fieldHeadBytes = 3;
/** PP2_TYPE_NOOP, which may be repeated. */
const paddingType = 0x04;

interface Family {
  /** Both addresses and both ports. */
  readonly bytes: number;
  readonly source: (addresses: Buffer) => ProxyHeader['source'];
}

const families: Readonly<Record<number, Family>> = {
  0: { bytes: 0, source: () => undefined },
  1: {
    bytes: 12,
    source: (addresses) => ({
      address: [...addresses.subarray(0, 4)].join('.'),
      port: addresses.readUInt16BE(8),
    }),
  },
  2: {
    bytes: 36,
    source: (addresses) => ({
      address: printIpv6(addresses.subarray(0, 16)),
      port: addresses.readUInt16BE(32),
    }),
  },
  // A Unix socket on the host of the proxy has no address that is meaningful here.
  3: { bytes: 216, source: () => undefined },
};

/**
 * Parses a header from the first bytes of a connection, however many have arrived. Reports `malformed` as soon as the
 * bytes cannot become a header.
 */
export function parseProxyHeader(bytes: Buffer): ParsedProxyHeader {
  const known = Math.min(bytes.length, signature.length);
  if (!bytes.subarray(0, known).equals(signature.subarray(0, known)))
    return malformed(strangeBeginning(bytes));
  if (bytes.length < headBytes) return { kind: 'incomplete' };
  const versionAndCommand = bytes[12]!;
  const familyAndProtocol = bytes[13]!;
  const end = headBytes + bytes.readUInt16BE(14);
  const version = versionAndCommand >> 4;
  const command = versionAndCommand & 0x0f;
  if (version !== 2) return malformed(`unsupported PROXY protocol version ${version}; expected 2`);
  if (command !== commands.local && command !== commands.proxy)
    return malformed(`unknown command ${command}`);
  if (end > securityLimits.proxyHeaderBytesMax) {
    return malformed(`header of ${end} bytes exceeds the limit of ${securityLimits.proxyHeaderBytesMax}`);
  }
  if (bytes.length < end) return { kind: 'incomplete' };
  // The specification says to ignore the rest of the header of a LOCAL command.
  if (command === commands.local) {
    return { kind: 'header', header: { source: undefined, isLocal: true, fields: new Map() }, bytes: end };
  }
  const family = families[familyAndProtocol >> 4];
  const protocol = familyAndProtocol & 0x0f;
  if (family === undefined || protocol > 2) {
    return malformed(
      `unknown address family and protocol 0x${familyAndProtocol.toString(16).padStart(2, '0')}`,
    );
  }
  if (protocol === 2) return malformed('datagram protocol is not supported');
  const body = bytes.subarray(headBytes, end);
  if (body.length < family.bytes) return malformed('truncated addresses');
  const fields = readFields(body.subarray(family.bytes));
  if ('problem' in fields) return malformed(fields.problem);
  const source = protocol === streamProtocol ? family.source(body) : undefined;
  return { kind: 'header', header: { source, isLocal: false, fields: fields.value }, bytes: end };
}

function readFields(bytes: Buffer): { readonly value: Map<number, Buffer> } | { readonly problem: string } {
  const value = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < fieldHeadBytes) return { problem: 'truncated TLV' };
    const type = bytes[at]!;
    const start = at + fieldHeadBytes;
    at = start + bytes.readUInt16BE(at + 1);
    if (at > bytes.length) return { problem: 'truncated TLV' };
    if (type === paddingType) continue;
    // With a repeated type it would be ambiguous which field applies, and one of them may name the user.
    if (value.has(type)) return { problem: `duplicate TLV 0x${type.toString(16).padStart(2, '0')}` };
    value.set(type, bytes.subarray(start, at));
  }
  return { value };
}

function strangeBeginning(bytes: Buffer): string {
  const known = Math.min(bytes.length, versionOneSignature.length);
  return bytes.subarray(0, known).equals(versionOneSignature.subarray(0, known))
    ? 'unsupported PROXY protocol version 1; expected 2'
    : 'no PROXY header';
}

function malformed(problem: string): ParsedProxyHeader {
  return { kind: 'malformed', problem };
}

/** Formats an address as the runtime formats addresses of sockets. */
function printIpv6(bytes: Buffer): string {
  const groups = bytes.toString('hex').match(/.{4}/g)!.join(':');
  return new SocketAddress({ address: groups, family: 'ipv6' }).address;
}
