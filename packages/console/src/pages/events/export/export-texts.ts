import { csvOf } from '../../../format/csv.ts';
import { shellWord } from '../../../format/shell-word.ts';
import type { ExplorerState } from '../state/explorer-state.ts';
import { scopeInput } from '../state/search-input.ts';

/** A search and its events in forms for other programs. */

interface ExportedEvent {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function jsonExport(events: readonly ExportedEvent[]): string {
  return `${JSON.stringify(events, null, 2)}\n`;
}

/** Columns are the envelope and every field of `data` that one of the events has. */
export function csvExport(events: readonly ExportedEvent[]): string {
  const names = [...new Set(events.flatMap(({ data }) => Object.keys(data)))].sort();
  const header = ['time', 'type', 'id', ...names.map((name) => `data.${name}`)];
  const rows = events.map(({ time, type, id, data }) => [time, type, id, ...names.map((name) => data[name])]);
  return csvOf(header, rows);
}

/** The call as a line for a shell. The key is not in it. */
export function curlExport(baseUrl: string, clusterId: string, state: ExplorerState): string {
  const body = JSON.stringify({ ...scopeInput(clusterId, state), sort: state.sort });
  return [
    `curl ${shellWord(`${baseUrl}/api/v1/search_events`)}`,
    '-H "service-api-key: $SERVICE_API_KEY"',
    "-H 'content-type: application/json'",
    `-d ${shellWord(body)}`,
  ].join(' \\\n  ');
}

/** The call of the MCP tool. It knows moments and durations, and no days of a time zone. */
export function mcpExport(
  clusterId: string,
  state: ExplorerState,
  window: { readonly startMs: number; readonly endMs: number },
): string {
  const { types, filter, sort, range } = state;
  const time =
    'relative' in range
      ? { relative: range.relative }
      : { start: new Date(window.startMs).toISOString(), end: new Date(window.endMs).toISOString() };
  return JSON.stringify(
    {
      method: 'tools/call',
      params: {
        name: 'search_events',
        arguments: { virtual_cluster_id: clusterId, event_types: types, filter, time_range: time, sort },
      },
    },
    null,
    2,
  );
}
