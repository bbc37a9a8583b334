/** A server as a URL names it. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly usesTls: boolean;
  readonly username: string;
  readonly password: string;
  /** Without the first slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The schemes of URLs, with the port that a URL need not name. */
export type Schemes = Readonly<Record<string, { readonly port: number; readonly usesTls?: boolean }>>;

const serversMax = 100;

/** A rule for a field of URLs: items with commas are several, and there is at least one. */
export function isListOfServers(schemes: Schemes, example: string) {
  return (urls: readonly string[]): string | undefined => {
    const addresses = serverAddresses(urls, schemes);
    if (addresses === undefined) return `has to have URLs such as ${example}`;
    return addresses.length > serversMax ? `may have ${serversMax} URLs` : undefined;
  };
}

/** The servers of a list of URLs, in order; `undefined` if one is none, or the list is empty. */
export function serverAddresses(urls: readonly string[], schemes: Schemes): ServerAddress[] | undefined {
  const [usualScheme] = Object.keys(schemes);
  const addresses: ServerAddress[] = [];
  for (const text of urls.join(',').split(',')) {
    const trimmed = text.trim();
    if (trimmed === '') continue;
    const address = addressOf(trimmed.includes('://') ? trimmed : `${usualScheme}://${trimmed}`, schemes);
    if (address === undefined) return undefined;
    addresses.push(address);
  }
  return addresses.length === 0 ? undefined : addresses;
}

function addressOf(text: string, schemes: Schemes): ServerAddress | undefined {
  const url = URL.parse(text);
  const name = url?.protocol.slice(0, -1) ?? '';
  if (url === null || url.hostname === '' || !Object.hasOwn(schemes, name)) return undefined;
  const { port, usesTls = false } = schemes[name]!;
  try {
    return {
      host: decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1')),
      port: url.port === '' ? port : Number(url.port),
      usesTls,
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      path: decodeURIComponent(url.pathname.slice(1)),
      query: url.searchParams,
    };
  } catch {
    return undefined;
  }
}
