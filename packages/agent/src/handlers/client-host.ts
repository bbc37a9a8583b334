/** Where a client connects from, as Kafka's tools show it. */
export function clientHostOf(remoteAddress: string): string {
  // A listener on both families sees clients of IPv4 under an address of IPv6.
  return `/${remoteAddress.replace(/^::ffff:(?=\d+\.)/, '')}`;
}
