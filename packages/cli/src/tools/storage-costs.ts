import type { OutputOf } from '@weir/api';
import { comparedKafka, dollarText, type PriceName, priceNames } from '@weir/api/storage-costs';
import { Failure, formatDurationMs } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { sizeText } from '../results/size-text.ts';
import { table } from '../results/table.ts';

type Costs = OutputOf<'describe_storage_costs'>;

const daySeconds = 86_400;

export const storageCostsTool: Handler<'cli storage-costs'> = async (values, deps) => {
  const prices = pricesOf(values.prices);
  const client = apiClient(values, deps);
  const virtual_cluster_id = await clusterId(client, values.cluster);
  const last_seconds = Math.min(daySeconds, Math.max(60, Math.round(values.last / 1000)));
  const costs = await orFailure(
    client.call('describe_storage_costs', {
      virtual_cluster_id,
      last_seconds,
      price_list: values.priceList,
      prices,
    }),
  );
  return printResult(values, deps, { json: costs, text: () => costsText(costs) });
};

/** Reads `put=0.005` and so on. */
export function pricesOf(given: readonly string[]): Partial<Record<PriceName, number>> {
  const prices: Partial<Record<PriceName, number>> = {};
  for (const one of given) {
    const [name = '', price = ''] = one.split('=').map((part) => part.trim());
    const dollars = Number(price);
    if (!priceNames.includes(name as PriceName))
      throw new Failure(`-prices ${one}: unknown price ${name}; names are ${priceNames.join(', ')}`);
    if (price === '' || !Number.isFinite(dollars) || dollars < 0)
      throw new Failure(`-prices ${one}: use a number of dollars, such as ${name}=0.005`);
    prices[name as PriceName] = dollars;
  }
  return prices;
}

export function costsText(costs: Costs): string {
  const { levels, requests, costs: dollars, kafka } = costs;
  const rate = (bytesPerSecond: number) => `${sizeText(bytesPerSecond)}/s`;
  const parts = [
    costs.measured_seconds === 0
      ? 'nothing measured yet\n'
      : `measured over ${formatDurationMs(Math.round(costs.measured_seconds) * 1000)}: ` +
        `${rate(costs.ingested_bytes_per_second)} ingested, ${rate(costs.compacted_bytes_per_second)} written by compactions` +
        `${costs.write_amplification === undefined ? '' : `, write amplification ${costs.write_amplification.toFixed(2)}`}\n`,
    table(
      ['LEVEL', 'FILES', 'SIZE'],
      [
        ...levels.map(({ level, files, bytes }) => [String(level), String(files), sizeText(bytes)]),
        ['dead', String(costs.dead_files), sizeText(costs.dead_bytes)],
      ],
    ),
    table(
      ['BUCKET', 'PUT/S', 'GET/S', 'LIST/S', 'DELETE/S'],
      requests.map(({ bucket, put_per_second, get_per_second, list_per_second, delete_per_second }) => [
        bucket,
        ...[put_per_second, get_per_second, list_per_second, delete_per_second].map((value) =>
          value.toFixed(3),
        ),
      ]),
    ),
    table(
      ['COST', 'PER MONTH', 'PER GIB INGESTED'],
      [
        ['requests', dollarText(dollars.requests_month), optionalDollars(dollars.requests_per_gib)],
        ['storage', dollarText(dollars.storage_month), '-'],
        ['both', dollarText(dollars.month), optionalDollars(dollars.per_gib)],
      ],
    ),
    `Kafka with ${comparedKafka.replicas} replicas in ${comparedKafka.zones} zones, network and disks only: ${dollarText(kafka.month)} per month ` +
      `(replication ${dollarText(kafka.replication_month)}, producers ${dollarText(kafka.producers_month)}, disks ${dollarText(kafka.disks_month)}); ` +
      'docs/operate/costs.md has the assumptions\n',
    'Prices are approximate and not verified with the provider; override them with -prices.\n',
  ];
  return parts.join('\n');
}

function optionalDollars(dollars: number | undefined): string {
  return dollars === undefined ? '-' : dollarText(dollars);
}
