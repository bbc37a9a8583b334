import { pipelineTypes } from '@weir/api';
import type { DesiredCluster, DesiredRegistry } from '../desired.ts';
import type { DocumentProblem, Place } from './problem.ts';
import { orderedSchemas } from './schema-order.ts';

type Report = (problem: DocumentProblem) => void;

/**
 * Merges documents about the same cluster, as when each team has a file for its topics: lists are concatenated, and
 * every other field may be set by only one of them.
 */
export function joinClusters(clusters: readonly DesiredCluster[], report: Report): DesiredCluster[] {
  const byName = new Map<string, DesiredCluster>();
  for (const cluster of clusters) {
    const key = `${cluster.workspaceId ?? ''} ${cluster.fullName}`;
    const earlier = byName.get(key);
    byName.set(key, earlier === undefined ? cluster : joined(earlier, cluster, report));
  }
  const all = [...byName.values()];
  for (const cluster of all) refuseTwins(cluster, report);
  // Key names belong to the account, so all clusters share them.
  refuseRepeated(
    all.flatMap(({ agentKeys = [] }) => agentKeys),
    ({ fullName }) => fullName,
    ({ name }) => `the agent key ${name}`,
    report,
  );
  return all;
}

const singleFields = ['tier', 'cloud', 'tags', 'configuration', 'events'] as const;

function joined(earlier: DesiredCluster, later: DesiredCluster, report: Report): DesiredCluster {
  for (const field of singleFields) {
    if (earlier[field] === undefined || later[field] === undefined) continue;
    const name = field === 'configuration' ? 'configuration or broker_configuration' : field;
    report({
      place: later.place,
      message: `virtual cluster ${later.name}: ${name} is already set at ${earlier.place}; set it once`,
    });
  }
  return {
    ...earlier,
    tier: earlier.tier ?? later.tier,
    cloud: earlier.cloud ?? later.cloud,
    tags: earlier.tags ?? later.tags,
    configuration: earlier.configuration ?? later.configuration,
    events: earlier.events ?? later.events,
    topics: both(earlier.topics, later.topics),
    credentials: both(earlier.credentials, later.credentials),
    agentKeys: both(earlier.agentKeys, later.agentKeys),
    acls: both(earlier.acls, later.acls),
    pipelines: both(earlier.pipelines, later.pipelines),
    schemaRegistry: joinedRegistry(earlier, later, report),
  };
}

/** Lists of subjects and contexts are concatenated as others are. */
function joinedRegistry(
  { schemaRegistry: earlier }: DesiredCluster,
  { schemaRegistry: later, name }: DesiredCluster,
  report: Report,
): DesiredRegistry | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later;
  if (earlier.settings !== undefined && later.settings !== undefined)
    report({
      place: later.settings.place,
      message: `virtual cluster ${name}: schema_registry settings are already at ${earlier.settings.place}; set them once`,
    });
  return {
    settings: earlier.settings ?? later.settings,
    contexts: both(earlier.contexts, later.contexts),
    subjects: both(earlier.subjects, later.subjects),
  };
}

function both<Item>(
  earlier: readonly Item[] | undefined,
  later: readonly Item[] | undefined,
): readonly Item[] | undefined {
  return earlier === undefined ? later : [...earlier, ...(later ?? [])];
}

function refuseTwins(
  { topics = [], credentials = [], pipelines = [], schemaRegistry = {} }: DesiredCluster,
  report: Report,
): void {
  refuseRepeated(
    topics,
    // Metrics cannot distinguish a dot from an underscore, so a cluster rejects the second name.
    ({ name }) => name.replaceAll('.', '_'),
    ({ name }) => `the topic ${name}`,
    report,
  );
  refuseRepeated(
    credentials,
    ({ fullName }) => fullName,
    ({ name }) => `the credential ${name}`,
    report,
  );
  refuseRepeated(
    pipelines,
    ({ name }) => name,
    ({ name }) => `the pipeline ${name}`,
    report,
  );
  refuseRepeated(
    pipelines.filter(({ type }) => pipelineTypes[type].isSingle),
    ({ type }) => type,
    ({ type }) => `a cluster has at most one ${type} pipeline, which`,
    report,
  );
  const { contexts = [], subjects = [] } = schemaRegistry;
  refuseRepeated(
    contexts,
    ({ scope }) => scope ?? '',
    ({ scope }) => `the context ${scope}`,
    report,
  );
  refuseRepeated(
    subjects,
    ({ name }) => name,
    ({ name }) => `the subject ${name}`,
    report,
  );
  for (const problem of orderedSchemas(subjects).problems) report(problem);
}

function refuseRepeated<Item extends { readonly place: Place }>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  wordsFor: (item: Item) => string,
  report: Report,
): void {
  const places = new Map<string, Place>();
  for (const item of items) {
    const key = keyOf(item);
    const place = places.get(key);
    if (place === undefined) places.set(key, item.place);
    else report({ place: item.place, message: `${wordsFor(item)} is already at ${place}` });
  }
}
