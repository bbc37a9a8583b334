import { InvalidRegistryAddress, parseRegistryAddresses } from '../client/registry-address.ts';
import type { RegistryClientOptions, RegistryCredentials } from '../client/registry-connection.ts';

/** The config of an exporter is not usable. The message is one line, for users. */
export class InvalidDestination extends Error {
  override name = 'InvalidDestination';
}

type Config = Readonly<Record<string, string>>;

/** Settings that are read. Clients of Confluent's write the same names with this prefix before them, too. */
const prefix = 'schema.registry.';
const urlSetting = 'schema.registry.url';
const used: ReadonlySet<string> = new Set([
  urlSetting,
  'basic.auth.credentials.source',
  'basic.auth.user.info',
  'bearer.auth.credentials.source',
  'bearer.auth.token',
  'ssl.truststore.type',
  'ssl.truststore.certificates',
  'ssl.keystore.type',
  'ssl.keystore.certificate.chain',
  'ssl.keystore.key',
  'ssl.endpoint.identification.algorithm',
]);
/** Without these the exporter would reach another place, in another way or as another user. The rest is ignored. */
const meaningful = /^(basic|bearer)\.auth\.|^ssl\.|^proxy\.|^sasl\./;
/** They choose among what both sides can do, and Node chooses well. */
const ignored = /^ssl\.(protocol|enabled\.protocols|cipher\.suites|provider|secure\.random\.implementation)$/;

/** Reads the config of an exporter as Confluent's clients do. Throws `InvalidDestination`. */
export function destinationOptions(
  config: Config,
): Pick<RegistryClientOptions, 'urls' | 'credentials' | 'tls'> {
  const settings = new Map<string, string>();
  for (const [name, value] of Object.entries(config)) {
    const bare = name !== urlSetting && name.startsWith(prefix) ? name.slice(prefix.length) : name;
    if (!used.has(bare)) {
      if (meaningful.test(bare) && !ignored.test(bare) && value !== '')
        throw new InvalidDestination(
          `The config has ${name.slice(0, 100)}, which this registry does not support.`,
        );
      continue;
    }
    if (value !== '') settings.set(bare, value);
  }
  const { urls, inUrl } = addressesOf(settings.get(urlSetting));
  return { urls, credentials: credentialsOf(settings, inUrl), tls: tlsOf(settings) };
}

/** Takes the user and the password out of an address, where Confluent's clients look for them first. */
function addressesOf(text: string | undefined): {
  readonly urls: string;
  readonly inUrl: RegistryCredentials | undefined;
} {
  if (text === undefined) throw new InvalidDestination(`The config needs ${urlSetting}.`);
  let inUrl: RegistryCredentials | undefined;
  const parts = text.split(',').map((part) => {
    const trimmed = part.trim();
    if (!URL.canParse(trimmed)) return trimmed;
    const url = new URL(trimmed);
    if (url.username === '' && url.password === '') return trimmed;
    inUrl ??= {
      kind: 'basic',
      username: decoded(url.username),
      password: decoded(url.password),
    };
    url.username = '';
    url.password = '';
    return url.href;
  });
  const urls = parts.join(',');
  try {
    parseRegistryAddresses(urls);
  } catch (error) {
    if (!(error instanceof InvalidRegistryAddress)) throw error;
    throw new InvalidDestination(`The setting ${urlSetting} is not usable: ${error.message}.`);
  }
  return { urls, inUrl };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidDestination(
      `The setting ${urlSetting} has a user or a password with an invalid escape.`,
    );
  }
}

function credentialsOf(
  settings: ReadonlyMap<string, string>,
  inUrl: RegistryCredentials | undefined,
): RegistryCredentials | undefined {
  const basicSource = settings.get('basic.auth.credentials.source')?.toUpperCase();
  const bearerSource = settings.get('bearer.auth.credentials.source')?.toUpperCase();
  if (basicSource !== undefined && bearerSource !== undefined)
    throw new InvalidDestination('The config has sources of basic and of bearer credentials; give one.');
  const token = settings.get('bearer.auth.token');
  if (bearerSource !== undefined) {
    if (bearerSource !== 'STATIC_TOKEN')
      throw new InvalidDestination('The bearer.auth.credentials.source can only be STATIC_TOKEN.');
    if (token === undefined) throw new InvalidDestination('The config needs bearer.auth.token.');
    return { kind: 'bearer', token };
  }
  const userInfo = settings.get('basic.auth.user.info');
  if (basicSource === 'URL') {
    if (inUrl === undefined)
      throw new InvalidDestination(`The setting ${urlSetting} has no user and password in it.`);
    return inUrl;
  }
  if (basicSource !== undefined && basicSource !== 'USER_INFO')
    throw new InvalidDestination('The basic.auth.credentials.source can only be URL or USER_INFO.');
  if (userInfo !== undefined) {
    const end = userInfo.indexOf(':');
    if (end < 0) throw new InvalidDestination('The basic.auth.user.info is not of the form user:password.');
    return { kind: 'basic', username: userInfo.slice(0, end), password: userInfo.slice(end + 1) };
  }
  if (basicSource !== undefined) throw new InvalidDestination('The config needs basic.auth.user.info.');
  return token === undefined ? inUrl : { kind: 'bearer', token };
}

/** Certificates come in the config itself: a path would name files of the agents. */
function tlsOf(settings: ReadonlyMap<string, string>): RegistryClientOptions['tls'] {
  for (const kind of ['truststore', 'keystore']) {
    const type = settings.get(`ssl.${kind}.type`);
    if (type !== undefined && type.toUpperCase() !== 'PEM')
      throw new InvalidDestination(`The ssl.${kind}.type can only be PEM.`);
  }
  const algorithm = settings.get('ssl.endpoint.identification.algorithm');
  if (algorithm !== undefined && algorithm.toLowerCase() !== 'https')
    throw new InvalidDestination('The ssl.endpoint.identification.algorithm can only be https.');
  const clientCertificate = settings.get('ssl.keystore.certificate.chain');
  const clientKey = settings.get('ssl.keystore.key');
  if ((clientCertificate === undefined) !== (clientKey === undefined))
    throw new InvalidDestination('Of ssl.keystore.certificate.chain and ssl.keystore.key one is missing.');
  const ca = settings.get('ssl.truststore.certificates');
  if (ca === undefined && clientCertificate === undefined) return undefined;
  return { ca, clientCertificate, clientKey };
}
