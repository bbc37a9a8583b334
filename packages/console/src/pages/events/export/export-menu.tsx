import { DownloadIcon } from '@primer/octicons-react';
import { systemClock } from '@weir/core';
import { resolveTimeRange } from '@weir/events';
import { download } from '../../../format/download.ts';
import { Button } from '../../../ui/button.tsx';
import { copy } from '../../../ui/copy-button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import type { Explorer } from '../state/use-explorer.ts';
import { zoneName } from '../time/zone-name.ts';
import { csvExport, curlExport, jsonExport, mcpExport } from './export-texts.ts';

/** The search and its results for other programs and people. */
export function ExportMenu({ explorer }: { readonly explorer: Explorer }) {
  const { effective, clusterId, tail } = explorer;
  const events = tail.rows;
  const disabledBecause = events.length === 0 ? 'No events to export' : undefined;
  const window = resolveTimeRange(effective.range, {
    nowMs: systemClock.nowMs(),
    timeZone: zoneName(effective.zone),
  }).window;
  return (
    <Menu
      trigger={<Button icon={DownloadIcon}>Export</Button>}
      entries={[
        {
          id: 'link',
          label: 'Copy link to this search',
          onSelect: () => copy({ text: location.href, what: 'the link' }),
        },
        { id: 'line', line: true },
        {
          id: 'json',
          label: `Download ${events.length} events as JSON`,
          disabledBecause,
          onSelect: () => download('events.json', jsonExport(events)),
        },
        {
          id: 'csv',
          label: `Download ${events.length} events as CSV`,
          disabledBecause,
          onSelect: () => download('events.csv', csvExport(events)),
        },
        { id: 'line2', line: true },
        {
          id: 'curl',
          label: 'Copy as curl',
          onSelect: () =>
            copy({ text: curlExport(location.origin, clusterId, effective), what: 'the curl command' }),
        },
        {
          id: 'mcp',
          label: 'Copy as MCP call',
          disabledBecause: window === undefined ? 'Invalid time range' : undefined,
          onSelect: () => copy({ text: mcpExport(clusterId, effective, window!), what: 'the MCP call' }),
        },
      ]}
    />
  );
}
