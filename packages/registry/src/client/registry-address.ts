/** One base URL of a registry. */
export interface RegistryAddress {
  readonly url: URL;
  /** Scheme, host and path, for messages. */
  readonly text: string;
}

/** The text of an address is not usable. The message is for users. */
export class InvalidRegistryAddress extends Error {
  override name = 'InvalidRegistryAddress';
}

/** More addresses are a mistake. */
const addressesMax = 16;

/**
 * Parses the base URLs of one registry, separated by commas: the same registry answers at each of them. Throws
 * `InvalidRegistryAddress`.
 */
export function parseRegistryAddresses(text: string): readonly RegistryAddress[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) throw new InvalidRegistryAddress('no URL given; use http://host:8081');
  if (parts.length > addressesMax) {
    throw new InvalidRegistryAddress(`has ${parts.length} URLs; at most ${addressesMax} are possible`);
  }
  return parts.map(parseAddress);
}

function parseAddress(text: string): RegistryAddress {
  if (isGlue(text)) {
    throw new InvalidRegistryAddress(
      'AWS Glue is not supported; use the URL of a registry with the API of Confluent Schema Registry',
    );
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new InvalidRegistryAddress(`${quoted(text)} is not an http:// or https:// URL`);
  }
  // Checked before the text is repeated, because it has a secret.
  if (url.username !== '' || url.password !== '') {
    throw new InvalidRegistryAddress(
      'has credentials in the URL; give username and password by their own options',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidRegistryAddress(`${quoted(text)} has a query or a fragment; give the base URL only`);
  }
  return { url, text: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}` };
}

/** Glue has an ARN, or a host of its own. */
function isGlue(text: string): boolean {
  if (/^(arn:aws[a-z-]*:glue:|glue:)/i.test(text)) return true;
  return URL.canParse(text) && /^glue[.-].*\.amazonaws\.com(\.cn)?$/i.test(new URL(text).hostname);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
