import { useNavigate, useSearch } from '@tanstack/react-router';
import { type PriceListName, priceListNames, priceLists, priceNames } from '@weir/api/storage-costs';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { formatBytes, formatDuration, formatRounded } from '../../format/format.ts';
import { Select } from '../../ui/fields.tsx';
import { Freshness } from '../../ui/freshness.tsx';
import { Page } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { ComparedKafka } from './compared-kafka.tsx';
import { CostTable } from './cost-table.tsx';
import { Freed } from './freed.tsx';
import { PriceTable } from './price-table.tsx';
import { pricesText, readPrices, shortDollars } from './storage-figures.ts';
import { LargestTopics, StoredFiles } from './stored-files.tsx';

const from = '/frame/clusters/$clusterId/storage';

const spans = [
  ['3600', 'the last hour'],
  ['21600', 'the last 6 hours'],
  ['86400', 'the last day'],
] as const;

/** What the cluster stores and requests, and what that costs at the prices that the page shows. */
export function Storage() {
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/clusters/$clusterId/storage' });
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false });
  const priceList: PriceListName = priceListNames.find((name) => name === search.price_list) ?? 's3';
  const own = readPrices(search.prices, priceNames);
  const span = spans.find(([seconds]) => seconds === search.last) ?? spans[0];
  const described = useClusterOperation(
    'describe_storage_costs',
    { last_seconds: Number(span[0]), price_list: priceList, prices: own },
    { everyMs: 10_000 },
  );
  const { data } = described;
  return (
    <Page
      title="Storage"
      facts={data && measuredText(data)}
      actions={
        <>
          <Freshness of={described} />
          <Select
            aria-label="Measured over"
            className="max-w-40"
            value={span[0]}
            onChange={({ target }) => set({ last: target.value === spans[0][0] ? undefined : target.value })}
            options={spans}
          />
        </>
      }
    >
      <Answer of={described} what="describe the costs of storage">
        {(costs) => (
          <>
            {costs.measured_seconds === 0 && (
              <Status kind="info" wraps>
                No requests measured yet. Agents report them every 20 seconds; until then only stored bytes
                have a cost.
              </Status>
            )}
            <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
              <Amount
                name="Per month, at the current rate"
                value={shortDollars(costs.costs.month)}
                note={`${priceLists[priceList].title}, approximate`}
              />
              <Amount
                name="Stored bytes"
                value={shortDollars(costs.costs.storage_month)}
                note={`${formatBytes(costs.levels.reduce((sum, { bytes }) => sum + bytes, costs.dead_bytes))} in the bucket`}
              />
              <Amount
                name="Requests"
                value={shortDollars(costs.costs.requests_month)}
                note="at the measured rate, for 730 hours"
              />
              <Amount
                name="Per GiB produced"
                value={costs.costs.per_gib === undefined ? '–' : shortDollars(costs.costs.per_gib)}
                note={
                  costs.write_amplification === undefined
                    ? 'nothing produced'
                    : costs.write_amplification === 0
                      ? 'compaction wrote nothing'
                      : `compaction rewrites each byte ${formatRounded(costs.write_amplification)} times`
                }
              />
            </dl>
            <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
              <div className="flex min-w-0 flex-col gap-4">
                <CostTable costs={costs} />
                <StoredFiles costs={costs} />
                <LargestTopics price={costs.prices.storage} />
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                <PriceTable
                  priceList={priceList}
                  own={own}
                  onPriceList={(name) => set({ price_list: name === 's3' ? undefined : name })}
                  onOwn={(prices) => set({ prices: pricesText(prices) })}
                />
                <Freed costs={costs} />
                <ComparedKafka costs={costs} />
              </div>
            </div>
          </>
        )}
      </Answer>
    </Page>
  );
}

interface Measured {
  readonly measured_seconds: number;
  readonly ingested_bytes_per_second: number;
  readonly compacted_bytes_per_second: number;
}

function measuredText(measured: Measured): string {
  if (measured.measured_seconds === 0) return 'nothing measured yet';
  const rate = (bytes: number) => `${formatBytes(bytes)}/s`;
  return [
    `measured over ${formatDuration(Math.round(measured.measured_seconds) * 1000)}`,
    `${rate(measured.ingested_bytes_per_second)} from producers`,
    `${rate(measured.compacted_bytes_per_second)} written by compaction`,
  ].join(' · ');
}

interface AmountProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

function Amount({ name, value, note }: AmountProps) {
  return (
    <div className="min-w-0 rounded-md border border-line bg-surface px-4 py-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd>
        <span className="block text-2xl font-semibold break-words text-ink tabular-nums">{value}</span>
        <span className="block text-xs break-words text-muted">{note}</span>
      </dd>
    </div>
  );
}
