import { rootCertificates } from 'node:tls';
import { type ClientTls, type ClusterOptions, KafkaCluster, type SaslLogin } from '@weir/client';
import { httpExchange, targetOfUrl, withinTime } from '@weir/http/client';
import { awsIdentity } from '../aws/aws-session.ts';
import { usualRegion } from '../aws/aws-signer.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { type TlsValues, tlsOptionsOf } from '../component/tls-fields.ts';
import { ClientToken } from '../http-requests/index.ts';
import { pipelineLimits } from '../limits.ts';
import { parseBrokers } from './brokers.ts';
import type { Oauth2Values, SaslListValues, SaslValues } from './sasl-fields.ts';

type Context = Pick<
  ComponentContext,
  'clock' | 'connection' | 'environment' | 'outbound' | 'ownCluster' | 'resources'
>;

/** How a component reaches a cluster. */
export type OpenCluster = (stop: AbortSignal) => KafkaCluster;

interface Foreign {
  readonly addresses: readonly string[];
  readonly tls: TlsValues;
  readonly login: SaslLogin | undefined;
  readonly clientId: string;
}

/** Timeout of one request, including its retries. */
const timeoutMs = 10_000;

/** A cluster whose addresses a configuration names. Only what the pipeline may connect to is connected to. */
export async function foreignCluster(
  { addresses, tls: tlsValues, login, clientId }: Foreign,
  { clock, connection, outbound }: Context,
): Promise<OpenCluster> {
  const bootstrap = bootstrapOf(addresses);
  const tls = await tlsOf(tlsValues);
  return (stop) =>
    new KafkaCluster({
      bootstrap,
      tls,
      login,
      clientId,
      timeoutMs,
      clock,
      stop,
      lookupFor: (host, port) => outbound.lookupFor(host, port),
      onConnection: connection,
    });
}

/** The cluster that the pipeline belongs to, where it is known already. */
export function ownCluster(clientId: string, { clock, connection, ownCluster: own }: Context): OpenCluster {
  if (own === undefined)
    throw new Error('this pipeline belongs to no cluster; use kafka_franz and name its seed_brokers');
  const bootstrap = bootstrapOf(own.brokers);
  const { username, password = '', usesTls = false, trustedCertificates = '', isOneAddress } = own;
  const login: SaslLogin | undefined =
    username === undefined ? undefined : { mechanism: 'PLAIN', username, password };
  const isLocal = bootstrap.every(({ host }) => /^(?:localhost|127\.[\d.]+|::1)$/.test(host));
  // A certificate is for the name that clients use, and not for this machine.
  const tls: ClientTls | undefined = usesTls
    ? {
        skipsNames: isLocal,
        // The certificate of the agents may be issued by an authority that only their clients know.
        context: { ca: [...rootCertificates, trustedCertificates], allowPartialTrustChain: true },
      }
    : undefined;
  return (stop) =>
    new KafkaCluster({
      bootstrap,
      isOneAddress,
      tls,
      login,
      clientId,
      timeoutMs,
      clock,
      stop,
      onConnection: connection,
    });
}

function bootstrapOf(addresses: readonly string[]): ClusterOptions['bootstrap'] {
  const parsed = parseBrokers(addresses);
  if (typeof parsed === 'string') throw new Error(`the list of brokers ${parsed}`);
  return parsed;
}

async function tlsOf(values: TlsValues): Promise<ClientTls | undefined> {
  const options = await tlsOptionsOf(values);
  if (options === undefined) return undefined;
  const { rejectUnauthorized, ...context } = options;
  return { skipsVerification: !rejectUnauthorized, context };
}

/** The login of `kafka`. */
export async function loginOf(values: SaslValues, context: Context): Promise<SaslLogin | undefined> {
  const { mechanism, user, password, access_token, token_cache, token_key, oauth2, extensions } = values;
  if (mechanism === 'AWS_MSK_IAM') return signedLogin(values.aws, 'sasl.aws.region', context);
  if (mechanism !== 'OAUTHBEARER') return passwordLogin(mechanism, user, password);
  const fromCache = async () => {
    const token = await context.resources.get('cache', token_cache).get(token_key);
    if (token === undefined) throw new Error(`the cache ${token_cache} has no token ${token_key}`);
    return token.toString();
  };
  const token = oauth2.enabled
    ? issuedToken(oauth2, context)
    : token_cache === ''
      ? async () => access_token
      : fromCache;
  return { mechanism, token, extensions };
}

/** The login of `kafka_franz`. */
export async function loginOfList(logins: SaslListValues, context: Context): Promise<SaslLogin | undefined> {
  const login = logins.find(({ mechanism }) => mechanism !== 'none');
  if (login === undefined) return undefined;
  const { mechanism, username, password, token, oauth2, extensions } = login;
  if (mechanism === 'AWS_MSK_IAM') return signedLogin(login.aws, 'sasl.aws.region', context);
  if (mechanism !== 'OAUTHBEARER') return passwordLogin(mechanism, username, password);
  return { mechanism, token: oauth2.enabled ? issuedToken(oauth2, context) : async () => token, extensions };
}

function passwordLogin(
  mechanism: Exclude<SaslValues['mechanism'], 'OAUTHBEARER' | 'AWS_MSK_IAM'>,
  username: string,
  password: string,
): SaslLogin | undefined {
  return mechanism === 'none' ? undefined : { mechanism, username, password };
}

/** AWS_MSK_IAM: each login is signed anew, for the broker that it is sent to. */
async function signedLogin(
  { region, credentials }: SaslValues['aws'],
  regionSetting: string,
  context: Context,
): Promise<SaslLogin> {
  const identity = await awsIdentity({ region: region || usualRegion, credentials }, 'the login', context);
  const { mskPayload } = await import('@weir/storage');
  return {
    mechanism: 'AWS_MSK_IAM',
    payload: async (host) =>
      mskPayload(host, {
        credentials: await identity.get(),
        region: region === '' ? undefined : region,
        regionSetting,
        nowMs: context.clock.nowMs(),
      }),
  };
}

/** Tokens of a server that issues them, which the pipeline may connect to. */
function issuedToken(settings: Oauth2Values, { clock, outbound }: Context): () => Promise<string> {
  const stop = new AbortController().signal;
  const token = new ClientToken(
    settings,
    async (text, form, headers, signal) => {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol))
        throw new Error('token_url has to begin with http:// or https://');
      const { host, port } = targetOfUrl(url);
      return withinTime({ clock, timeoutMs, stop: signal }, (limited) =>
        httpExchange(
          {
            url,
            method: 'POST',
            headers: {
              ...headers,
              'content-type': 'application/x-www-form-urlencoded',
              accept: 'application/json',
            },
            body: form.toString(),
            signal: limited,
            lookup: outbound.lookupFor(host, port),
          },
          async ({ status, text: body }) => ({ status, text: await body(pipelineLimits.httpTokenBytesMax) }),
        ),
      );
    },
    clock,
  );
  return async () => (await token.header(stop)).replace(/^Bearer /, '');
}
