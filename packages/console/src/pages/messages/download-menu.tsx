import { useClusterId } from '../../api/use-cluster.ts';
import { counted, formatCount } from '../../format/format.ts';
import { startTask } from '../../tasks/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { downloadedMax, downloadOfSearch, downloadShown } from './state/download-records.ts';
import type { MessagesSearch } from './state/messages-search.ts';
import { useReader } from './state/reader.ts';
import type { TopicRecord } from './state/records.ts';

interface DownloadMenuProps {
  readonly topic: string;
  readonly search: MessagesSearch;
  readonly records: readonly TopicRecord[];
  /** Fields that have columns, which CSV has too. */
  readonly fields: readonly string[];
}

const formats = [
  ['ndjson', 'JSON lines'],
  ['csv', 'CSV'],
] as const;

/** Saves the records of the page, or all that the search finds. */
export function DownloadMenu({ topic, search, records, fields }: DownloadMenuProps) {
  const clusterId = useClusterId();
  const { login } = useReader(clusterId);
  const shown = formats.map(([format, name]) => ({
    id: format,
    label: `${counted(records.length, 'shown record')} as ${name}`,
    onSelect: () => downloadShown(records, { topic, format, fields }),
    disabledBecause: records.length === 0 ? 'No records are shown.' : undefined,
  }));
  const found = formats.map(([format, name]) => ({
    id: `all-${format}`,
    label: `Up to ${formatCount(downloadedMax)} found as ${name}`,
    onSelect: () => startTask(downloadOfSearch(clusterId, search, { topic, format, fields, login })),
  }));
  return (
    <Menu trigger={<Button>Download</Button>} entries={[...shown, { id: 'line', line: true }, ...found]} />
  );
}
