import { clusterIdPrefixes } from '@weir/core';
import * as z from 'zod';

/**
 * Ids of all objects: a prefix for the kind, and the rest. Generated ids are UUIDs with underscores, because a hyphen
 * would end a word in many places where ids are pasted.
 *
 * Operators may choose the ids of clusters, credentials and federations, in a flag or a file, so these accept any word.
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
  secret: { prefix: 'sci_', rest: underscoredUuid },
  eventView: { prefix: 'evi_', rest: underscoredUuid },
  alert: { prefix: 'ali_', rest: underscoredUuid },
  alertChannel: { prefix: 'aci_', rest: underscoredUuid },
} as const satisfies Record<string, { prefix: string; rest: string }>;

export type IdKind = keyof typeof idKinds;

/** The types of virtual clusters, with the prefixes of their ids and names. The wider prefix comes last. */
export const clusterTypes = {
  byoc_schema_registry: { idPrefix: clusterIdPrefixes.schemaRegistry, namePrefix: 'vcn_sr_' },
  byoc_data_lake: { idPrefix: clusterIdPrefixes.dataLake, namePrefix: 'vcn_dl_' },
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

/**
 * Returns the kind of an id by its prefix, or `undefined` for a text that is not an id. No two kinds share a prefix.
 */
export function kindOfId(text: string): IdKind | undefined {
  return (Object.keys(idKinds) as IdKind[]).find((kind) => isId(kind, text));
}

/** Returns the id of a new object. */
export function idOf(kind: IdKind, uuid: string): string {
  return idKinds[kind].prefix + underscored(uuid);
}

export function clusterIdOf(type: ClusterType, uuid: string): string {
  return clusterTypes[type].idPrefix + underscored(uuid);
}

/** Returns the type of a cluster, from its id. */
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

/** Prefixes of names. Callers may omit them; stored names and answers have them. */
export const namePrefixes = { apiKey: 'akn_', agentPool: 'apn_', credential: 'ccn_' } as const;

/** Adds the prefix to the name unless it has it already. */
export function prefixed(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name : prefix + name;
}
