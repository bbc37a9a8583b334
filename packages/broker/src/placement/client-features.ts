import { isAssignmentStrategy, type PartitionAssignmentStrategy } from './strategies.ts';

/**
 * Features that a client requests in its client id: `app,ws_az=us-east-1a`. Words that are not `key=value` with a known
 * key belong to the client and are ignored. Quotes and blanks around the whole id, a key or a value are dropped,
 * because they come from configuration files. An invalid value counts as absent, and of two values the later one wins.
 */
export interface ClientFeatures {
  readonly zone?: string;
  readonly strategy?: PartitionAssignmentStrategy;
  /** Whether an agent for this client must produce or fetch. */
  readonly proxyTarget?: ProxyTarget;
  /** Empty for the default group. */
  readonly agentGroup?: string;
  readonly clusterId?: string;
  /** The host to advertise for every agent. */
  readonly hostOverride?: string;
  readonly sessionId?: string;
  /** Whether its connection should be closed when it crosses zones for too long. */
  readonly interzoneLoadBalancing?: boolean;
  readonly disableFetchAutoTune?: boolean;
  /** Hides leader epochs from the client; some releases of librdkafka reject a constant one. */
  readonly skipLeaderEpoch?: boolean;
}

const proxyTargets = ['proxy-produce', 'proxy-consume'] as const;
export type ProxyTarget = (typeof proxyTargets)[number];

type Feature = {
  [Name in keyof ClientFeatures]-?: [Name, Parse<NonNullable<ClientFeatures[Name]>>];
}[keyof ClientFeatures];
type Parse<Value> = (text: string) => Value | undefined;

const zone: Feature = ['zone', (text) => (/^[a-z0-9-]{1,128}$/.test(text) ? text : undefined)];
const strategy: Feature = ['strategy', (text) => (isAssignmentStrategy(text) ? text : undefined)];
const agentGroup: Feature = ['agentGroup', (text) => (/^[a-z0-9-]{0,128}$/.test(text) ? text : undefined)];
const disableFetchAutoTune: Feature = ['disableFetchAutoTune', boolean];

const features: ReadonlyMap<string, Feature> = new Map<string, Feature>([
  ['service_az', zone],
  ['ws_az', zone],
  ['service_partition_assignment_strategy', strategy],
  ['ws_pas', strategy],
  ['service_agent_group', agentGroup],
  ['ws_ag', agentGroup],
  ['service_proxy_target', ['proxyTarget', (text) => proxyTargets.find((target) => target === text)]],
  ['service_cluster_id', ['clusterId', nonEmpty]],
  [
    'ws_host_override',
    ['hostOverride', (text) => (/^[A-Za-z0-9._:-]{1,253}$/.test(text) ? text : undefined)],
  ],
  ['service_session_id', ['sessionId', nonEmpty]],
  ['service_interzone_lb', ['interzoneLoadBalancing', boolean]],
  ['service_disable_fetch_auto_tune', disableFetchAutoTune],
  ['ws_dfat', disableFetchAutoTune],
  ['ws_sle', ['skipLeaderEpoch', boolean]],
]);

const none: ClientFeatures = {};

export function parseClientFeatures(clientId: string | null): ClientFeatures {
  if (clientId === null || !clientId.includes('=')) return none;
  const found: Record<string, string | boolean> = {};
  for (const word of bare(clientId).split(',')) {
    const equals = word.indexOf('=');
    const feature = equals < 0 ? undefined : features.get(bare(word.slice(0, equals)));
    if (feature === undefined) continue;
    const [name, parse] = feature;
    const value = parse(bare(word.slice(equals + 1)));
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Client ids repeat on every request of a connection, so parsed ones are cached. */
export function rememberingParser(clientIdsMax: number): (clientId: string | null) => ClientFeatures {
  const remembered = new Map<string, ClientFeatures>();
  return (clientId) => {
    if (clientId === null || !clientId.includes('=')) return none;
    const known = remembered.get(clientId);
    if (known !== undefined) return known;
    if (remembered.size >= clientIdsMax) remembered.clear();
    const parsed = parseClientFeatures(clientId);
    remembered.set(clientId, parsed);
    return parsed;
  };
}

/** Strips quotes and blanks at both ends. */
function bare(text: string): string {
  return text.replace(/^[\s'"]+/, '').replace(/[\s'"]+$/, '');
}

function boolean(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

function nonEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
}
