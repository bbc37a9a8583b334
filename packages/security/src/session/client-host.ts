/** Strips the IPv6 prefix of a mapped IPv4 address, as a dual-stack listener reports it. */
export function bareAddress(remoteAddress: string): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Returns the host of a client as Kafka's tools show it. */
export function clientHostOf(remoteAddress: string): string {
  return `/${bareAddress(remoteAddress)}`;
}
