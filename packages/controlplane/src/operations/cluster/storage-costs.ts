import type { InputOf, OutputOf } from '@weir/api';
import { type Prices, priceLists, storageCosts } from '@weir/api/storage-costs';
import { clusterConfigValue, type FileTotals, type StorageTraffic } from '@weir/cluster';
import { timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { readClusterConfigs } from './cluster-reads.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

export function storageCostOperations({ clusterPort }: ClusterServices) {
  return {
    describe_storage_costs: async (input, context) => {
      const port = clusterPort(input.virtual_cluster_id);
      const [traffic, totals, configs] = await Promise.all([
        port.storageTraffic(input.last_seconds * 1000),
        port.fileTotals(),
        readClusterConfigs(port, context),
      ]);
      return toCostsResponse(traffic, totals, configs, input);
    },
  } satisfies SomeHandlers;
}

export function toCostsResponse(
  { spanMs, ingestedBytes, mergedBytes, buckets }: StorageTraffic,
  { levels, deadFiles, deadBytes, oldestDeadMs }: FileTotals,
  configs: Readonly<Record<string, string>>,
  { price_list, prices: given }: Pick<InputOf<'describe_storage_costs'>, 'price_list' | 'prices'>,
): OutputOf<'describe_storage_costs'> {
  const own = Object.fromEntries(Object.entries(given).filter(([, price]) => price !== undefined));
  const prices: Prices = { ...priceLists[price_list].prices, ...own };
  const perSecond = (amount: number) => (spanMs > 0 ? (amount * 1000) / spanMs : 0);
  const requests = { put: 0, get: 0, list: 0, delete: 0 };
  for (const bucket of buckets)
    for (const kind of ['put', 'get', 'list', 'delete'] as const) requests[kind] += bucket.requests[kind];
  const liveBytes = levels.reduce((sum, { bytes }) => sum + bytes, 0);
  const costs = storageCosts({ spanMs, ingestedBytes, requests, liveBytes, deadBytes }, prices);
  const { kafka } = costs;
  return {
    measured_seconds: spanMs / 1000,
    ingested_bytes_per_second: perSecond(ingestedBytes),
    compacted_bytes_per_second: perSecond(mergedBytes),
    ...(ingestedBytes === 0 ? {} : { write_amplification: mergedBytes / ingestedBytes }),
    levels: levels.map(({ files, bytes }, level) => ({ level, files, bytes })),
    dead_files: deadFiles,
    dead_bytes: deadBytes,
    ...(oldestDeadMs === null ? {} : { oldest_dead_at: timeText(oldestDeadMs) }),
    deletion_delay_seconds: clusterConfigValue('service.file.delete.delay.ms', configs) / 1000,
    is_deletion_enabled: clusterConfigValue('service.file.delete.enable', configs),
    requests: [...buckets]
      .sort((a, b) => byText(a.name, b.name))
      .map(({ name, requests: counts }) => ({
        bucket: name,
        put_per_second: perSecond(counts.put),
        get_per_second: perSecond(counts.get),
        list_per_second: perSecond(counts.list),
        delete_per_second: perSecond(counts.delete),
      })),
    prices,
    costs: {
      storage_month: costs.storageMonth,
      requests_month: costs.requestsMonth,
      month: costs.month,
      ...(costs.requestsPerGib === undefined ? {} : { requests_per_gib: costs.requestsPerGib }),
      ...(costs.perGib === undefined ? {} : { per_gib: costs.perGib }),
    },
    kafka: {
      replication_month: kafka.replicationMonth,
      producers_month: kafka.producersMonth,
      disks_month: kafka.disksMonth,
      month: kafka.month,
    },
  };
}
