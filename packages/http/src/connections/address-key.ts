/** A host may own a whole IPv6 /64, so its addresses count as one. */
export function addressKey(remoteAddress: string): string {
  const address = remoteAddress.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  // `::` stands for as many zero groups as are missing.
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  while (tail !== undefined && groups.length + tailGroups.length < 8) groups.push('0');
  return [...groups, ...tailGroups]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
