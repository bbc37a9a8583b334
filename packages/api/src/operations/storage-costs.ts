import * as z from 'zod';
import { count, examples, integer, list, text, time } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { type PriceName, priceListNames, priceLists, priceMeanings, priceNames } from '../storage-costs.ts';

const levelsMax = 16;
const bucketsMax = 64;
const daySeconds = 86_400;

const amount = () => z.number().min(0);

const prices = z
  .object(
    Object.fromEntries(
      priceNames.map((name) => [name, amount().describe(`Dollars for ${priceMeanings[name]}.`)]),
    ) as Record<PriceName, z.ZodNumber>,
  )
  .meta({ id: 'StoragePrices', description: 'Prices in US dollars.' });

export const storageCostOperations = [
  defineClusterOperation({
    name: 'describe_storage_costs',
    title: 'Describe storage costs',
    summary:
      'Describe what a virtual cluster stores, which requests its agents send to buckets, and what that costs, at approximate list prices or at your own. The list prices are not verified with the providers. A new leader of the cluster restarts the measurement.',
    input: clusterInput({
      last_seconds: integer(60, daySeconds).default(3600).describe('How far back to measure.'),
      price_list: z.enum(priceListNames).default('s3').describe('The approximate list prices to use.'),
      prices: z
        .strictObject(
          Object.fromEntries(
            priceNames.map((name) => [
              name,
              amount().max(1000).optional().describe(`Dollars for ${priceMeanings[name]}.`),
            ]),
          ) as Record<PriceName, z.ZodOptional<z.ZodNumber>>,
        )
        .default({})
        .describe('Prices that replace those of the list.'),
    }),
    output: z.object({
      measured_seconds: z.number().describe('The measured time; 0 if nothing was measured yet.'),
      ingested_bytes_per_second: amount().describe('Bytes of files with produced records.'),
      compacted_bytes_per_second: amount().describe('Bytes of files written by compaction.'),
      write_amplification: amount()
        .optional()
        .describe('Bytes written by compaction per byte produced; absent if nothing was produced.'),
      levels: list(
        z.object({
          level: count().describe('How often the files have been compacted.'),
          files: count().describe('Files with records.'),
          bytes: count().describe('Their size.'),
        }),
        levelsMax,
      ).describe('Stored files by level.'),
      dead_files: count().describe('Files that wait for deletion.'),
      dead_bytes: count().describe('Their size.'),
      oldest_dead_at: time()
        .optional()
        .describe('Since when the oldest of them is unused; absent if there are none.'),
      deletion_delay_seconds: z
        .number()
        .min(0)
        .describe('How long files wait for deletion (`service.file.delete.delay.ms`).'),
      is_deletion_enabled: z.boolean().describe('Whether they are deleted (`service.file.delete.enable`).'),
      requests: list(
        z.object({
          bucket: text().describe('The bucket, without secrets.'),
          put_per_second: amount().describe('PUT requests, including parts of uploads.'),
          get_per_second: amount().describe('GET and HEAD requests.'),
          list_per_second: amount().describe('LIST requests.'),
          delete_per_second: amount().describe('DELETE requests, each for up to 1,000 objects.'),
        }),
        bucketsMax,
      ).describe('Requests of all agents, including retries and failures.'),
      prices: prices.describe('The prices that were used.'),
      costs: z
        .object({
          storage_month: amount().describe('Storage at its current size.'),
          requests_month: amount().describe('Requests at the measured rate.'),
          month: amount().describe('The total.'),
          requests_per_gib: amount().optional().describe('Requests per GiB produced.'),
          per_gib: amount().optional().describe('Storage and requests per GiB produced.'),
        })
        .describe('Dollars.'),
      kafka: z
        .object({
          replication_month: amount().describe('Replication traffic to two followers in other zones.'),
          producers_month: amount().describe('Traffic of producers to leaders in other zones.'),
          disks_month: amount().describe('Three copies on disks that are 60 % full.'),
          month: amount().describe('All of it.'),
        })
        .describe(
          'Dollars a month for network and disks of a Kafka cluster with the same records and three replicas in three zones. Machines are excluded on both sides.',
        ),
    }),
    example: {
      output: {
        measured_seconds: 3600,
        ingested_bytes_per_second: 1_048_576,
        compacted_bytes_per_second: 1_153_434,
        write_amplification: 1.1,
        levels: [
          { level: 0, files: 310, bytes: 85_983_232 },
          { level: 1, files: 12, bytes: 322_122_547 },
        ],
        dead_files: 32,
        dead_bytes: 8_388_608,
        oldest_dead_at: examples.time,
        deletion_delay_seconds: 600,
        is_deletion_enabled: true,
        requests: [
          {
            bucket: 's3://records',
            put_per_second: 4.3,
            get_per_second: 6.1,
            list_per_second: 0.001,
            delete_per_second: 0.03,
          },
        ],
        prices: priceLists.s3.prices,
        costs: {
          storage_month: 0.0089,
          requests_month: 62.93,
          month: 62.94,
          requests_per_gib: 0.0245,
          per_gib: 0.0245,
        },
        kafka: { replication_month: 102.66, producers_month: 34.22, disks_month: 0.15, month: 137.03 },
      },
    },
  }),
] as const;
