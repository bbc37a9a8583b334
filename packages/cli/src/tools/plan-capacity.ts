import { agentShareMax, type Capacity, capacityFor, type Demand, leaderShareMax } from '@weir/api/capacity';
import { comparedKafka, dollarText, priceLists } from '@weir/api/storage-costs';
import { formatDurationMs } from '@weir/core';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { sizeText } from '../results/size-text.ts';
import { table } from '../results/table.ts';
import { pricesOf } from './storage-costs.ts';

/** Plans a cluster from what was measured once. It calls nothing. */
export const planCapacityTool: Handler<'cli plan-capacity'> = (values, deps) => {
  const demand: Demand = {
    bytesPerSecond: values['write-rate']!,
    batchBytes: values['record-batch-size'],
    partitions: values['written-partitions'],
    retentionMs: values.retention,
    groups: values['consumer-groups'],
    zones: values.zones,
    fileMs: values['file-window'],
  };
  const prices = { ...priceLists[values.priceList].prices, ...pricesOf(values.prices) };
  const capacity = capacityFor(demand, prices);
  return printResult(values, deps, {
    json: jsonOf(capacity),
    text: () => capacityText(demand, capacity),
  });
};

function jsonOf({ agents, agentShare, outlook, use, costs, limits, ...memory }: Capacity): object {
  const { shares } = outlook;
  const perSecond = (count: number) => (count * 1_000) / use.spanMs;
  return {
    agents,
    agent_share: agentShare,
    leader_share: shares['leader thread'],
    database_share: shares['database core'],
    change_stream_share: shares['change stream'],
    journal_bytes_per_second: outlook.journalMbPerSecond * 1e6,
    leader_pointer_bytes_per_unmerged_hour: memory.pointerBytesPerHour,
    leader_pointer_bytes_merged: memory.mergedPointerBytes,
    put_per_second: perSecond(use.requests.put),
    get_per_second: perSecond(use.requests.get),
    stored_bytes: use.liveBytes,
    requests_month: costs.requestsMonth,
    storage_month: costs.storageMonth,
    month: costs.month,
    kafka_month: costs.kafka.month,
    limits,
  };
}

function capacityText(demand: Demand, capacity: Capacity): string {
  const { agents, agentShare, outlook, use, costs, limits } = capacity;
  const { shares } = outlook;
  const percent = (share: number) =>
    `${share >= 0.1 ? Math.round(share * 100) : (share * 100).toPrecision(2)} %`;
  const perSecond = (count: number) => ((count * 1_000) / use.spanMs).toPrecision(3);
  const groups = demand.groups === 1 ? '1 group' : `${demand.groups} groups`;
  const parts = [
    `${sizeText(demand.bytesPerSecond)}/s to ${demand.partitions} partitions in batches of ${sizeText(demand.batchBytes)}, ` +
      `kept for ${durationText(demand.retentionMs)}, read by ${groups}, in ${demand.zones} zones\n`,
    table(
      ['PART', 'NEEDED', 'USED'],
      [
        [
          'agents',
          `${agents}, with a core each`,
          `${percent(agentShare)} of a core, at most ${percent(agentShareMax)}`,
        ],
        [
          'leader',
          '1, and a standby',
          `${percent(shares['leader thread'])} of its thread, at most ${percent(leaderShareMax)}`,
        ],
        [
          'leader memory',
          `${sizeText(capacity.mergedPointerBytes)} for pointers`,
          `and ${sizeText(capacity.pointerBytesPerHour)} for each hour that is not merged`,
        ],
        [
          'PostgreSQL',
          '1',
          `${percent(shares['database core'])} of a core, ${sizeText(outlook.journalMbPerSecond * 1e6)}/s of journal`,
        ],
        [
          'change stream',
          `${sizeText(outlook.pushedMbPerSecond * 1e6)}/s`,
          `${percent(shares['change stream'])} of 10 Gbit/s`,
        ],
        [
          'bucket',
          sizeText(use.liveBytes),
          `${perSecond(use.requests.put)} PUT/s, ${perSecond(use.requests.get)} GET/s`,
        ],
      ],
    ),
    table(
      ['COST', 'PER MONTH'],
      [
        ['requests', dollarText(costs.requestsMonth)],
        ['storage', dollarText(costs.storageMonth)],
        ['both', dollarText(costs.month)],
        [`Kafka, ${comparedKafka.replicas} replicas, network and disks`, dollarText(costs.kafka.month)],
      ],
    ),
    ...limits.map((limit) => `One cluster cannot do this: ${limit}.\n`),
    'Machines and merges are not in it, and prices are approximate. docs/operate/costs.md has the assumptions.\n',
  ];
  return parts.join('\n');
}

function durationText(ms: number): string {
  const days = ms / 86_400_000;
  return Number.isInteger(days) ? `${days}d` : formatDurationMs(ms);
}
