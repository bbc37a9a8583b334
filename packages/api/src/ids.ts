import * as z from 'zod';

/**
 * How the things of the service are named: a prefix that tells the kind, and the rest. What we make ourselves is a UUID
 * with underscores, because a hyphen would end a word in many places where ids are pasted.
 *
 * Clusters, credentials and federations may be named by an operator, in a flag or a file, so that any word is accepted
 * for them.
 */
const underscoredUuid = '[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}';
const operatorsWord = '[a-zA-Z0-9_]{1,64}';
const dottedWord = '[a-zA-Z0-9_.-]{1,128}';

export const idKinds = {
  account: { prefix: 'ti_', rest: underscoredUuid },
  workspace: { prefix: 'wi_', rest: underscoredUuid },
  user: { prefix: 'ui_', rest: underscoredUuid },
  userRole: { prefix: 'pri_', rest: underscoredUuid },
  invitation: { prefix: 'ivi_', rest: underscoredUuid },
  session: { prefix: 'si_', rest: underscoredUuid },
  ssoConnection: { prefix: 'ssoi_', rest: underscoredUuid },
  apiKey: { prefix: 'aki_', rest: underscoredUuid },
  auditEntry: { prefix: 'aei_', rest: underscoredUuid },
  agentPool: { prefix: 'api_', rest: operatorsWord },
  cluster: { prefix: 'vci_', rest: operatorsWord },
  credential: { prefix: 'cci_', rest: dottedWord },
  workloadIdentity: { prefix: 'wif_', rest: dottedWord },
  pipeline: { prefix: 'pi_', rest: underscoredUuid },
  pipelineConfiguration: { prefix: 'pci_', rest: underscoredUuid },
} as const satisfies Record<string, { prefix: string; rest: string }>;

export type IdKind = keyof typeof idKinds;

/** What a virtual cluster is, and how its id and its name begin. The wider prefix comes last. */
export const clusterTypes = {
  byoc_schema_registry: { idPrefix: 'vci_sr_', namePrefix: 'vcn_sr_' },
  byoc_data_lake: { idPrefix: 'vci_dl_', namePrefix: 'vcn_dl_' },
  byoc: { idPrefix: 'vci_', namePrefix: 'vcn_' },
} as const;

export type ClusterType = keyof typeof clusterTypes;

export const clusterTypeNames = Object.keys(clusterTypes) as [ClusterType, ...ClusterType[]];

/** Longer than any id. */
const idCharsMax = 136;

const patterns = Object.fromEntries(
  Object.entries(idKinds).map(([kind, { prefix, rest }]) => [kind, new RegExp(`^${prefix}${rest}$`)]),
) as Record<IdKind, RegExp>;

export function isId(kind: IdKind, text: string): boolean {
  return text.length <= idCharsMax && patterns[kind].test(text);
}

/** The kind of an id by its prefix, or `undefined` for a text that is none. No two kinds share a prefix. */
export function kindOfId(text: string): IdKind | undefined {
  return (Object.keys(idKinds) as IdKind[]).find((kind) => isId(kind, text));
}

/** The id of a thing that is new. */
export function idOf(kind: IdKind, uuid: string): string {
  return idKinds[kind].prefix + underscored(uuid);
}

export function clusterIdOf(type: ClusterType, uuid: string): string {
  return clusterTypes[type].idPrefix + underscored(uuid);
}

/** What a cluster is, which its id tells. */
export function clusterTypeOf(clusterId: string): ClusterType | undefined {
  if (!isId('cluster', clusterId)) return undefined;
  return clusterTypeNames.find((type) => clusterId.startsWith(clusterTypes[type].idPrefix));
}

function underscored(uuid: string): string {
  return uuid.toLowerCase().replaceAll('-', '_');
}

/** An id of one kind as a field. */
export function id(kind: IdKind) {
  const { prefix } = idKinds[kind];
  return z
    .string()
    .max(idCharsMax)
    .regex(patterns[kind], { error: `is not ${prefix} and the rest of an id` });
}

/**
 * Names that begin with a prefix too. Callers may leave it out, and answers have it; what is kept is the name with it.
 */
export const namePrefixes = { apiKey: 'akn_', agentPool: 'apn_', credential: 'ccn_' } as const;

/** `prefix` and the name, whether or not it has the prefix already. */
export function prefixed(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name : prefix + name;
}
