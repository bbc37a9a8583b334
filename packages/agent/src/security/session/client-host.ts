/** An address of IPv4 as such: a listener on both families sees it as one of IPv6. */
export function bareAddress(remoteAddress: string): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Where a client connects from, as Kafka's tools show it. */
export function clientHostOf(remoteAddress: string): string {
  return `/${bareAddress(remoteAddress)}`;
}
