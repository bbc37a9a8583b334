import type { OutputOf } from '@weir/api/client';
import { comparedKafka } from '@weir/api/storage-costs';
import { Card } from '../../ui/page.tsx';
import { shortDollars } from './storage-figures.ts';

/** The arithmetic for a Kafka cluster with the same records: only what follows from measured bytes and the prices. */
export function ComparedKafka({ costs }: { readonly costs: OutputOf<'describe_storage_costs'> }) {
  const { kafka } = costs;
  const { replicas, zones, diskFill } = comparedKafka;
  const rows: readonly (readonly [what: string, dollars: number])[] = [
    [`Traffic to ${replicas - 1} followers in other zones`, kafka.replication_month],
    [`Traffic of producers, ${zones - 1} of ${zones} to another zone`, kafka.producers_month],
    [`${replicas} copies on disks filled to ${diskFill * 100} %`, kafka.disks_month],
  ];
  return (
    <Card title="Same workload on Apache Kafka">
      <dl className="divide-y divide-line text-sm">
        {[...rows, ['Total', kafka.month] as const].map(([what, dollars]) => (
          <div key={what} className="flex justify-between gap-4 px-4 py-1.5">
            <dt className="text-body">{what}</dt>
            <dd className="font-medium text-ink tabular-nums">{shortDollars(dollars)}</dd>
          </div>
        ))}
      </dl>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Calculated from the prices above, not measured: {replicas} replicas in {zones} zones, without machines
        on both sides. At low rates, requests dominate the cost here, and Kafka on small disks can be cheaper.
      </p>
    </Card>
  );
}
