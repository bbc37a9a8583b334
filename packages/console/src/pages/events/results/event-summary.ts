import type { EventRecord } from '@weir/events';
import { cutText, visibleText } from '../../../format/visible-text.ts';

type Data = EventRecord['data'];

const summaryCharsMax = 400;
const pairsMax = 8;

/** One sentence on an event, for its row. */
export function eventSummary({ type, data }: Pick<EventRecord, 'type' | 'data'>): string {
  return visibleText(cutText(sentenceOf(type, data), summaryCharsMax));
}

function sentenceOf(type: string, data: Data): string {
  if (type === 'acl_logs' && isText(data.principal) && isText(data.operation)) return aclSentence(data);
  if (type === 'cluster_metrics' && isText(data.metric_name)) return metricSentence(data);
  if (type === 'diagnostics_logs' && isText(data.transition)) return diagnosticSentence(data);
  const text = [data.message, data.title].find((one) => isText(one) && one !== '');
  if (!isText(text)) return pairsOf(data);
  return type === 'tableflow_logs' && isText(data.table_name) ? `${data.table_name}: ${text}` : text;
}

/** `User:bob was denied READ on topic orders`. */
function aclSentence(data: Data): string {
  const { principal, operation, resource_type: kind, resource_name: name, is_allowed: isAllowed } = data;
  const verb =
    isAllowed === true ? 'was allowed' : data.is_shadow === true ? 'would be denied' : 'was denied';
  const what = isText(kind) ? ` on ${kind.toLowerCase().replaceAll('_', ' ')}` : '';
  const counts = [
    [data.suppressed, 'earlier times'],
    [data.suppressed_others, 'other denials'],
  ] as const;
  const unrecorded = counts.flatMap(([count, what]) =>
    typeof count === 'number' && count > 0 ? [`${count} ${what}`] : [],
  );
  const more = unrecorded.length === 0 ? '' : ` (and ${unrecorded.join(' and ')}, not recorded)`;
  return `${principal} ${verb} ${operation}${what}${isText(name) ? ` ${name}` : ''}${more}`;
}

/** `consumer_group_lag is 12 for group=shop, topic=orders`. */
function metricSentence({ metric_name: metric, value, tags }: Data): string {
  const isObject = typeof tags === 'object' && tags !== null && !Array.isArray(tags);
  const pairs = isObject ? pairsOf(tags as Data) : '';
  return `${metric} is ${plainText(value)}${pairs === '' ? '' : ` for ${pairs}`}`;
}

function diagnosticSentence({
  title,
  diagnostic_type: kind,
  diagnostic_id: id,
  transition,
  message,
}: Data): string {
  const name = [title, kind, id].find((one) => isText(one) && one !== '') ?? 'A diagnostic';
  return `${plainText(name)} ${transition}${isText(message) && message !== '' ? `: ${message}` : ''}`;
}

/** Fields that every event of a cluster has say nothing about this one. */
const common: ReadonlySet<string> = new Set([
  'log_level',
  'agent_id',
  'hostname_fqdn',
  'virtual_cluster_id',
  'virtual_cluster_name',
]);

function pairsOf(data: Data): string {
  const pairs = Object.entries(data).filter(([name]) => !common.has(name));
  const shown = pairs.slice(0, pairsMax).map(([name, value]) => `${name}=${plainText(value)}`);
  return `${shown.join(', ')}${pairs.length > pairsMax ? ', …' : ''}`;
}

function plainText(value: unknown): string {
  return isText(value)
    ? cutText(value, summaryCharsMax)
    : cutText(JSON.stringify(value) ?? '', summaryCharsMax);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
