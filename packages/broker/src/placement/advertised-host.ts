/** The needed part of `os.networkInterfaces()`. */
interface NetworkAddress {
  readonly address: string;
  readonly family: 'IPv4' | 'IPv6';
  /** A loopback address. */
  readonly internal: boolean;
}

export interface Machine {
  readonly hostname: string;
  readonly addresses: readonly NetworkAddress[];
}

const hostStrategies = ['auto-ip4', 'auto-ip6', 'hostname'] as const;
export type HostStrategy = (typeof hostStrategies)[number];

export type AdvertisedHost = { readonly host: string } | { readonly problem: string };

/** Returns the host that an agent advertises to clients. */
export function advertisedHost(strategy: HostStrategy, machine: Machine): AdvertisedHost {
  const outside = machine.addresses.filter(({ internal }) => !internal);
  switch (strategy) {
    case 'hostname':
      return { host: machine.hostname };
    case 'auto-ip4': {
      const found = outside.find(({ family, address }) => family === 'IPv4' && isPrivateIp4(address));
      return found === undefined ? missing(strategy, 'private IPv4') : { host: found.address };
    }
    case 'auto-ip6': {
      const usable = outside.filter(({ family, address }) => family === 'IPv6' && !isLinkLocal(address));
      const found = usable.find(({ address }) => isUniqueLocal(address)) ?? usable[0];
      return found === undefined ? missing(strategy, 'IPv6') : { host: found.address };
    }
  }
}

/**
 * Returns the host name in a spelling of its own for each agent. Clients that identify brokers by host and port would
 * take agents behind one name for a single broker; DNS ignores case. An IP address stays as it is.
 */
export function spelledFor(host: string, nodeId: number): string {
  let bits = nodeId;
  return host.replace(/[a-z]/gi, (letter) => {
    const isUpper = (bits & 1) === 1;
    bits = (bits >>> 1) | ((bits & 1) << 30);
    return isUpper ? letter.toUpperCase() : letter.toLowerCase();
  });
}

/** RFC 1918. */
function isPrivateIp4(address: string): boolean {
  const [first, second] = address.split('.').map(Number);
  if (first === 10) return true;
  if (first === 192) return second === 168;
  return first === 172 && second! >= 16 && second! <= 31;
}

/** fe80::/10, unusable without the name of an interface. */
function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}

/** fc00::/7, the private addresses of IPv6. */
function isUniqueLocal(address: string): boolean {
  return /^f[cd]/i.test(address);
}

function missing(strategy: HostStrategy, kind: string): AdvertisedHost {
  return {
    problem: `${strategy}: this host has no ${kind} address; set -discoveryKafkaHostnameOverride or use the hostname strategy`,
  };
}
