import type { OutputOf } from '@weir/api/client';
import { GiB } from '@weir/core';
import type { ReactNode } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { counted, formatBytes, formatCount, formatDuration } from '../../format/format.ts';
import { Card } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { shortDollars } from './storage-figures.ts';

interface FreedProps {
  readonly costs: OutputOf<'describe_storage_costs'>;
}

/** What is known to become free: dead files, and deleted topics whose time is over soon. Nothing is estimated. */
export function Freed({ costs }: FreedProps) {
  const clusterId = useClusterId();
  const { data } = useClusterOperation(
    'list_topics',
    { include_recently_deleted: true, limit: 0 },
    { everyMs: 30_000 },
  );
  const deleted = data?.recently_deleted_topics ?? [];
  const deletedBytes = deleted.reduce((sum, { uncompressed_size_hint }) => sum + uncompressed_size_hint, 0);
  const last = deleted.map(({ restorable_until }) => restorable_until).sort();
  const worth = (bytes: number) => `${shortDollars((bytes / GiB) * costs.prices.storage)} a month`;
  const { dead_files: files, dead_bytes: bytes, oldest_dead_at: oldest } = costs;
  const delay = formatDuration(costs.deletion_delay_seconds * 1000);
  return (
    <Card title="Reclaimable storage">
      <ul className="divide-y divide-line text-sm">
        <Item title="Dead files" figures={`${formatBytes(bytes)}, ${worth(bytes)}`}>
          {files === 0 ? (
            'No files are waiting for deletion.'
          ) : (
            <>
              {files === 1 ? '1 file has' : `${formatCount(files)} files have`} no live records
              {oldest !== undefined && (
                <>
                  , the oldest since <Time of={oldest} />
                </>
              )}
              .{' '}
            </>
          )}
          {costs.is_deletion_enabled ? (
            ` Agents delete such files ${delay} after their last use.`
          ) : (
            <Status kind="warn" wraps>
              Not deleted: service.file.delete.enable is false.
            </Status>
          )}{' '}
          <TextLink to="/clusters/$clusterId/jobs" params={{ clusterId }} search={{ kind: 'file_deletion' }}>
            File deletion jobs
          </TextLink>
        </Item>
        <Item title="Deleted topics" figures={`${formatBytes(deletedBytes)}, ${worth(deletedBytes)}`}>
          {deleted.length === 0 ? (
            'No deleted topics.'
          ) : (
            <>
              {counted(deleted.length, 'topic')} can be restored until <Time of={last.at(-1)!} /> at the
              latest. Files that hold only their records are deleted after that.{' '}
              <TextLink to="/clusters/$clusterId/topics" params={{ clusterId }} search={{ show: 'deleted' }}>
                Recently deleted topics
              </TextLink>
            </>
          )}
        </Item>
        <Item title="Retention and compaction" figures="">
          Not predictable: it depends on when batches in shared files expire. Files overdue for merging are
          reported as a{' '}
          <TextLink to="/clusters/$clusterId/diagnostics" params={{ clusterId }}>
            diagnostic
          </TextLink>
          .
        </Item>
      </ul>
    </Card>
  );
}

interface ItemProps {
  readonly title: string;
  readonly figures: string;
  readonly children: ReactNode;
}

function Item({ title, figures, children }: ItemProps) {
  return (
    <li className="flex flex-col gap-0.5 px-4 py-2">
      <p className="flex justify-between gap-4 text-ink">
        <span className="font-medium">{title}</span>
        <span className="tabular-nums">{figures}</span>
      </p>
      <div className="text-muted">{children}</div>
    </li>
  );
}
