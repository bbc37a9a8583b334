import type { PreflightAnswer, PreflightConfig } from '@weir/cluster';
import type { AclOutcome, ConfigOutcome } from '@weir/migration/configs';
import type { Preflight } from '@weir/migration/preflight';

/** A leader passes on answers of 10 MiB. */
const charsMax = 6_000_000;

type Acl = AclOutcome['acl'];

/** What an answer has room for, the most important first: findings, then topics that are refused, then the others. */
export function boundedPreflight(found: Preflight, rowsMax: number): PreflightAnswer {
  let room = charsMax;
  let leftOutCount = 0;
  const bounded = <Row, Shown>(rows: readonly Row[], shownOf: (row: Row) => Shown): readonly Shown[] => {
    const shown: Shown[] = [];
    for (const row of rows) {
      const one = shownOf(row);
      room -= JSON.stringify(one).length + 1;
      if (room < 0 || shown.length >= rowsMax) break;
      shown.push(one);
    }
    leftOutCount += rows.length - shown.length;
    return shown;
  };
  const { canStart, source, totals } = found;
  const findings = bounded(found.findings, (finding) => finding);
  const topics = bounded(
    found.topics.toSorted((a, b) => rankOf(a.fate) - rankOf(b.fate)),
    ({ configs, ...topic }) => ({
      ...topic,
      configs: differing(configs),
      copiedConfigCount: configs.filter(({ fate }) => fate === 'copied').length,
    }),
  );
  const groups = bounded(found.groups, (group) => group);
  const acls = bounded(found.acls, ({ acl, created, note }) => ({
    acl: inWords(acl),
    created: created.map(inWords),
    note,
  }));
  const clusterConfigs = bounded(found.clusterConfigs, (config) => config);
  const { clusterId, brokerCount, hasTopicIds, knowsEpochs } = source;
  return {
    canStart,
    findings,
    source: { clusterId, brokerCount, hasTopicIds, knowsEpochs },
    topics,
    clusterConfigs,
    acls,
    groups,
    totals,
    leftOutCount,
  };
}

function rankOf(fate: Preflight['topics'][number]['fate']): number {
  return fate === 'refused' ? 0 : fate === 'not selected' ? 2 : 1;
}

/** Configs that have no meaning here are of many names, and the same for every topic. */
function differing(configs: readonly ConfigOutcome[]): readonly PreflightConfig[] {
  return configs.filter(({ fate }) => fate !== 'copied');
}

function inWords({
  permission,
  principal,
  host,
  operation,
  resourceType,
  resourceName,
  patternType,
}: Acl): string {
  const from = host === '*' ? '' : ` from ${host}`;
  const pattern = patternType === 'LITERAL' ? '' : ` (${patternType})`;
  return `${permission} ${principal} ${operation} on ${resourceType} ${resourceName}${pattern}${from}`;
}
