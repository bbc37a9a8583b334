import type { OutputOf } from '@weir/api/client';
import { GiB } from '@weir/core';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { counted, formatBytes, formatCount, formatDuration } from '../../format/format.ts';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Card } from '../../ui/page.tsx';
import { ShareBar } from '../../ui/share-bar.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { shortDollars } from './storage-figures.ts';

/** Files by how often they were merged. */
export function StoredFiles({ costs }: { readonly costs: OutputOf<'describe_storage_costs'> }) {
  const levels = costs.levels.filter(({ files }) => files > 0);
  const rows = [
    ...levels.map(({ level, files, bytes }) => ({
      label: level === 0 ? 'Not merged' : level === 1 ? 'Merged once' : `Merged ${level} times`,
      files,
      bytes,
    })),
    { label: 'Dead, waiting for deletion', files: costs.dead_files, bytes: costs.dead_bytes },
  ];
  const most = Math.max(...rows.map(({ bytes }) => bytes));
  return (
    <Card title="Files in the bucket">
      <ul className="divide-y divide-line">
        {rows.map(({ label, files, bytes }) => (
          <BarRow
            key={label}
            label={label}
            share={most === 0 ? 0 : bytes / most}
            figures={`${counted(files, 'file')}, ${formatBytes(bytes)}`}
          />
        ))}
      </ul>
    </Card>
  );
}

interface BarRowProps {
  readonly label: React.ReactNode;
  readonly share: number;
  readonly figures: string;
}

function BarRow({ label, share, figures }: BarRowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5 text-sm">
      <span className="min-w-40 flex-1 truncate text-ink">{label}</span>
      <span className="w-28 shrink-0">
        <ShareBar share={share} />
      </span>
      <span className="ml-auto w-48 shrink-0 text-right text-body tabular-nums">{figures}</span>
    </li>
  );
}

const topicsShown = 10;
const nsPerMs = 1_000_000;

/** The topics that hold the most. Requests are of files that topics share, so that a topic has none of its own. */
export function LargestTopics({ price }: { readonly price: number }) {
  const listed = useClusterOperation(
    'list_topics',
    { sort_by: 'size', descending: true, limit: topicsShown },
    { everyMs: 30_000 },
  );
  return (
    <Card title="Largest topics">
      <Answer of={listed} what="list the topics by size" rows={4}>
        {({ topics, topic_count = 0 }) => {
          const most = topics[0]?.uncompressed_size_hint ?? 0;
          return topics.length === 0 ? (
            <Empty title="No topics yet">Topics appear here by size once they have records.</Empty>
          ) : (
            <>
              <ul className="divide-y divide-line">
                {topics.map(({ name, uncompressed_size_hint: bytes, retention }) => (
                  <BarRow
                    key={name}
                    label={
                      <ObjectLink
                        of={{ kind: 'topic', name }}
                        title={`${name}, ${retention < 0 ? 'unlimited retention' : `${formatDuration(Number(retention) / nsPerMs)} retention`}`}
                        className="hover:underline"
                      />
                    }
                    share={most === 0 ? 0 : bytes / most}
                    figures={`${formatBytes(bytes)}, ${shortDollars((bytes / GiB) * price)} a month`}
                  />
                ))}
              </ul>
              <p className="border-t border-line px-4 py-2 text-xs text-muted">
                {topic_count > topics.length && `The largest of ${formatCount(topic_count)} topics. `}
                Sizes of batches as sent by clients. Topics share files and requests; clones share records
                with their source.
              </p>
            </>
          );
        }}
      </Answer>
    </Card>
  );
}
