/** What a URL connects to. The host is without the brackets of an IPv6 address. */
export function targetOfUrl({ protocol, hostname, port }: URL) {
  const isSecure = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port), isSecure };
}
